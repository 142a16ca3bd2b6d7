#!/usr/bin/env python3
"""Writes tables_generated.go: what the reference implementation knows of each code point.

    pip install tokenizers==0.23.3
    python3 tables.py unicode-segmentation-1.13.3/src/tables.rs > ../tables_generated.go

Every property is measured on the reference itself, one code point at a time, since it mixes releases of Unicode: 9 for
decompositions, older ones for categories, newer ones in its regular expressions. Only the grapheme clusters come from the
table of the Rust package that the reference is built with, as nothing of it shows them.
"""
import re
import sys
import unicodedata

from tokenizers import Regex, normalizers as N, pre_tokenizers as P

LIMIT = 0x110000
POINTS = [c for c in range(LIMIT) if not 0xD800 <= c <= 0xDFFF]

flags = [0] * LIMIT
names = ["other", "nonspacing", "punctuation", "space", "numeric", "combining", "word", "letter", "number", "regexSpace",
         "canonical", "compatible", "lowers", "regexWord", "digit", "classed", "patternSpace"]
bit = {name: 1 << i for i, name in enumerate(names)}


def set_where(name, predicate):
    for c in POINTS:
        if predicate(chr(c)):
            flags[c] |= bit[name]


def pieces(tool):
    return lambda c: len(tool.pre_tokenize_str("x" + c + "x"))


clean = N.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False).normalize_str
strip = N.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False).normalize_str
set_where("other", lambda c: c != "\ufffd" and clean(c) == "")
flags[9] &= ~bit["other"]
set_where("nonspacing", lambda c: strip(c) == "")
set_where("combining", lambda c: N.StripAccents().normalize_str(c) == "")
bert = pieces(P.BertPreTokenizer())
set_where("punctuation", lambda c: bert(c) == 3)
white = pieces(P.WhitespaceSplit())
set_where("space", lambda c: white(c) == 2)
digits = pieces(P.Digits(individual_digits=True))
set_where("numeric", lambda c: digits(c) == 3)
words = pieces(P.Whitespace())
set_where("word", lambda c: words(c) == 1)
set_where("patternSpace", lambda c: words(c) == 2)
for name, pattern in [("letter", r"\p{L}"), ("number", r"\p{N}"), ("regexSpace", r"\s"), ("regexWord", r"\w"), ("digit", r"\d")]:
    tool = N.Replace(Regex(pattern), "").normalize_str
    set_where(name, lambda c: tool(c) == "")

lower = {}
for c in POINTS:
    small = N.Lowercase().normalize_str(chr(c))
    if small != chr(c):
        lower[c] = small
        flags[c] |= bit["lowers"]
nfd, nfkd, nfc = N.NFD().normalize_str, N.NFKD().normalize_str, N.NFC().normalize_str
canonical, compatible, composes = {}, {}, {}
for c in POINTS:
    if 0xAC00 <= c < 0xAC00 + 11172:
        continue
    d, k = nfd(chr(c)), nfkd(chr(c))
    if d != chr(c):
        canonical[c] = d
        flags[c] |= bit["canonical"]
        if nfc(d) == chr(c):
            first = nfc(d[:-1])
            assert len(first) == 1
            composes[ord(first), ord(d[-1])] = c
    if k != chr(c):
        flags[c] |= bit["compatible"]
        if k != d:
            compatible[c] = k

# Combining classes: which marks does a mark pass when a text is put in order? The classes of assigned characters never
# change, so those of Python serve where the reference has one at all.
classes = {}
for c in POINTS:
    if nfd("a\u0345" + chr(c)) != "a\u0345" + nfd(chr(c)) or c == 0x345:
        classes[c] = unicodedata.combining(nfd(chr(c))[0])
        if nfd(chr(c)) == chr(c):
            assert classes[c], hex(c)
for c, value in list(classes.items()):
    if c in canonical:
        del classes[c]
    else:
        flags[c] |= bit["classed"]

