"""Asks "uform serve" by OpenAI's client for Python: python openai.py PROGRAM."""

import os
import signal
import subprocess
import sys

# This file's name must not hide the module's.
sys.path.pop(0)
import openai

KEY = "a key for tests"
TEXTS = ["a man is playing the guitar", "someone makes music", "prices are falling"]


def refused(kind, ask):
    try:
        ask()
    except kind as problem:
        return problem
    raise AssertionError("nothing was refused")


def check(client):
    assert [model.id for model in client.models.list()] == ["words", "senses"]

    answer = client.embeddings.create(model="words", input=TEXTS)  # as base64, which the client decodes
    vectors = [item.embedding for item in answer.data]
    assert [item.index for item in answer.data] == [0, 1, 2]
    assert answer.model == "words" and answer.usage.total_tokens == 64, answer.usage
    product = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))
    assert abs(product(vectors[0], vectors[0]) - 1) < 1e-5
    assert product(vectors[0], vectors[1]) > product(vectors[0], vectors[2]) + 0.2

    floats = client.embeddings.create(model="words", input=TEXTS, encoding_format="float")
    for item, vector in zip(floats.data, vectors, strict=True):
        assert all(abs(x - y) < 1e-7 for x, y in zip(item.embedding, vector, strict=True))

    short = client.embeddings.create(model="words", input=TEXTS[0], dimensions=16).data
    assert len(short) == 1 and len(short[0].embedding) == 16

    problem = refused(openai.NotFoundError, lambda: client.embeddings.create(model="gpt", input="a"))
    assert problem.code == "model_not_found", problem
    problem = refused(openai.BadRequestError, lambda: client.embeddings.create(model="words", input=[[1, 2]]))
    assert problem.param == "input" and "input[0]: tokens are not taken" in problem.message, problem
    problem = refused(openai.BadRequestError, lambda: client.embeddings.create(model="words", input=TEXTS, dimensions=1000))
    assert problem.param == "dimensions", problem
    refused(openai.AuthenticationError, lambda: client.with_options(api_key="wrong").embeddings.create(model="words", input="a"))


def main(program):
    server = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0", "--model", "words", "--model", "senses"],
        env=os.environ | {"UFORM_KEY": KEY}, stderr=subprocess.PIPE, text=True)
    try:
        address = server.stderr.readline().split()[-1]
        with openai.OpenAI(base_url=address + "/v1", api_key=KEY, max_retries=0) as client:
            check(client)
    finally:
        server.send_signal(signal.SIGTERM)
        rest = server.stderr.read()
        assert server.wait() == 0, rest
    print("openai", openai.__version__, "for Python: passed;", rest.strip())


main(sys.argv[1])
