#!/usr/bin/env python3
"""Makes small random models in the layout of folders, and golden.json in each: what the reference implementations say.

    pip install torch==2.15.0 torchvision==0.29.2 transformers==5.24.0 sentence-transformers==6.2.0 tokenizers==0.23.3 \\
        safetensors==0.8.0 numpy==2.4.6 sentencepiece==0.2.3 model2vec==0.10.0 wordllama==0.4.0.post1 uform==3.1.3 pillow==13.0.0
    python3 golden.py OUT [NAME ...]

Training a tokenizer breaks ties at random, so a folder that is made anew may have other pieces, and then other ids: commit
all of its files together, and those of the folders laid over it.

The weights are random, but not small: attention is not flat, and every gain, bias and sign changes the result. Every
vector is computed in double precision by the reference, each text alone.

golden.json has: base, the folder over which the files of this one are laid; without, files of the base that are absent;
cases, each with text, prompt (a name, or absent for the default), ids, embedding, and end where the text was cut: the byte
where the last token ends by the reference's offsets; states, rows of the last hidden states of some cases; pictures, each with the CRC-32 of its bytes after resizing
and cropping, and an embedding. Numbers are rounded to nine digits.

The nomic folders named contrastors need that reference too: github.com/nomic-ai/contrastors at 613ddfd, of which
src/contrastors/models/huggingface is copied to a package nomic_hf on PYTHONPATH (pip install einops).
"""
import base64
import binascii
import json
import math
import os
import shutil
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P, processors, trainers

OUT = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
ONLY = sys.argv[2:]
torch.set_num_threads(1)

# What the tokenizers learn.
LINES = """
The harbour was quiet when the first boats came back from the sea, and nobody asked how many fish they had caught.
A library keeps what people have written, so that others may read it, question it and write something better.
She opened the window, looked at the mountains and said that the weather would change before the evening.
He counted 12 apples, 340 pears and 5,678 nuts; then he wrote the numbers 90 and 1 into a little book.
Search engines compare the meaning of a question with the meaning of a document: search_query: or search_document: stand before them.
Machines translate texts between languages, but a good translator knows what the author did not say.
We don't know whether they're coming; it's late, I've waited for hours and you'll miss the train.
What is the capital of France? Paris is the capital of France, and the Seine flows through the middle of the city.
Yesterday the children drew a house, a dog, a cat and the sun; today they are playing football in the garden.
The price of bread rose by 3.5% in spring, while the price of milk did not change at all!
Caf\u00e9 na\u00efve r\u00e9sum\u00e9 \u00fcber stra\u00dfe \u00e9t\u00e9 gar\u00e7on ma\u00f1ana \u0441\u043e\u0431\u0430\u043a\u0430 \u043a\u043e\u0448\u043a\u0430 \u4f60\u597d \u4e16\u754c \u65e5\u672c\u8a9e \ud55c\uad6d \u0645\u0631\u062d\u0628\u0627
""".strip().split("\n")

LONG = " ".join(LINES[:10] + LINES[:10])
TEXTS = [
    "The boats came back from the sea.",
    "",
    " \t\n ",
    "What is the capital of France?",
    "H\u00c9LLO W\u00d6RLD, na\u00efve caf\u00e9 \u2014 \u201cquoted\u201d text\u2026 it's 3.14e-10 & $5,678!",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea\U0001f44d\U0001f3fd \u2764\ufe0f 1\ufe0f\u20e3",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \ud55c\uad6d\uc5b4 \u0645\u0631\u062d\u0628\u0627 \u0441\u043e\u0431\u0430\u043a\u0430",
    "\ufeff\u202eodd\u202c a\u0327\u0301 \ufb01 \u00bd \u0130stanbul \u1e9e \u00a0\u2028 \ufffd\U00010400\u0378 x\u00ady",
    "[CLS] [MASK] </s> <mask> <|endoftext|> <unk> [PAD]",
    "x" * 150,
    "a",
    LONG,
]
STATES = (3, len(TEXTS) - 1)  # the cases of which last hidden states are kept


# --- tokenizers ---

def template(single, t, names):
    return processors.TemplateProcessing(single=single, special_tokens=[(n, t.token_to_id(n)) for n in names])


def wordpiece(vocab, lower=True, specials=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), first="[CLS]", last="[SEP]"):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = N.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=lower)
    t.pre_tokenizer = P.BertPreTokenizer()
    t.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=vocab, limit_alphabet=90, show_progress=False, special_tokens=list(specials)))
    t.post_processor = template(first + " $A " + last, t, (first, last))
    t.decoder = decoders.WordPiece()
    return t


BYTES = dict(initial_alphabet=sorted(P.ByteLevel.alphabet()), show_progress=False)


def roberta_bpe(vocab):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = P.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=vocab, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], **BYTES))
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    return t


def modernbert_bpe(vocab):
    t = Tokenizer(models.BPE())
    t.normalizer = N.NFC()
    t.pre_tokenizer = P.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=vocab, special_tokens=["<|padding|>", "<|endoftext|>"], **BYTES))
    t.add_tokens([AddedToken("|||IP_ADDRESS|||", normalized=True)] + [AddedToken(" " * n, normalized=True) for n in (8, 4, 2)])
    t.add_special_tokens([AddedToken("[UNK]", normalized=False), AddedToken("[CLS]", normalized=False), AddedToken("[SEP]", normalized=False),
                          AddedToken("[PAD]", normalized=False), AddedToken("[MASK]", lstrip=True, normalized=False)])
    t.post_processor = template("[CLS] $A [SEP]", t, ("[CLS]", "[SEP]"))
    t.decoder = decoders.ByteLevel()
    return t


