#!/usr/bin/env python3
"""Writes what the reference makes of texts, for the test to compare.

    python3 compare.py tokenizer.json OUT [sentences.txt]

In place of the file may stand a folder with a model of SentencePiece, which takes transformers 5.24.0 and sentencepiece.

OUT gets, for each text, its length and bytes and the count of its ids and the ids, all as 32-bit little-endian numbers:
the hostile texts, 20,000 random ones, every code point by itself, and the lines of the file.
"""
import os
import struct
import sys

from tokenizers import Tokenizer

import texts


def load(path):
    """Returns a function that gives the ids of each of some texts."""
    if os.path.isdir(path):
        from transformers import AutoTokenizer
        tokenizer = AutoTokenizer.from_pretrained(path)
        if not tokenizer.is_fast:
            ids, around = tokenizer.convert_tokens_to_ids, tokenizer.build_inputs_with_special_tokens
            return lambda batch: [around(ids(tokenizer.tokenize(text))) for text in batch]
        tokenizer = tokenizer.backend_tokenizer
    else:
        tokenizer = Tokenizer.from_file(path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda batch: [e.ids for e in tokenizer.encode_batch_fast(batch)]


def write(out, encode, batch):
    for text, ids in zip(batch, encode(batch)):
        data = text.encode()
        out.write(struct.pack("<I", len(data)) + data + struct.pack("<%dI" % (1 + len(ids)), len(ids), *ids))


def everything(sentences):
    yield from texts.HOSTILE
    yield from texts.random_texts(20000)
    yield from texts.code_points()
    for name in sentences:
        with open(name, encoding="utf-8", newline="\n") as f:
            for line in f:
                yield line.rstrip("\n")


if __name__ == "__main__":
    encode = load(sys.argv[1])
    with open(sys.argv[2], "wb") as out:
        batch = []
        for text in everything(sys.argv[3:]):
            batch.append(text)
            if len(batch) == 5000:
                write(out, encode, batch)
                batch = []
        write(out, encode, batch)
