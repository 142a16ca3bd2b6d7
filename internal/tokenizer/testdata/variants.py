#!/usr/bin/env python3
"""Writes tokenizers whose steps no single model has together, and what the reference makes of the texts with them.

    python3 variants.py OUT

TestReference compares them.
"""
import itertools
import sys

from tokenizers import AddedToken, Regex, Tokenizer, normalizers as N, pre_tokenizers as P

import compare
import texts

base=Tokenizer.from_file("roberta.json")
T=list(texts.HOSTILE)+list(texts.random_texts(3000,seed=9))
n=0
def out(t):
    global n
    name=sys.argv[1] + '/v%03d'%n; n+=1
    t.save(name+'.json',pretty=False)
    with open(name+'.ids','wb') as f: compare.write(f,compare.load(name+'.json'),T)
BL=P.ByteLevel(add_prefix_space=False,use_regex=False)
def fresh(): return Tokenizer.from_str(base.to_str())
for p in [Regex(r"\s+"),Regex(r"\d{1,3}"),Regex(r"[^\s\p{L}]+"),Regex(r"\p{N}"),Regex(r"[a-f ]{2,}"),Regex(r"\W"),Regex(r"[\-.,!?]"),"a"," ","ab",Regex(r"\S{3}"),Regex(r"[^\d\s]{2,4}")]:
    for b in ["isolated","removed","contiguous","merged_with_previous","merged_with_next"]:
        for inv in (False,True):

            t=fresh(); t.pre_tokenizer=P.Sequence([P.Split(p,b,invert=inv),BL]); out(t)
    t=fresh(); t.normalizer=N.Sequence([N.Replace(p,"<x>"),N.NFKD()]); out(t)
for b in ["isolated","removed","contiguous","merged_with_previous","merged_with_next"]:
    t=fresh(); t.pre_tokenizer=P.Sequence([P.Punctuation(b),P.Digits(False),P.WhitespaceSplit(),P.CharDelimiterSplit("e"),BL]); out(t)
for sch in ["always","first","never"]:
    for sp in (True,False):
        t=fresh(); t.normalizer=N.Sequence([N.Strip(),N.NFKC(),N.Nmt()]); t.pre_tokenizer=P.Sequence([P.Digits(True),P.Metaspace(prepend_scheme=sch,split=sp),BL]); out(t)
        t=fresh(); t.normalizer=N.Sequence([N.Prepend("x"),N.StripAccents(),N.BertNormalizer(lowercase=False,strip_accents=True)]); t.pre_tokenizer=P.Sequence([P.Metaspace(replacement="_",prepend_scheme=sch,split=sp),P.ByteLevel(add_prefix_space=True)]); out(t)
t=fresh(); t.normalizer=N.Sequence([N.ByteLevel()]); t.pre_tokenizer=None; out(t)
t=fresh(); t.pre_tokenizer=P.Sequence([P.ByteLevel(add_prefix_space=True),P.Digits(True)]); out(t)
for sw,l,r,nm in itertools.product((False,True),repeat=4):
    t=fresh(); t.normalizer=N.Lowercase()
    t.add_tokens([AddedToken(c,single_word=sw,lstrip=l,rstrip=r,normalized=nm) for c in ("yesterday","the","a","[MASK]","e\u0301"," x","||","<b",".")]); out(t)
print(n)