def clip_bpe(vocab):
    t = Tokenizer(models.BPE(end_of_word_suffix="</w>", continuing_subword_prefix=""))
    t.normalizer = N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()])
    split = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    t.pre_tokenizer = P.Sequence([P.Split(Regex(split), "removed", invert=True), P.ByteLevel(add_prefix_space=False)])
    # The marks of the end are the last ids, as in CLIP's vocabulary.
    t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=vocab - 2, end_of_word_suffix="</w>", special_tokens=[], **BYTES))
    data = json.loads(t.to_str())
    data["model"]["unk_token"] = "<|endoftext|>"
    data["model"]["vocab"] |= {token: t.get_vocab_size() + i for i, token in enumerate(("<|startoftext|>", "<|endoftext|>"))}
    t = Tokenizer.from_str(json.dumps(data))
    t.add_special_tokens([AddedToken("<|startoftext|>", normalized=False), AddedToken("<|endoftext|>", normalized=False)])
    start, end = t.token_to_id("<|startoftext|>"), t.token_to_id("<|endoftext|>")
    t.post_processor = processors.RobertaProcessing(("<|endoftext|>", end), ("<|startoftext|>", start), trim_offsets=False, add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    return t


def charsmap():
    """The small map of characters that the tokenizers' tests have."""
    with open(os.path.join(HERE, "../../tokenizer/testdata/xlmr.json"), encoding="utf-8") as f:
        return N.Precompiled(base64.b64decode(json.load(f)["normalizer"]["precompiled_charsmap"]))


def unigram(vocab, specials, normalizer, single, ends, mask=None, pre=None):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizer
    t.pre_tokenizer = pre or P.Metaspace(prepend_scheme="always")
    t.train_from_iterator(LINES, trainers.UnigramTrainer(vocab_size=vocab, show_progress=False, special_tokens=list(specials), unk_token="<unk>", max_piece_length=16))
    if single:
        t.post_processor = template(single, t, ends)
    if mask:
        t.add_special_tokens([AddedToken(mask, lstrip=True)])
    return t


# --- weights ---

def randomize(model, seed):
    """Gives each parameter values by its name and shape."""
    g = torch.Generator().manual_seed(seed)
    state = {}
    for name, p in sorted(model.state_dict().items()):
        if not p.is_floating_point():
            state[name] = p
            continue
        n = name.lower()
        last = n.split(".")[-1]
        normal = torch.randn(p.shape, generator=g, dtype=torch.float64)
        uniform = torch.rand(p.shape, generator=g, dtype=torch.float64)
        if last == "gamma" or p.ndim == 1 and last == "weight" and ("norm" in n or "ln" in n or "layrnorm" in n):
            value = (0.5 + uniform) * torch.where(torch.rand(p.shape, generator=g) < .125, -1.0, 1.0)
        elif "logit" in n:
            value = p.double()
        elif last.endswith("bias") and "relative" not in n:
            value = normal * .3
        elif "relative" in n:
            value = normal * 1.5
        elif "position" in n or "token_type" in n or "pos_embed" in n:
            value = normal * .7
        elif "embedding" in n and "projection" not in n and "patch" not in n or "probe" in n or "cls_token" in n or "reg_token" in n:
            value = normal
        else:
            value = normal * (1.4 / math.sqrt(p[0].numel() if p.ndim > 1 else p.numel()))
        state[name] = value.float()
    model.load_state_dict({k: v.to(model.state_dict()[k].dtype) for k, v in state.items()})
    model.eval()
    return state


def save(path, state, dtype=torch.float32):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    save_file({k: (v.to(dtype) if v.is_floating_point() else v).contiguous() for k, v in state.items()}, path, metadata={"format": "pt"})


# --- files ---

def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":") if name.endswith("tokenizer.json") else None,
                                                            indent=None if name.endswith("tokenizer.json") else 2))


def numbers(values):
    return [float("%.9g" % v) for v in np.asarray(values, dtype=np.float64).reshape(-1)]


def byte_end(text, encoding):
    """The byte where the last kept token of the text ends, of an encoding that was cut."""
    ends = [e for (b, e), special in zip(encoding.offsets, encoding.special_tokens_mask) if not special and e > b]
    return len(text[:max(ends)].encode()) if ends else 0


