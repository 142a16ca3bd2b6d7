#!/usr/bin/env python3
"""Writes texts.gz and, for each NAME.json here and each folder of pieces, NAME.golden: what the reference makes of the texts and of all code points.

    python3 golden.py lines.txt

texts.gz has the length of each text, as 32-bit little-endian number, and its bytes. A golden file has one FNV-1a hash of 32
bits for the ids of each text, and then one for the ids of each 1024 code points, each encoded by itself.
"""
import glob
import gzip
import struct
import sys

import compare
import texts


def fnv(encodings):
    h = 0x811C9DC5
    for ids in encodings:
        for b in struct.pack("<%dI" % (1 + len(ids)), len(ids), *ids):
            h = (h ^ b) * 0x01000193 & 0xFFFFFFFF
    return h


lines = list(texts.HOSTILE) + list(texts.random_texts(2000, seed=2)) + [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8")][:1500]
with gzip.GzipFile("texts.gz", "wb", mtime=0) as out:
    for line in lines:
        data = line.encode()
        out.write(struct.pack("<I", len(data)) + data)
points = list(texts.code_points())
for name in sorted(glob.glob("*.json") + glob.glob("pieces/*/")):
    encode = compare.load(name)
    name = name.rstrip("/")
    hashes = [fnv([ids]) for ids in encode(lines)]
    encodings = encode(points)
    hashes += [fnv(encodings[i:i + 1024]) for i in range(0, len(points), 1024)]
    with open(name.removesuffix(".json") + ".golden", "wb") as out:
        out.write(struct.pack("<%dI" % len(hashes), *hashes))
    print(name, len(lines), sum(len(e) for e in encodings))