source = open(sys.argv[1]).read()
GCB = ["Any", "CR", "Control", "Extend", "Extended_Pictographic", "InCB_Consonant", "L", "LF", "LV", "LVT", "Prepend", "Regional_Indicator",
       "SpacingMark", "T", "V", "ZWJ"]
short = {"GC_" + name: i for i, name in enumerate(GCB)}
grapheme = [0] * LIMIT
table = source[source.index("const grapheme_cat_table"):]
table = table[:table.index("];")]
for lo, hi, kind in re.findall(r"\(\s*'\\u\{([0-9a-f]+)\}',\s*'\\u\{([0-9a-f]+)\}',\s*(GC_\w+)\)", table):
    for c in range(int(lo, 16), int(hi, 16) + 1):
        grapheme[c] = short[kind]
conjunct = [0] * LIMIT


def ranges_of(name):
    start = source.index("const " + name)
    text = source[start:]
    text = text[:text.index("];")]
    for lo, hi in re.findall(r"\(\s*'\\u\{([0-9a-f]+)\}',\s*'\\u\{([0-9a-f]+)\}'\)", text):
        yield from range(int(lo, 16), int(hi, 16) + 1)


for c in ranges_of("InCB_Extend_table"):
    conjunct[c] = 1
linkers = source[source.index("fn is_incb_linker"):]
for c in re.findall(r"'\\u\{([0-9A-Fa-f]+)\}'", linkers[:linkers.index("}\n")]):
    conjunct[int(c, 16)] = 2

records, numbers, index = {}, [], []
for c in range(LIMIT):
    key = (flags[c], classes.get(c, 0), grapheme[c], conjunct[c])
    numbers.append(records.setdefault(key, len(records)))
BLOCK = 128
blocks, order = {}, []
for start in range(0, LIMIT, BLOCK):
    block = tuple(numbers[start:start + BLOCK])
    if block not in blocks:
        blocks[block] = len(order)
        order.append(block)
    index.append(blocks[block])

out = []
w = out.append
w("// Code generated by testdata/tables.py; DO NOT EDIT.\n\npackage tokenizer\n")


def lines(values, per=24):
    for i in range(0, len(values), per):
        w("\t" + ", ".join(map(str, values[i:i + per])) + ",")


w("const (")
for i, name in enumerate(names):
    w(f"\tis{name[0].upper()}{name[1:]} = 1 << {i}")
w(")\n")
w("const (")
for i, name in enumerate(GCB):
    w(f"\tcluster{name.replace('_', '')} = {i}")
w(")\n")
w("const blockSize = %d\n" % BLOCK)
w("var records = [...]record{")
for key in records:
    w("\t{%d, %d, %d, %d}," % key)
w("}\n")
kind = "uint8" if len(records) <= 256 else "uint16"
w(f"var blocks = [...]{kind}{{")
lines([n for block in order for n in block])
w("}\n")
w("var blockOf = [...]uint16{")
lines(index)
w("}\n")


def quote(text):
    return '"' + "".join("\\u%04x" % ord(c) if ord(c) < 0x10000 else "\\U%08x" % ord(c) for c in text) + '"'


def mapping(name, values):
    keys = sorted(values)
    w(f"var {name} = [...]mapping{{")
    for i in range(0, len(keys), 6):
        w("\t" + ", ".join("{%#x, %s}" % (c, quote(values[c])) for c in keys[i:i + 6]) + ",")
    w("}\n")


mapping("canonicalOf", canonical)
mapping("compatibleOf", compatible)
mapping("lowerOf", lower)
w("var composed = [...]composition{")
pairs = sorted(composes)
for i in range(0, len(pairs), 6):
    w("\t" + ", ".join("{%#x, %#x, %#x}" % (*p, composes[p]) for p in pairs[i:i + 6]) + ",")
w("}")
sys.stdout.write("\n".join(out) + "\n")
sys.stderr.write("%d records, %d blocks, %d lower, %d canonical, %d compatible, %d compositions, %d classes\n" % (
    len(records), len(order), len(lower), len(canonical), len(compatible), len(composes), len(classes)))