class Golden:
    def __init__(self, name, **head):
        self.name, self.data = name, dict(head)
        self.data["cases"] = []

    def add(self, text, ids, embedding, prompt=None, end=None, states=None):
        case = {"text": text}
        if prompt is not None:
            case["prompt"] = prompt
        case["ids"] = [int(i) for i in ids]
        if end is not None:
            case["end"] = end
        case["embedding"] = numbers(embedding)
        if states is not None:
            rows = range(len(states)) if len(states) < 16 else sorted({0, 1, 7, len(states) // 2, 2 * len(states) // 3, len(states) - 2, len(states) - 1})
            self.data.setdefault("states", []).append({"case": len(self.data["cases"]), "rows": list(rows), "values": numbers([states[i].tolist() for i in rows])})
        self.data["cases"].append(case)

    def write(self):
        path = os.path.join(OUT, self.name, "golden.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        head = {k: v for k, v in self.data.items() if k not in ("cases", "states", "pictures")}
        compact = lambda v: json.dumps(v, ensure_ascii=True, separators=(",", ":"))
        with open(path, "w") as f:
            f.write("{\n")
            for k, v in head.items():
                f.write("%s: %s,\n" % (json.dumps(k), json.dumps(v)))
            for k in ("states", "pictures"):
                if k in self.data:
                    f.write('"%s": %s,\n' % (k, compact(self.data[k])))
            f.write('"cases": [\n' + ",\n".join(compact(c) for c in self.data["cases"]) + "\n]}\n")
        print(self.name, len(self.data["cases"]), "cases", sum(os.path.getsize(os.path.join(d, x)) for d, _, fs in os.walk(os.path.join(OUT, self.name)) for x in fs), "bytes")


def whole(name, base=None, without=()):
    """A folder of all files, those of the base too, for the reference to read."""
    folder = os.path.join("/tmp/golden-whole", name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for part in ([base] if base else []) + [name]:
        shutil.copytree(os.path.join(OUT, part), folder, dirs_exist_ok=True)
        if part == base:
            for gone in without:
                os.remove(os.path.join(folder, gone))
    if os.path.exists(folder + "/golden.json"):
        os.remove(folder + "/golden.json")
    return folder


def fresh(name):
    shutil.rmtree(os.path.join(OUT, name), ignore_errors=True)
    os.makedirs(os.path.join(OUT, name))
    return os.path.join(OUT, name)


def versions():
    import sentence_transformers
    import transformers
    return "sentence-transformers %s, transformers %s, torch %s, float64" % (sentence_transformers.__version__, transformers.__version__, torch.__version__.split("+")[0])


def sentence(name, base=None, without=(), texts=TEXTS, prompts=(None,), states=True, check=True):
    """Writes the golden values of a folder by sentence-transformers."""
    from sentence_transformers import SentenceTransformer
    folder = whole(name, base, without)
    model = SentenceTransformer(folder, device="cpu", local_files_only=True).double().eval()
    head = {"reference": versions()}
    if base:
        head["base"] = base
    if without:
        head["without"] = list(without)
    golden = Golden(name, **head)
    for prompt in prompts:
        for i, text in enumerate(texts):
            with torch.no_grad():
                embedding = model.encode(text, prompt_name=prompt, convert_to_tensor=True)
                before = model.prompts[prompt] if prompt else model.prompts.get(model.default_prompt_name) or ""
                before = before or ""
                features = model.preprocess([text], prompt=before or None) if before else model.preprocess([text])
                ids = features["input_ids"].reshape(-1).tolist()
                rows = None
                if states and prompt == prompts[0] and (i in STATES or len(texts) <= STATES[0] and i == len(texts) - 1):
                    rows = model.encode(text, prompt_name=prompt, output_value="token_embeddings", convert_to_tensor=True)
                    assert len(rows) == len(ids), (len(rows), len(ids))
            end = None
            raw = getattr(model.tokenizer, "backend_tokenizer", None) or getattr(model.tokenizer, "_tokenizer", None) or model.tokenizer
            if isinstance(raw, Tokenizer) and "attention_mask" in features:
                t = Tokenizer.from_str(raw.to_str())
                t.no_padding()
                t.no_truncation()
                full = t.encode(before + text)
                if len(full.ids) > len(ids):
                    t.enable_truncation(len(ids))
                    cut = t.encode(before + text)
                    assert cut.ids == ids, (name, text, cut.ids, ids)
                    end = max(0, byte_end(before + text, cut) - len(before.encode()))
                else:
                    assert full.ids == ids, (name, text, full.ids, ids)
                own = os.path.join(folder, "tokenizer.json")
                if check and os.path.exists(own):
                    t = Tokenizer.from_file(own)
                    t.no_padding()
                    t.no_truncation()
                    assert t.encode(before + text).ids == full.ids, (name, text, t.encode(before + text).ids, full.ids)
            assert not torch.isnan(embedding).any(), (name, text)
            golden.add(text, ids, embedding, prompt, end, rows)
    golden.write()


def st_files(folder, dim, max_seq=None, lower=False, normalize=True, path="", modes=("mean_tokens",)):
    """The modules that a folder of sentence-transformers has."""
    modules = [{"idx": 0, "name": "0", "path": path, "type": "sentence_transformers.models.Transformer"},
               {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
    if normalize:
        modules.append({"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})
    write(folder, "modules.json", modules)
    write(folder, "1_Pooling/config.json", pooling(dim, *modes))
    if max_seq:
        write(folder, os.path.join(path, "sentence_bert_config.json"), {"max_seq_length": max_seq, "do_lower_case": lower})


def pooling(dim, *modes):
    keys = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
    return {"word_embedding_dimension": dim, **{"pooling_mode_" + k: k in modes for k in keys}}


BERT_TOKENS = {"do_lower_case": True, "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
               "tokenize_chinese_chars": True, "strip_accents": None, "model_max_length": 64, "tokenizer_class": "BertTokenizer"}
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"}


def tokenizer_json(t, truncation=None, padding=None):
    if truncation:
        t.enable_truncation(truncation)
    if padding:
        t.enable_padding(length=padding)
    data = json.loads(t.to_str())
    t.no_padding()
    t.no_truncation()
    return data


# --- architectures ---

def bert():
    from transformers import BertConfig, BertModel
    folder = fresh("bert")
    t = wordpiece(320)
    config = BertConfig(vocab_size=t.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48, max_position_embeddings=64,
                        type_vocab_size=2, layer_norm_eps=1e-12)
    model = BertModel(config)
    state = randomize(model, 1)
    state["embeddings.position_ids"] = torch.arange(64).unsqueeze(0)
    save(folder + "/model.safetensors", state)
    write(folder, "config.json", {"architectures": ["BertModel"], "attention_probs_dropout_prob": .1, "hidden_act": "gelu", "hidden_dropout_prob": .1, "hidden_size": 32,
                                  "initializer_range": .02, "intermediate_size": 48, "layer_norm_eps": 1e-12, "max_position_embeddings": 64, "model_type": "bert",
                                  "num_attention_heads": 2, "num_hidden_layers": 2, "pad_token_id": 0, "position_embedding_type": "absolute", "type_vocab_size": 2,
                                  "vocab_size": config.vocab_size})
    # The tokenizer's own cut and padding are smaller than the context, as in MiniLM: they are not obeyed.
    write(folder, "tokenizer.json", tokenizer_json(t, 20, 20))
    write(folder, "tokenizer_config.json", BERT_TOKENS)
    st_files(folder, 32, max_seq=48)
    sentence("bert")


def bert_variants():
    base = load_file(os.path.join(OUT, "bert/model.safetensors"))
    few = [TEXTS[0], TEXTS[1], TEXTS[4], TEXTS[11]]
    plain = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
             {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]

    def variant(name, files, tensors=(), texts=few, **kwargs):
        folder = fresh(name)
        for file, data in files.items():
            write(folder, file, data)
        for file, state in dict(tensors).items():
            save(os.path.join(folder, file), state)
        sentence(name, base="bert", texts=texts, states=False, **kwargs)

    for mode in ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"):
        variant("bert-pooling-" + mode.split("_t")[0].replace("_", "-"), {"modules.json": plain, "1_Pooling/config.json": pooling(32, mode)})
    variant("bert-pooling-several", {"modules.json": plain, "1_Pooling/config.json": pooling(32, "mean_tokens", "lasttoken", "cls_token")})
    variant("bert-pooling-list", {"modules.json": plain, "1_Pooling/config.json": {"embedding_dimension": 32, "pooling_mode": ["mean", "max", "cls"], "include_prompt": True}})
    variant("bert-pooling-absent", {"modules.json": plain, "1_Pooling/config.json": {"word_embedding_dimension": 32}})
    variant("bert-no-modules", {}, without=["modules.json", "1_Pooling/config.json"])

    g = torch.Generator().manual_seed(7)
    dense = lambda o, i, bias: {"linear.weight": torch.randn(o, i, generator=g) * 1.4 / math.sqrt(i), **({"linear.bias": torch.randn(o, generator=g) * .3} if bias else {})}
    with_dense = plain + [{"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
    normal = {"idx": 3, "name": "3", "path": "3_Normalize", "type": "sentence_transformers.models.Normalize"}
    config = lambda o, bias, act: {"in_features": 32, "out_features": o, "bias": bias, "activation_function": act}
    variant("bert-dense-tanh", {"modules.json": with_dense, "2_Dense/config.json": config(40, True, "torch.nn.modules.activation.Tanh")},
            {"2_Dense/model.safetensors": dense(40, 32, True)})
    variant("bert-dense-identity", {"modules.json": with_dense + [normal], "2_Dense/config.json": config(20, False, "torch.nn.modules.linear.Identity")},
            {"2_Dense/model.safetensors": dense(20, 32, False)})
    two = with_dense + [{"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"}]
    second = config(16, True, "torch.nn.modules.linear.Identity") | {"in_features": 40}
    variant("bert-dense-two", {"modules.json": two, "2_Dense/config.json": config(40, True, "torch.nn.modules.activation.Tanh"), "3_Dense/config.json": second},
            {"2_Dense/model.safetensors": dense(40, 32, True), "3_Dense/model.safetensors": dense(16, 40, True)})
    residual = config(24, True, "torch.nn.modules.activation.Tanh") | {"use_residual": True}
    variant("bert-dense-residual", {"modules.json": with_dense, "2_Dense/config.json": residual},
            {"2_Dense/model.safetensors": dense(24, 32, True) | {"residual.weight": torch.randn(24, 32, generator=g) / 6}})

    prompts = {"prompts": {"query": "search_query: ", "document": "search_document: ", "topic": "Caf\u00e9 topic: "}, "default_prompt_name": "document", "similarity_fn_name": "cosine"}
    names = (None, "query", "document", "topic")
    variant("bert-prompts", {"config_sentence_transformers.json": prompts}, texts=few, prompts=names)
    variant("bert-prompts-no-default", {"config_sentence_transformers.json": prompts | {"default_prompt_name": None}}, texts=few[:3], prompts=(None, "query"))
    for mode in ("mean_tokens", "cls_token", "weightedmean_tokens"):
        variant("bert-prompts-excluded-" + mode.split("_")[0], {"config_sentence_transformers.json": prompts, "modules.json": plain,
                                                                "1_Pooling/config.json": pooling(32, mode) | {"include_prompt": False}}, texts=[few[0], few[2], few[3]], prompts=names)
    variant("bert-cut-6", {"sentence_bert_config.json": {"max_seq_length": 6, "do_lower_case": False}}, texts=TEXTS)
    variant("bert-truncated-dimensions", {"config_sentence_transformers.json": {"truncate_dim": 12}})

    # Half precision: what the reference computes from the values as they are stored.
    old = {}
    for k, v in base.items():
        k = "bert." + k
        old[k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")] = v
    old["cls.predictions.bias"] = torch.zeros(4)
    folder = fresh("bert-old-names")
    save(folder + "/model.safetensors", old, torch.float16)
    sentence("bert-old-names", base="bert", texts=few, states=False)
    keys = sorted(base)
    folder = fresh("bert-shards")
    total = 0
    weight_map = {}
    for i, part in enumerate((keys[::2], keys[1::2])):
        file = "model-%05d-of-00002.safetensors" % (i + 1)
        save(os.path.join(folder, file), {k: base[k] for k in part}, torch.bfloat16)
        weight_map.update({k: file for k in part})
        total += sum(base[k].numel() * 2 for k in part)
    write(folder, "model.safetensors.index.json", {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))})
    sentence("bert-shards", base="bert", without=["model.safetensors"], texts=few, states=False)
    folder = fresh("bert-nested")
    for file in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        os.makedirs(folder + "/0_Transformer", exist_ok=True)
        shutil.copy(os.path.join(OUT, "bert", file), folder + "/0_Transformer/" + file)
    save(folder + "/0_Transformer/model.safetensors", base, torch.float16)
    st_files(folder, 32, max_seq=40, path="0_Transformer")
    sentence("bert-nested", texts=few, states=False)


def roberta():
    from transformers import RobertaConfig, RobertaModel
    folder = fresh("roberta")
    t = roberta_bpe(310)
    config = RobertaConfig(vocab_size=t.get_vocab_size(), hidden_size=40, num_hidden_layers=2, num_attention_heads=5, intermediate_size=44, max_position_embeddings=66,
                           type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    state = randomize(RobertaModel(config), 2)
    # As saved by a model with a language head.
    save(folder + "/model.safetensors", {"roberta." + k: v for k, v in state.items() if not k.startswith("pooler")} | {"lm_head.bias": torch.zeros(4)})
    write(folder, "config.json", {"architectures": ["RobertaForMaskedLM"], "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1, "hidden_act": "gelu", "hidden_size": 40,
                                  "intermediate_size": 44, "layer_norm_eps": 1e-5, "max_position_embeddings": 66, "model_type": "roberta", "num_attention_heads": 5,
                                  "num_hidden_layers": 2, "type_vocab_size": 1, "vocab_size": config.vocab_size})
    write(folder, "tokenizer.json", tokenizer_json(t))
    write(folder, "tokenizer_config.json", SPECIAL | {"add_prefix_space": False, "model_max_length": 64, "tokenizer_class": "RobertaTokenizer"})
    st_files(folder, 40, normalize=False)
    sentence("roberta")
    folder = fresh("roberta-lower")
    write(folder, "sentence_bert_config.json", {"max_seq_length": 30, "do_lower_case": True})
    sentence("roberta-lower", base="roberta", texts=TEXTS[:8] + TEXTS[-1:], states=False, check=False)


def xlm_roberta():
    from transformers import XLMRobertaConfig, XLMRobertaModel
    folder = fresh("xlm-roberta")
    meta = P.Metaspace(prepend_scheme="always")
    t = unigram(300, ["<s>", "<pad>", "</s>", "<unk>"], charsmap(), "<s> $A </s>", ("<s>", "</s>"), "<mask>", P.Sequence([P.WhitespaceSplit(), meta]))
    config = XLMRobertaConfig(vocab_size=t.get_vocab_size(), hidden_size=36, num_hidden_layers=2, num_attention_heads=3, intermediate_size=64, max_position_embeddings=66,
                              type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    state = randomize(XLMRobertaModel(config, add_pooling_layer=False), 3)
    save(folder + "/model.safetensors", state, torch.float16)
    write(folder, "config.json", {"architectures": ["XLMRobertaModel"], "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1, "hidden_act": "gelu", "hidden_size": 36,
                                  "intermediate_size": 64, "layer_norm_eps": 1e-5, "max_position_embeddings": 66, "model_type": "xlm-roberta", "num_attention_heads": 3,
                                  "num_hidden_layers": 2, "type_vocab_size": 1, "vocab_size": config.vocab_size})
    write(folder, "tokenizer.json", tokenizer_json(t))
    write(folder, "tokenizer_config.json", SPECIAL | {"model_max_length": 64, "tokenizer_class": "PreTrainedTokenizerFast"})
    st_files(folder, 36, max_seq=60)
    write(folder, "config_sentence_transformers.json", {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": None})
    sentence("xlm-roberta", prompts=(None, "query"))


def distilbert():
    from transformers import DistilBertConfig, DistilBertModel
    folder = fresh("distilbert")
    t = wordpiece(310, lower=False)
    config = DistilBertConfig(vocab_size=t.get_vocab_size(), dim=32, n_layers=2, n_heads=4, hidden_dim=80, max_position_embeddings=50)
    state = randomize(DistilBertModel(config), 4)
    save(folder + "/model.safetensors", {"distilbert." + k: v for k, v in state.items()} | {"vocab_layer_norm.weight": torch.ones(4)})
    write(folder, "config.json", {"activation": "gelu", "architectures": ["DistilBertForMaskedLM"], "dim": 32, "hidden_dim": 80, "max_position_embeddings": 50,
                                  "model_type": "distilbert", "n_heads": 4, "n_layers": 2, "pad_token_id": 0, "sinusoidal_pos_embds": False, "vocab_size": config.vocab_size})
    # No tokenizer.json and no modules: the vocabulary alone, and the mean.
    vocab = sorted(t.get_vocab().items(), key=lambda kv: kv[1])
    write(folder, "vocab.txt", "".join(k + "\n" for k, _ in vocab))
    write(folder, "tokenizer_config.json", BERT_TOKENS | {"do_lower_case": False, "model_max_length": 50, "tokenizer_class": "DistilBertTokenizer"})
    sentence("distilbert")


def mpnet():
    from transformers import MPNetConfig, MPNetModel
    folder = fresh("mpnet")
    t = wordpiece(300, specials=("<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"), first="<s>", last="</s>")
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    config = MPNetConfig(vocab_size=t.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=202,
                         layer_norm_eps=1e-5, relative_attention_num_buckets=32, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    state = randomize(MPNetModel(config, add_pooling_layer=False), 5)
    save(folder + "/model.safetensors", state)
    write(folder, "config.json", {"architectures": ["MPNetForMaskedLM"], "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1, "hidden_act": "gelu", "hidden_size": 32,
                                  "intermediate_size": 64, "layer_norm_eps": 1e-5, "max_position_embeddings": 202, "model_type": "mpnet", "num_attention_heads": 4,
                                  "num_hidden_layers": 2, "relative_attention_num_buckets": 32, "vocab_size": config.vocab_size})
    write(folder, "tokenizer.json", tokenizer_json(t, 16))
    write(folder, "tokenizer_config.json", {"do_lower_case": True, "bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>", "unk_token": "[UNK]",
                                            "pad_token": "<pad>", "mask_token": "<mask>", "model_max_length": 512, "tokenizer_class": "MPNetTokenizer"})
    st_files(folder, 32, max_seq=190)
    middle = " ".join(LONG.split(" ")[:45])
    sentence("mpnet", texts=TEXTS + [middle, LONG + LONG])


def modernbert():
    from transformers import ModernBertConfig, ModernBertModel
    folder = fresh("modernbert")
    t = modernbert_bpe(290)
    ids = {k: t.token_to_id(k) for k in ("[CLS]", "[SEP]", "[PAD]")}
    keys = {"vocab_size": t.get_vocab_size(), "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 3, "num_attention_heads": 2, "max_position_embeddings": 160,
            "local_attention": 16, "global_attn_every_n_layers": 2, "norm_eps": 1e-5, "pad_token_id": ids["[PAD]"], "cls_token_id": ids["[CLS]"],
            "sep_token_id": ids["[SEP]"], "bos_token_id": ids["[CLS]"], "eos_token_id": ids["[SEP]"]}
    config = ModernBertConfig(**keys, global_rope_theta=160000.0, local_rope_theta=10000.0)
    config.rope_parameters = {"full_attention": {"rope_type": "default", "rope_theta": 700.0}, "sliding_attention": {"rope_type": "default", "rope_theta": 30.0}}
    state = randomize(ModernBertModel(config), 6)
    save(folder + "/model.safetensors", {"model." + k: v for k, v in state.items()} | {"decoder.bias": torch.zeros(4)})
    # The keys of version 4. Small thetas: in texts this short, they make a difference.
    write(folder, "config.json", {"architectures": ["ModernBertForMaskedLM"], "model_type": "modernbert", "hidden_activation": "gelu", "global_rope_theta": 700.0,
                                  "local_rope_theta": 30.0, "norm_bias": False, "attention_bias": False, "mlp_bias": False, **keys})
    write(folder, "tokenizer.json", tokenizer_json(t))
    write(folder, "tokenizer_config.json", {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "mask_token": "[MASK]", "unk_token": "[UNK]", "model_max_length": 120,
                                            "tokenizer_class": "PreTrainedTokenizerFast"})
    st_files(folder, 32, normalize=False)
    sentence("modernbert", texts=TEXTS + [" ".join(LONG.split(" ")[:30])])
    # The keys of version 5, with layers of its own choice.
    folder = fresh("modernbert-keys")
    new = {k: v for k, v in keys.items() if k != "global_attn_every_n_layers"}
    write(folder, "config.json", {"architectures": ["ModernBertModel"], "model_type": "modernbert", "hidden_activation": "gelu", "norm_bias": False, "attention_bias": False, "mlp_bias": False,
                                  "layer_types": ["sliding_attention", "sliding_attention", "full_attention"], "rope_parameters": config.rope_parameters, **new})
    sentence("modernbert-keys", base="modernbert", texts=[TEXTS[0], TEXTS[4], TEXTS[11]], states=False)


def nomic():
    """nomic_bert as transformers has it, in the names of the original files."""
    from transformers import NomicBertConfig, NomicBertModel
    folder = fresh("nomic-native")
    t = wordpiece(280)
    config = NomicBertConfig(vocab_size=t.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, head_dim=16, intermediate_size=48, max_position_embeddings=128,
                             rope_parameters={"rope_type": "default", "rope_theta": 1000.0})
    state = randomize(NomicBertModel(config), 8)
    save(folder + "/model.safetensors", state)
    write(folder, "config.json", {"architectures": ["NomicBertModel"], "model_type": "nomic_bert", "hidden_act": "silu", "hidden_size": 32, "intermediate_size": 48, "head_dim": 16,
                                  "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 128, "layer_norm_eps": 1e-12, "pad_token_id": 0, "type_vocab_size": 2,
                                  "rope_parameters": {"rope_type": "default", "rope_theta": 1000.0}, "vocab_size": config.vocab_size})
    write(folder, "tokenizer.json", tokenizer_json(t))
    write(folder, "tokenizer_config.json", BERT_TOKENS | {"model_max_length": 128})
    st_files(folder, 32, max_seq=100)
    sentence("nomic-native")


def contrastors():
    """nomic_bert by its authors' code."""
    from nomic_hf.configuration_hf_nomic_bert import NomicBertConfig
    from nomic_hf.modeling_hf_nomic_bert import NomicBertModel
    # Transformers no longer has this; each text stands alone here, so the mask hides nothing.
    NomicBertModel.get_extended_attention_mask = lambda self, mask, shape: torch.zeros(1, 1, 1, shape[1], dtype=torch.float64)
    t = wordpiece(230)
    folders = {
        # As v1.5. The inner width is rounded up to 256 by the reference, so there is one layer.
        "nomic-swiglu": dict(n_layer=1, n_inner=200, activation_function="swiglu", qkv_proj_bias=False, mlp_fc1_bias=False, mlp_fc2_bias=False, rotary_emb_base=1000),
        "nomic-plain": dict(n_layer=2, n_inner=64, activation_function="gelu", qkv_proj_bias=True, mlp_fc1_bias=True, mlp_fc2_bias=True, rotary_emb_base=10000),
    }
    for name, own in folders.items():
        folder = fresh(name)
        keys = dict(vocab_size=t.get_vocab_size(), n_embd=32, n_head=2, n_positions=128, layer_norm_epsilon=1e-12, rotary_emb_fraction=1.0, rotary_emb_interleaved=False,
                    rotary_emb_scale_base=None, prenorm=False, max_trained_positions=128, rotary_scaling_factor=None, type_vocab_size=2, use_rms_norm=False, causal=False,
                    pad_vocab_size_multiple=1, use_flash_attn=False, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0, **own)
        model = NomicBertModel(NomicBertConfig(**keys), add_pooling_layer=False)
        state = randomize(model, 9)
        save(folder + "/model.safetensors", state)
        write(folder, "config.json", {"architectures": ["NomicBertModel"], "model_type": "nomic_bert", **keys})
        write(folder, "tokenizer.json", tokenizer_json(t))
        write(folder, "tokenizer_config.json", BERT_TOKENS | {"model_max_length": 128})
        st_files(folder, 32, max_seq=100, normalize=False)
        scaled = dict(keys, rotary_scaling_factor=2, max_trained_positions=16)
        for out, these, texts in ((name, keys, TEXTS), (name + "-scaled", scaled, [TEXTS[0], TEXTS[4], TEXTS[11]])):
            if out != name and name == "nomic-plain":
                continue
            head = {"reference": "contrastors 613ddfd, torch %s, float64" % torch.__version__.split("+")[0]}
            if out != name:
                head["base"] = name
                write(fresh(out), "config.json", {"architectures": ["NomicBertModel"], "model_type": "nomic_bert", **these})
            model = NomicBertModel(NomicBertConfig(**these), add_pooling_layer=False)
            model.load_state_dict(state)
            model.double().eval()
            golden = Golden(out, **head)
            t.enable_truncation(100)
            for i, text in enumerate(texts):
                encoding = t.encode(text)
                with torch.no_grad():
                    x = torch.tensor([encoding.ids])
                    rows = model(x, attention_mask=torch.ones_like(x)).last_hidden_state[0]
                golden.add(text, encoding.ids, rows.mean(0), end=byte_end(text, encoding) if encoding.overflowing else None, states=rows if i in STATES and out == name else None)
            t.no_truncation()
            golden.write()


def static():
    from model2vec import StaticModel
    g = np.random.default_rng(11)
    t = wordpiece(300)
    t.post_processor = template("[CLS] $A [SEP]", t, ("[CLS]", "[SEP]"))
    vocab = t.get_vocab_size()
    very_long = LONG + " " + LONG + " " + LONG  # over 512 tokens

    def made(name, embeddings, normalize, weights=None, mapping=None):
        folder = fresh(name)
        state = {"embeddings": torch.tensor(embeddings)}
        if weights is not None:
            state["weights"] = torch.tensor(weights)
        if mapping is not None:
            state["mapping"] = torch.tensor(mapping)
        save_file(state, folder + "/model.safetensors", metadata={"format": "pt"})
        config = {"model_type": "model2vec", "architectures": ["StaticModel"], "tokenizer_name": "bert", "apply_pca": 24, "apply_zipf": True, "hidden_dim": 24, "seq_length": 1000000}
        if normalize is not None:
            config["normalize"] = normalize
        write(folder, "config.json", config)
        write(folder, "tokenizer.json", tokenizer_json(t))
        modules = [{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}]
        if normalize:
            modules.append({"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"})
        write(folder, "modules.json", modules)
        model = StaticModel.from_pretrained(whole(name), force_download=False)
        model.embedding = model.embedding.astype(np.float32)  # sums of 16 bits are the reference's, and no one else's
        golden = Golden(name, reference="model2vec 0.10.0, float32")
        for text in TEXTS + [very_long]:
            m = 512 * model.median_token_length
            model._set_max_length_in_tokenizer(512)
            ids = model.tokenize([text[:m]])[0]
            golden.add(text, ids, model.encode(text))
        golden.write()

    made("model2vec", g.standard_normal((vocab, 24)).astype(np.float32), True)
    made("model2vec-f16", g.standard_normal((vocab, 24)).astype(np.float16), False)
    clusters = 40
    made("model2vec-quantized", g.standard_normal((clusters, 24)).astype(np.float32), None, weights=(g.random(vocab) + .2).astype(np.float64),
         mapping=g.integers(0, clusters, vocab).astype(np.int64))

    # sentence-transformers' own: the unknown token counts, and nothing is cut.
    folder = fresh("static")
    os.makedirs(folder + "/0_StaticEmbedding")
    save_file({"embedding.weight": torch.tensor(g.standard_normal((vocab, 28)).astype(np.float32))}, folder + "/0_StaticEmbedding/model.safetensors", metadata={"format": "pt"})
    write(folder, "0_StaticEmbedding/tokenizer.json", tokenizer_json(t))
    write(folder, "modules.json", [{"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": "sentence_transformers.models.StaticEmbedding"},
                                   {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}])
    sentence("static", texts=TEXTS + [very_long], states=False)

    folder = fresh("wordllama")
    from wordllama.inference import WordLlamaInference
    with open(os.path.join(HERE, "../../tokenizer/testdata/llama2.json"), encoding="utf-8") as f:
        llama = Tokenizer.from_str(f.read())
    weights = g.standard_normal((llama.get_vocab_size() - 6, 16)).astype(np.float16)  # the last ids are clipped
    save_file({"embedding.weight": torch.tensor(weights)}, folder + "/l2_supercat_256.safetensors")
    write(folder, "l2_supercat_tokenizer_config.json", json.loads(llama.to_str()))
    model = WordLlamaInference(weights, llama)
    golden = Golden("wordllama", reference="wordllama 0.4.0.post1, float32")
    for text in TEXTS:
        ids = np.clip(np.array(model.tokenize([text])[0].ids), 0, len(weights) - 1).astype(int)
        embedding = model.embed(text)[0] if len(ids) else np.zeros(16)
        golden.add(text, ids, embedding)
    golden.write()


# --- pictures ---

MEDIA = os.path.join(HERE, "../../../testdata/media/images")
# Without alpha, orientation or 16 bits: there decoders do not agree with one another.
PICTURES = ["rgb-8.png", "gray-8.png", "palette-8.png", "baseline-2x2.jpg", "dot.png", "small.jpg"]


def picture(name):
    from PIL import Image
    return Image.open(os.path.join(MEDIA, name)).convert("RGB")


def uncut(pixels, mean, std):
    """The bytes of a prepared picture before they were scaled and normalised."""
    values = pixels[0].double().permute(1, 2, 0) * torch.tensor(std, dtype=torch.float64) + torch.tensor(mean, dtype=torch.float64)
    return (values * 255).round().to(torch.uint8).numpy().tobytes()


def add_picture(golden, name, pixels, mean, std, embedding, rows=None):
    case = {"picture": name, "crop": binascii.crc32(uncut(pixels, mean, std)), "embedding": numbers(embedding)}
    if rows is not None:
        case["rows"] = len(rows)
        case["states"] = numbers(rows)
    golden.data.setdefault("pictures", []).append(case)


def unit(v):
    return v / v.norm()


def clip():
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel
    t = clip_bpe(560)
    end = t.token_to_id("<|endoftext|>")
    mean, std = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
    text = {"vocab_size": t.get_vocab_size(), "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 40,
            "projection_dim": 28, "bos_token_id": t.token_to_id("<|startoftext|>"), "eos_token_id": 2}
    vision = {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 24, "patch_size": 8, "projection_dim": 28}
    for name, text_more, vision_more, dtype in (("clip", {}, {}, torch.float16), ("clip-gelu", {"hidden_act": "gelu", "eos_token_id": end}, {"hidden_act": "gelu"}, None)):
        folder = fresh(name)
        text_config, vision_config = dict(text, **text_more), dict(vision, **vision_more)
        config = {"architectures": ["CLIPModel"], "model_type": "clip", "projection_dim": 28, "logit_scale_init_value": 2.6592, "text_config": text_config, "vision_config": vision_config}
        write(folder, "config.json", config)
        if dtype:
            model = CLIPModel(CLIPConfig(text_config=text_config, vision_config=vision_config, projection_dim=28))
            save(folder + "/model.safetensors", randomize(model, 12), dtype)
            write(folder, "tokenizer.json", tokenizer_json(t))
            write(folder, "tokenizer_config.json", {"bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>", "pad_token": "<|endoftext|>",
                                                    "model_max_length": 40, "tokenizer_class": "CLIPTokenizer"})
            write(folder, "preprocessor_config.json", {"crop_size": 24, "do_center_crop": True, "do_normalize": True, "do_resize": True, "feature_extractor_type": "CLIPFeatureExtractor",
                                                       "image_mean": mean, "image_std": std, "resample": 3, "size": 24})
        else:
            # A squashed picture, by another filter.
            write(folder, "preprocessor_config.json", {"do_center_crop": False, "do_normalize": True, "do_resize": True, "do_rescale": True, "rescale_factor": 1 / 255, "do_convert_rgb": True,
                                                       "image_processor_type": "CLIPImageProcessor", "image_mean": mean, "image_std": std, "resample": 2, "size": {"height": 24, "width": 24}})
        full = whole(name, None if dtype else "clip")
        model = CLIPModel.from_pretrained(full, dtype=torch.float32).double().eval()
        golden = Golden(name, reference=versions(), **({} if dtype else {"base": "clip"}))
        t.enable_truncation(40)
        for i, value in enumerate(TEXTS):
            e = t.encode(value)
            with torch.no_grad():
                x = torch.tensor([e.ids])
                out = model.text_model(x, attention_mask=torch.ones_like(x))
                embedding = unit(model.text_projection(out.pooler_output)[0])
            golden.add(value, e.ids, embedding, end=byte_end(value, e) if e.overflowing else None, states=out.last_hidden_state[0] if i in STATES and dtype else None)
        t.no_truncation()
        processor = CLIPImageProcessorPil.from_pretrained(full)
        for i, file in enumerate(PICTURES):
            pixels = processor(picture(file), return_tensors="pt")["pixel_values"]
            with torch.no_grad():
                out = model.vision_model(pixels.double())
                add_picture(golden, file, pixels, mean, std, unit(model.visual_projection(out.pooler_output)[0]), out.last_hidden_state[0] if i == 0 and dtype else None)
        golden.write()


def siglip():
    from transformers import SiglipConfig, SiglipImageProcessorPil, SiglipModel
    folder = fresh("siglip")
    marks = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
    normalizer = N.Sequence([N.Lowercase(), N.Replace(Regex(marks), ""), N.Replace(Regex(r"\s+"), " "), N.Strip(), charsmap()])
    t = unigram(260, ["<pad>", "</s>", "<unk>"], normalizer, "$A </s>", ["</s>"])
    text = {"vocab_size": t.get_vocab_size(), "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 24,
            "hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6, "projection_size": 32, "pad_token_id": 1, "bos_token_id": 49406, "eos_token_id": 49407}
    vision = {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 24, "patch_size": 8}
    model = SiglipModel(SiglipConfig(text_config=dict(text, eos_token_id=1, bos_token_id=1), vision_config=vision))
    save(folder + "/model.safetensors", randomize(model, 13), torch.float16)
    write(folder, "config.json", {"architectures": ["SiglipModel"], "model_type": "siglip", "text_config": {k: v for k, v in text.items() if "act" not in k and "eps" not in k}, "vision_config": vision})
    write(folder, "tokenizer.json", tokenizer_json(t))
    write(folder, "tokenizer_config.json", {"do_lower_case": True, "eos_token": "</s>", "pad_token": "</s>", "unk_token": "<unk>", "model_max_length": 24, "model_input_names": ["input_ids"],
                                            "tokenizer_class": "SiglipTokenizer"})
    half = [.5, .5, .5]
    write(folder, "preprocessor_config.json", {"do_normalize": True, "do_rescale": True, "do_resize": True, "image_mean": half, "image_processor_type": "SiglipImageProcessor", "image_std": half,
                                               "processor_class": "SiglipProcessor", "resample": 3, "rescale_factor": 0.00392156862745098, "size": {"height": 24, "width": 24}})
    full = whole("siglip")
    model = SiglipModel.from_pretrained(full, dtype=torch.float32).double().eval()
    golden = Golden("siglip", reference=versions())
    for i, value in enumerate(TEXTS):
        t.enable_truncation(24)
        t.enable_padding(length=24, pad_id=1, pad_token="</s>")
        e = t.encode(value)
        with torch.no_grad():
            out = model.text_model(torch.tensor([e.ids]))
        golden.add(value, e.ids, unit(out.pooler_output[0]), end=byte_end(value, e) if e.overflowing else None, states=out.last_hidden_state[0] if i in STATES else None)
    processor = SiglipImageProcessorPil.from_pretrained(full)
    for i, file in enumerate(PICTURES):
        pixels = processor(picture(file), return_tensors="pt")["pixel_values"]
        with torch.no_grad():
            out = model.vision_model(pixels.double())
        add_picture(golden, file, pixels, half, half, unit(out.pooler_output[0]), out.last_hidden_state[0] if i == 0 else None)
    golden.write()


def siglip_pieces():
    """SigLIP's folder as Google wrote it: a model of SentencePiece, and no tokenizer.json."""
    import io
    import sentencepiece
    from transformers import AutoTokenizer, SiglipModel
    folder = fresh("siglip-pieces")
    out = io.BytesIO()
    with open(os.path.join(OUT, "siglip/config.json")) as f:
        vocabulary = json.load(f)["text_config"]["vocab_size"]
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=out, vocab_size=vocabulary - 20, minloglevel=2, hard_vocab_limit=False, character_coverage=.98,
                                             normalization_rule_name="identity", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    with open(folder + "/spiece.model", "wb") as f:
        f.write(out.getvalue())
    full = whole("siglip-pieces", "siglip", ["tokenizer.json"])
    t = AutoTokenizer.from_pretrained(full)
    model = SiglipModel.from_pretrained(full, dtype=torch.float32).double().eval()
    golden = Golden("siglip-pieces", reference=versions(), base="siglip", without=["tokenizer.json"])
    for i, value in enumerate(TEXTS):
        ids = t(value, max_length=24, padding="max_length", truncation=True)["input_ids"]
        if len(t(value)["input_ids"]) > 24:
            continue  # a slow tokenizer does not say where a text is cut
        with torch.no_grad():
            out = model.text_model(torch.tensor([ids]))
        golden.add(value, ids, unit(out.pooler_output[0]), states=out.last_hidden_state[0] if i == 3 else None)
    golden.write()


# Transparent pictures, which the processors lay over white.
TRANSPARENT = ["rgb-alpha-8.png", "gray-alpha-8.png", "rgb-8-transparent.png", "palette-transparent.png"]


def vision():
    """Towers of pictures alone."""
    from PIL import Image
    from transformers import (CLIPImageProcessorPil, CLIPVisionConfig, CLIPVisionModel, CLIPVisionModelWithProjection, SiglipImageProcessorPil, SiglipVisionConfig,
                              SiglipVisionModel)
    sizes = {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 24, "patch_size": 8}
    mean, std = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
    half = [.5, .5, .5]
    for name, cls, config, seed in (("clip-vision", CLIPVisionModel, CLIPVisionConfig(**sizes), 16), ("clip-vision-projected", CLIPVisionModelWithProjection, CLIPVisionConfig(**sizes, projection_dim=28), 17),
                                    ("siglip-vision", SiglipVisionModel, SiglipVisionConfig(**sizes), 18)):
        folder = fresh(name)
        siglip = name.startswith("siglip")
        save(folder + "/model.safetensors", randomize(cls(config), seed), torch.float16)
        write(folder, "config.json", dict(sizes, architectures=[cls.__name__], model_type=config.model_type, **({} if siglip else {"projection_dim": config.projection_dim})))
        if siglip:
            mean, std, size, kind, processor = half, half, {"height": 24, "width": 24}, "SiglipImageProcessor", SiglipImageProcessorPil
        else:
            size, kind, processor = {"shortest_edge": 24}, "CLIPImageProcessor", CLIPImageProcessorPil
        write(folder, "preprocessor_config.json", dict({} if siglip else {"crop_size": {"height": 24, "width": 24}, "do_center_crop": True}, do_convert_rgb=True, do_normalize=True, do_rescale=True,
                                                       do_resize=True, image_mean=mean, image_std=std, image_processor_type=kind, resample=3, rescale_factor=1 / 255, size=size))
        full = whole(name)
        model = cls.from_pretrained(full, dtype=torch.float32).double().eval()
        golden = Golden(name, reference=versions())
        processor = processor.from_pretrained(full)
        for i, file in enumerate(PICTURES + TRANSPARENT):
            pixels = processor(picture(file) if file in PICTURES else Image.open(os.path.join(MEDIA, file)), return_tensors="pt")["pixel_values"]
            with torch.no_grad():
                out = model(pixels.double())
            embedding = out.image_embeds if "projected" in name else out.pooler_output
            add_picture(golden, file, pixels, mean, std, embedding[0] if name == "clip-vision" else unit(embedding[0]), out.last_hidden_state[0] if i == 0 else None)
        golden.write()


def uform():
    from uform.torch_encoders import ImageEncoder, TextEncoder
    from uform.torch_processors import ImageProcessor, TextProcessor
    mean, std = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
    meta = P.Sequence([P.WhitespaceSplit(), P.Metaspace(prepend_scheme="always")])
    tokenizers = {"uform": wordpiece(260), "uform-multilingual": unigram(260, ["<s>", "<pad>", "</s>", "<unk>"], charsmap(), "<s> $A </s>", ("<s>", "</s>"), "<mask>", meta)}
    for name, t in tokenizers.items():
        english = name == "uform"
        folder = fresh(name)
        text = {"model_type": "bert" if english else "roberta", "dim": 24, "context_dim": 24 if english else 20, "vocab_size": t.get_vocab_size(), "padding_idx": 0 if english else 1,
                "num_layers": 3 if english else 2, "num_heads": 2, "embedding_dim": 20, "multimodal_layers_ids": [1] if english else [], "head_one_neuron": not english,
                "pooling": "cls" if english else "mean", "max_position_embeddings": 40 if english else 42}
        image = {"dim": 24, "patch_size": 8, "image_size": 24, "num_layers": 2, "num_heads": 2, "embedding_dim": 20, "pooling": "cls" if english else "mean",
                 "num_reg_tokens": 0 if english else 2, "normalization_means": mean, "normalization_deviations": std}
        write(folder, "config.json", {"text_encoder": text, "image_encoder": image})
        write(folder, "tokenizer.json", tokenizer_json(t))
        encoders = {}
        for kind, part, config, cls in (("text_encoder", 14, text, TextEncoder), ("image_encoder", 15, image, ImageEncoder)):
            fields = {k: v for k, v in config.items() if k in cls.__dataclass_fields__}
            state = randomize(cls(**fields), part)
            path = folder + "/" + kind + ".safetensors"
            save(path, state, torch.bfloat16)
            encoders[kind] = cls.from_pretrained(config, {k: v.float() for k, v in load_file(path).items()}).double().eval()
        golden = Golden(name, reference="uform 3.1.3, torch %s, float64" % torch.__version__.split("+")[0])
        processor = TextProcessor(folder + "/config.json", folder + "/tokenizer.json")
        # The positions of "roberta" begin after padding_idx. The reference fails on longer texts.
        processor._max_seq_len = 40
        for i, value in enumerate(TEXTS):
            inputs = processor(value)
            count = int(inputs["attention_mask"].sum())
            with torch.no_grad():
                rows, embedding = encoders["text_encoder"](dict(inputs), return_features=True)
            e = t.encode(value)
            cut = len(e.ids) > count
            ends = [b for (a, b), s in list(zip(e.offsets, e.special_tokens_mask))[:count] if not s]
            golden.add(value, inputs["input_ids"][0][:count].tolist(), embedding[0], end=len(value[:max(ends)].encode()) if cut else None,
                       states=rows[0][:count] if i in STATES else None)
        processor = ImageProcessor(folder + "/config.json")
        for i, file in enumerate(PICTURES):
            pixels = processor(picture(file))["images"]
            with torch.no_grad():
                rows, embedding = encoders["image_encoder"](pixels.double(), return_features=True)
            add_picture(golden, file, pixels, mean, std, embedding[0], rows[0] if i == 0 else None)
        golden.write()


MAKERS = [bert, bert_variants, roberta, xlm_roberta, distilbert, mpnet, modernbert, nomic, contrastors, static, clip, siglip, siglip_pieces, vision, uform]

if __name__ == "__main__":
    for maker in MAKERS:
        if not ONLY or maker.__name__ in ONLY:
            maker()
