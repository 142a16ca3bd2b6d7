#!/usr/bin/env python3
"""Measures the reference on one core: tokens a second over 5,000 lines.

    TOKENIZERS_PARALLELISM=false RAYON_NUM_THREADS=1 python3 speed.py tokenizer.json lines.txt
"""
import sys
import time

from tokenizers import Tokenizer

t = Tokenizer.from_file(sys.argv[1])
t.no_truncation()
t.no_padding()
lines = [line.rstrip("\n") for line in open(sys.argv[2], encoding="utf-8", newline="\n")]
lines = lines[:: max(1, len(lines) // 5000)][:5000]
t.encode_batch_fast(lines[:100])
start, cpu = time.time(), time.process_time()
tokens = sum(len(e.ids) for e in t.encode_batch_fast(lines))
print("%s: %.3f Mtokens/s by the clock, %.3f of processor time (batch)" % (sys.argv[1], tokens / (time.time() - start) / 1e6, tokens / (time.process_time() - cpu) / 1e6))
