#!/usr/bin/env python3
"""Trains small SentencePiece models, in the folders of the classes that read them: pieces/NAME.

    pip install sentencepiece==0.2.3
    python3 pieces.py sentences.txt OUT [full]

With "full", the maps of characters are SentencePiece's own, which are too large to be kept in the repository.
"""
import io
import json
import os
import sys

import sentencepiece

import texts

LINES = [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8", newline="\n")][:20000]
LINES += [t for t in texts.HOSTILE if len(t) < 80 and "\0" not in t] * 3
OUT, FULL = sys.argv[2], "full" in sys.argv[3:]

# A map of characters: full width, ligatures, a few accents of two code points, controls, and one of a syllable and more.
RULES = [("FF%02X" % (0x01 + i), "%02X" % (0x21 + i)) for i in range(94)]
RULES += [("FB01", "66 69"), ("FB02", "66 6C"), ("3000", "20"), ("A0", "20"), ("BD", "31 2044 32"), ("65 301", "E9"), ("61 301", "E1"),
          ("30AB 3099", "30AC"), ("AD", ""), ("200B", "20"), ("1", ""), ("9", "20"), ("A", "20"), ("2126", "3A9"), ("0915 094D", "0915"),
          ("61 62 63", "78"), ("61 301 301", "E2")]


def train(name, file, config, rules=True, **args):
    folder = os.path.join(OUT, name)
    os.makedirs(folder, exist_ok=True)
    if not rules:
        args["normalization_rule_name"] = "identity"
    elif FULL:
        args["normalization_rule_name"] = "nmt_nfkc"
    else:
        tsv = os.path.join(OUT, "rules.tsv")
        with open(tsv, "w") as f:
            f.writelines("%s\t%s\n" % rule for rule in RULES)
        args["normalization_rule_tsv"] = tsv
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=model, minloglevel=2, hard_vocab_limit=False, character_coverage=.995,
                                             max_sentence_length=400, **args)
    with open(os.path.join(folder, file), "wb") as f:
        f.write(model.getvalue())
    with open(os.path.join(folder, "tokenizer_config.json"), "w") as f:
        json.dump(config, f, indent=1)
        f.write("\n")
    if not FULL and rules:
        os.remove(tsv)


T5 = dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
train("xlm-roberta", "sentencepiece.bpe.model", {"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": 512, "mask_token": {"__type": "AddedToken", "content": "<mask>", "lstrip": True,
      "rstrip": False, "normalized": True, "single_word": False}}, vocab_size=700)
train("camembert", "sentencepiece.bpe.model", {"tokenizer_class": "CamembertTokenizer"}, vocab_size=600)
train("t5", "spiece.model", {"tokenizer_class": "T5Tokenizer", "extra_ids": 10}, vocab_size=700, **T5)
train("siglip", "spiece.model", {"tokenizer_class": "SiglipTokenizer", "do_lower_case": True, "eos_token": "</s>", "pad_token": "</s>", "unk_token": "<unk>", "model_max_length": 64},
      vocab_size=700, **T5)
train("siglip-bytes", "spiece.model", {"tokenizer_class": "SiglipTokenizer", "do_lower_case": False}, vocab_size=900, byte_fallback=True, **T5)
train("llama", "tokenizer.model", {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": False, "legacy": False, "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
      rules=False, vocab_size=900, model_type="bpe", byte_fallback=True, split_digits=True, remove_extra_whitespaces=False, allow_whitespace_only_pieces=True, user_defined_symbols=["  ", "[INST]"])
