#!/usr/bin/env python3
"""Trains small tokenizers in the shapes of real models, with the reference implementation.

    pip install tokenizers==0.23.3 sentencepiece
    python3 train.py sentences.txt OUT [full]

Each file has a vocabulary of about a thousand pieces. With "full", the maps of characters are SentencePiece's own, which
are too large to be kept in the repository.
"""
import io
import sys

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P, processors, trainers

import texts

LINES = [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8", newline="\n")][:20000]
LINES += [t for t in texts.HOSTILE if len(t) < 80] * 3
OUT, FULL = sys.argv[2], "full" in sys.argv[3:]

# A map of characters in SentencePiece's format: full width, ligatures, a few accents of two code points, controls.
RULES = [("FF%02X" % (0x01 + i), "%02X" % (0x21 + i)) for i in range(94)]
RULES += [("FB01", "66 69"), ("FB02", "66 6C"), ("3000", "20"), ("A0", "20"), ("BD", "31 2044 32"), ("65 301", "E9"), ("61 301", "E1"),
          ("30AB 3099", "30AC"), ("AD", ""), ("200B", "20"), ("1", ""), ("9", "20"), ("A", "20"), ("2126", "3A9"), ("0915 094D", "0915")]


def charsmap():
    args = {"normalization_rule_name": "nmt_nfkc"}
    if not FULL:
        with open(OUT + "/rules.tsv", "w") as f:
            f.writelines("%s\t%s\n" % rule for rule in RULES)
        args = {"normalization_rule_tsv": OUT + "/rules.tsv"}
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(LINES[:5000]), model_writer=model, vocab_size=300, minloglevel=2,
                                             hard_vocab_limit=False, **args)
    # Field 3 of ModelProto is the NormalizerSpec, its field 2 the map.
    return field(field(model.getvalue(), 3), 2)


def varint(data, at):
    value = shift = 0
    while True:
        b = data[at]
        at += 1
        value |= (b & 127) << shift
        shift += 7
        if b < 128:
            return value, at


def field(data, wanted):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            _, at = varint(data, at)
        elif key & 7 == 5:
            at += 4
        elif key & 7 == 1:
            at += 8
        else:
            size, at = varint(data, at)
            if key >> 3 == wanted:
                return data[at:at + size]
            at += size
    raise ValueError("no field %d" % wanted)


def save(name, tokenizer):
    tokenizer.save("%s/%s.json" % (OUT, name), pretty=False)


def bert(name, lower, accents):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = N.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=accents, lowercase=lower)
    t.pre_tokenizer = P.BertPreTokenizer()
    t.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=700, limit_alphabet=150, show_progress=False,
                                                           special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    if not lower:
        t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        t.add_tokens([AddedToken("yesterday", single_word=True), AddedToken("Caf\u00e9", single_word=False)])
    save(name, t)


bert("bert-uncased", True, None)
bert("bert-cased", False, False)
bert("bert-accents", True, False)

BYTES = dict(initial_alphabet=sorted(P.ByteLevel.alphabet()), show_progress=False)

t = Tokenizer(models.BPE())
t.pre_tokenizer = P.ByteLevel(add_prefix_space=False)
t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=800, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], **BYTES))
t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
save("roberta", t)

t.pre_tokenizer = P.ByteLevel(add_prefix_space=True)
t.post_processor = processors.Sequence([processors.ByteLevel(), processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])])
save("roberta-prefix", t)

t = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>", continuing_subword_prefix=""))
t.normalizer = N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()])
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
t.pre_tokenizer = P.Sequence([P.Split(Regex(CLIP), "removed", invert=True), P.ByteLevel(add_prefix_space=False)])
t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=1000, end_of_word_suffix="</w>", special_tokens=["<|startoftext|>", "<|endoftext|>"], **BYTES))
t.post_processor = processors.RobertaProcessing(("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False, add_prefix_space=False)
save("clip", t)

t = Tokenizer(models.BPE())
t.normalizer = N.NFC()
t.pre_tokenizer = P.ByteLevel(add_prefix_space=False)
t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=800, special_tokens=["<|padding|>", "<|endoftext|>"], **BYTES))
t.add_tokens([AddedToken("|||IP_ADDRESS|||", normalized=True)] + [AddedToken(" " * n, normalized=True) for n in (24, 8, 4, 3, 2)])
t.add_special_tokens([AddedToken("[UNK]", normalized=False), AddedToken("[CLS]", normalized=False), AddedToken("[SEP]", normalized=False),
                      AddedToken("[PAD]", normalized=False), AddedToken("[MASK]", lstrip=True, normalized=False)])
