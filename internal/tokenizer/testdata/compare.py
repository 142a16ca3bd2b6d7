#!/usr/bin/env python3
"""Writes what the reference makes of texts, for the test to compare.

    python3 compare.py tokenizer.json OUT [sentences.txt]

OUT gets, for each text, its length and bytes and the count of its ids and the ids, all as 32-bit little-endian numbers:
the hostile texts, 20,000 random ones, every code point by itself, and the lines of the file.
"""
import struct
import sys

from tokenizers import Tokenizer

import texts


def write(out, tokenizer, batch):
    for text, encoding in zip(batch, tokenizer.encode_batch_fast(batch)):
        data = text.encode()
        out.write(struct.pack("<I", len(data)) + data + struct.pack("<%dI" % (1 + len(encoding.ids)), len(encoding.ids), *encoding.ids))


def everything(sentences):
    yield from texts.HOSTILE
    yield from texts.random_texts(20000)
    yield from texts.code_points()
    for name in sentences:
        with open(name, encoding="utf-8", newline="\n") as f:
            for line in f:
                yield line.rstrip("\n")


if __name__ == "__main__":
    tokenizer = Tokenizer.from_file(sys.argv[1])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with open(sys.argv[2], "wb") as out:
        batch = []
        for text in everything(sys.argv[3:]):
            batch.append(text)
            if len(batch) == 5000:
                write(out, tokenizer, batch)
                batch = []
        write(out, tokenizer, batch)
