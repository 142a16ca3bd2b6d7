#!/usr/bin/env python3
"""Writes what the references make of sentences with real models, whose folders ci/models.sh fetches.

    pip install torch==2.15.0 sentence-transformers==6.2.0 wordllama==0.4.0.post1       (versions of golden.py)
    python3 real.py all-MiniLM-L6-v2 sentences.txt 50 minilm      # minilm.txt, minilm.f32: 50 of every 143rd sentence
    python3 real.py all-mpnet-base-v2 minilm.txt 10 mpnet         # mpnet.f32: 10 of those 50
    python3 real.py wordllama minilm.txt 50 wordllama             # wordllama.f32: those 50
    python3 real.py all-MiniLM-L6-v2 sts-dev.csv                  # prints Spearman's correlation
    python3 real.py all-MiniLM-L6-v2 sentences.txt 1000 minilm-projected 4       # minilm-projected.f32: every 143rd sentence, 4 numbers each

The vectors are computed in double precision (wordllama's in single), each text alone, and rounded to 32 bits,
little-endian. With ONNX=FILE they come from onnxruntime and tokenizers instead, in single precision: pip install
onnxruntime tokenizers numpy.

Projected vectors are the products with a few directions of normal numbers, which have the seed 0 and depend on no
library. TestRealSentences says why a few suffice.
"""
import csv
import math
import os
import sys

import numpy as np

folder, source = sys.argv[1:3]


def torch_encoder():
    import torch
    from sentence_transformers import SentenceTransformer
    torch.set_num_threads(1)  # texts are short, and threads wait for each other
    model = SentenceTransformer(folder, device="cpu", local_files_only=True).double().eval()
    return lambda text: np.asarray(model.encode(text), dtype=np.float64)


def wordllama_encoder():
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer
    from wordllama.inference import WordLlamaInference
    model = WordLlamaInference(load_file(folder + "/l2_supercat_256.safetensors")["embedding.weight"], Tokenizer.from_file(folder + "/l2_supercat_tokenizer_config.json"))
    return lambda text: model.embed(text)[0]


def onnx_encoder(file):
    import onnxruntime
    from tokenizers import Tokenizer
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)

    def encode(text):
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        rows = session.run(None, {i.name: inputs[i.name] for i in session.get_inputs()})[0][0].astype(np.float64)
        mean = rows.mean(0)
        return mean / np.linalg.norm(mean)

    return encode


def ranks(values):
    """Ranks, equal values sharing their mean."""
    values = np.asarray(values)
    order = np.argsort(values, kind="stable")
    result = np.empty(len(values))
    begin = 0
    while begin < len(values):
        end = begin
        while end < len(values) and values[order[end]] == values[order[begin]]:
            end += 1
        result[order[begin:end]] = (begin + end - 1) / 2
        begin = end
    return result


def uniform(index):
    """The number of an index in (0, 1), by SplitMix64."""
    mask = (1 << 64) - 1
    z = (index + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return ((z ^ z >> 31) >> 12 | 1) / 2**52


def directions(count, columns):
    """Normal numbers, by Box and Muller."""
    return np.array([[math.sqrt(-2 * math.log(uniform(2 * i))) * math.cos(2 * math.pi * uniform(2 * i + 1))
                      for i in range(row * columns, (row + 1) * columns)] for row in range(count)])


if "ONNX" in os.environ:
    encode = onnx_encoder(os.environ["ONNX"])
elif os.path.exists(folder + "/l2_supercat_256.safetensors"):
    encode = wordllama_encoder()
else:
    encode = torch_encoder()
if source.endswith(".csv"):
    with open(source, encoding="utf-8", newline="") as f:
        rows = [row for row in csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE)]
    scores = [float(row[4]) for row in rows]
    cosines = [float(encode(row[5]) @ encode(row[6])) for row in rows]
    print("%d pairs: %.6f" % (len(rows), np.corrcoef(ranks(scores), ranks(cosines))[0, 1]))
else:
    count, out = int(sys.argv[3]), sys.argv[4]
    with open(source, encoding="utf-8", newline="\n") as f:
        lines = [line.rstrip("\n") for line in f]
    if len(sys.argv) > 5:
        lines = lines[::143]
    elif len(lines) > 50:
        lines = lines[::143][::max(1, 1000 // count)]
        with open(out + ".txt", "w", encoding="utf-8", newline="\n") as f:
            f.writelines(line + "\n" for line in lines[:count])
    else:
        lines = lines[::len(lines) // count]
    lines = lines[:count]
    vectors = np.array([encode(line) for line in lines])
    if len(sys.argv) > 5:
        vectors = vectors @ directions(int(sys.argv[5]), vectors.shape[1]).T
    vectors.astype("<f4").tofile(out + ".f32")