t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", t.token_to_id("[CLS]")), ("[SEP]", t.token_to_id("[SEP]"))])
save("modernbert", t)

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
for name, pattern in ("llama3", LLAMA3), ("qwen2", LLAMA3.replace("{1,3}", "")):
    t = Tokenizer(models.BPE(ignore_merges=name == "llama3"))
    if name == "qwen2":
        t.normalizer = N.NFC()
    t.pre_tokenizer = P.Sequence([P.Split(Regex(pattern), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=700, special_tokens=["<|endoftext|>"], **BYTES))
    t.post_processor = processors.TemplateProcessing(single="$A <|endoftext|>", special_tokens=[("<|endoftext|>", 0)])
    save(name, t)

BYTE_PIECES = ["<0x%02X>" % b for b in range(256)]
t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
t.normalizer = N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")])
t.pre_tokenizer = P.Metaspace(prepend_scheme="never")
t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=800, limit_alphabet=100, show_progress=False, special_tokens=["<unk>", "<s>", "</s>"] + BYTE_PIECES))
t.pre_tokenizer = None
t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
save("llama2", t)

for name, fuse in ("bpe-unknown", False), ("bpe-fused", True):
    t = Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##", end_of_word_suffix="</w>", fuse_unk=fuse))
    t.normalizer = N.Sequence([N.NFKD(), N.StripAccents(), N.Lowercase(), N.Strip(left=True, right=False)])
    t.pre_tokenizer = P.Sequence([P.Whitespace(), P.Punctuation("merged_with_previous"), P.Digits(individual_digits=fuse)])
    t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=600, limit_alphabet=60, show_progress=False, special_tokens=["[UNK]"], continuing_subword_prefix="##",
                                                     end_of_word_suffix="</w>"))
    save(name, t)

MAP = charsmap()


def unigram(name, normalizer, pre, template, specials, train_pre=None, extra=(), vocab=700):
    t = Tokenizer(models.Unigram())
    t.normalizer, t.pre_tokenizer = normalizer, train_pre or pre
    t.train_from_iterator(LINES, trainers.UnigramTrainer(vocab_size=vocab, show_progress=False, special_tokens=list(specials), unk_token="<unk>", max_piece_length=16))
    t.pre_tokenizer = pre
    if template:
        t.post_processor = processors.TemplateProcessing(single=template, special_tokens=[(s, t.token_to_id(s)) for s in specials if s in template.split()])
    t.add_special_tokens(list(extra))
    save(name, t)
    return t


META = P.Metaspace(prepend_scheme="always")
unigram("t5", N.Sequence([N.Precompiled(MAP), N.Strip(left=False, right=True), N.Replace(Regex(" {2,}"), "\u2581")]), META, "$A </s>", ["<pad>", "</s>", "<unk>"])
unigram("xlmr", N.Precompiled(MAP), P.Sequence([P.WhitespaceSplit(), META]), "<s> $A </s>", ["<s>", "<pad>", "</s>", "<unk>"], extra=[AddedToken("<mask>", lstrip=True)])
unigram("unigram-nfkc", N.Sequence([N.Nmt(), N.NFKC(), N.Replace(Regex(" {2,}"), " "), N.Strip()]), P.Metaspace(prepend_scheme="first"), "<s> $A </s>", ["<s>", "</s>", "<unk>"],
        extra=[AddedToken("<mask>", lstrip=True, rstrip=True), AddedToken("[MASK]", single_word=True)])
t = unigram("unigram-bytes", N.NFKD(), P.Metaspace(prepend_scheme="first", split=False), "<s> $A", ["<unk>", "<s>", *BYTE_PIECES], train_pre=META, vocab=900)
import json
data = json.loads(t.to_str())
data["model"]["byte_fallback"] = True
json.dump(data, open(OUT + "/unigram-bytes.json", "w"), ensure_ascii=False, separators=(",", ":"))
