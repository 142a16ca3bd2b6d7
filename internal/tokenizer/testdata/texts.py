"""The texts that tokenizers are compared on. Each maker is deterministic."""
import random

HOSTILE = [
    "", " ", "  ", "\n", "\t\t", "a", "A", ".", "...", "!?", "don't we'll they're I'm it'd I've you's 'S 'LL 'Re",
    "Caf\u00e9 cafe\u0301 CAF\u00c9 CAFE\u0301 \u00c5ngstr\u00f6m \u212bngstr\u00f6m", "na\u00efve r\u00e9sum\u00e9 \u1e9e\u00df",
    "\u0130stanbul I\u0307 \u0131 \u01c5 \u01f0 \u0149", "\u03a3\u03a3\u03a3 \u03c3\u03c2 \u1f88 \u1fb3 \u1f71 \u03ac",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \u30ab\u3099 \uff76\uff9e", "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab \u1112\u1161",
    "\U00020000\U0002a6df\U0002b820\U0002b91f\U0002b920\U0002ceaf\U0002ceb0\U0002f800", "\uf900\ufa0e\ufaff",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u0645\u064f\u0634\u064e\u0643\u064e\u0651\u0644", "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd", "\u202eRTL\u202c \u200fx\u200e",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0915\u094d\u0937 \u0915\u094d\u200d\u0937", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 \u0e01\u0e33", "\u09c7\u09be \u0b47\u0b57 \u1025\u102e",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1ea \U0001f44d\U0001f3fd \u2764\ufe0f 1\ufe0f\u20e3",
    "\u0000", "a\u0000b", "\u0001\u0002\u007f\u0080\u009f", "\ufeffBOM", "a\u00a0b\u2003c\u2028d\u2029e\u3000f\u200bg\u00adh\u180ei\u0085j\u205fk\u1680l",
    "\ufffd\ufffe\uffff\ue000\uf8ff\U000f0000\U0010ffff", "\ufb01\ufb02 \u00bd \u00b2 \u2460 \u33a5 \uff21\uff22 \u2163 \u210c \u017f \u1e9b\u0323",
    "e\u0301\u0302\u0303\u0304\u0305\u0327\u0328\u0345", "\u0301\u0302", "a\u0327\u0301 a\u0301\u0327 q\u0307\u0323 q\u0323\u0307", "a" + "\u0301" * 100, "\u0344\u0958\u2126\u212a",
    "x" * 99, "x" * 100, "x" * 101, "\u00e9" * 100, "\u00e9" * 101, "pneumonoultramicroscopicsilicovolcanoconiosis", "ab" * 500, "the" * 300, "1234567890" * 30,
    " " * 200, "a" + " " * 50 + "b", "\n\n\n  \n a\r\n\r\nb  \t c ", "foo\u2581bar \u2581 \u2581\u2581x", "\u2581", "\u0120hello \u010a",
    "[CLS] [SEP] [MASK][PAD] [UNK]", "[cls] [mask]", "<s>a</s> <mask>b <pad> <unk>", "x <mask>  y", "<|startoftext|>a<|endoftext|> <|ENDOFTEXT|>", "<unk>\u00e9<unk>", "<0x0A> <0xFF>",
    "[MASK]word word[MASK] [MASK]  [MASK]", "|||IP_ADDRESS||| <|padding|>  x   y", "##ing ##a a##b", "https://example.com/a?b=c&d=%20#e user@host.tld $1,234.56 50% C++ C# 3.14e-10",
    "def f(x):\n\treturn x**2  # comment\n", "{\"a\": [1, 2, {\"b\": null}]}", "\\u0041 \\n", "\u2018quoted\u2019 \u201ctext\u201d \u2014 \u2013 \u2026", "\u00bf\u00a1 \u00a7\u00b6 \u2020 \u20ac \u00a3 \u00a5 \u20bf",
    "\u0660\u0661\u0662 \u06f1\u06f2 \u0967\u0968 \u4e00\u4e8c \u3021 \u216b \u00be", "UPPER lower MiXeD \u0391\u0392 \u0410\u0411 \u10a0 \u13a0 \uab70 \U00010400 \u2c00", "a.b,c;d:e!f?g", "_under_score__", "^~`+=<>|$",
    "yesterday Yesterday YESTERDAY ayesterday", "\u1e0a\u0323 \u1e0d\u0307", "\U0001d15e \U0001d160 \U0001d7ce", "\u302a\u302e\u302f\u3099 a\u302e\u0301", "\u0f71\u0f72 \u0f73 \u0f81", "\u1d165 \U0001d165\U0001d16d",
    "'\u017f '\u017fx '", "it's It'S IT'S", "a\rb\r\nc", "x\u0085y", "\u1885\u1886 \u2d7f\u30fb\u1735", "\u0600\u0661 \u06dd1", "\U0001f1e6 \U0001f1e6\U0001f1e7\U0001f1e8", "\u1100\uac00\u11a8\u11a7",
]

ALPHABETS = [
    [chr(c) for c in range(0x20, 0x7F)], [chr(c) for c in range(0x80)], [chr(c) for c in range(0xA0, 0x250)],
    [chr(c) for c in range(0x300, 0x370)] + list("aeioucnsAEIOUCNS "), [chr(c) for c in range(0x370, 0x530)] + [" "],
    [chr(c) for c in range(0x590, 0x700)] + [" "], [chr(c) for c in range(0x900, 0xE00)] + [" "], [chr(c) for c in range(0x1100, 0x1200)] + ["\uac00", "\uac01", "\ud7a3", " "],
    [chr(c) for c in range(0x2000, 0x2070)] + list("ab ."), [chr(c) for c in range(0x3000, 0x3100)] + ["\u3099", "\u309a"], [chr(c) for c in range(0x4E00, 0x4E80)] + list(" ab\uff0c\u3002"),
    [chr(c) for c in range(0x1F1E6, 0x1F200)] + ["\u200d", "\ufe0f", "\U0001f468", "\U0001f469", "\U0001f3fd", "\u2764", "a"],
    list(" \t\n\r\u00a0\u2003\u3000'a1.,sltrevdm"), list("ab \u2581<>/unk[]MASKs|"), [chr(c) for c in range(0xFF00, 0xFFF0)] + [" "],
]


def random_texts(count, seed=1):
    r = random.Random(seed)
    for i in range(count):
        if i % 4 == 0:  # any code point
            n = r.randrange(1, 24)
            yield "".join(chr(c if c < 0xD800 else c + 0x800) for c in (r.randrange(0x10F800) if r.random() < .4 else r.randrange(0x3000)
                                                                        for _ in range(n)))
            continue
        parts = []
        for _ in range(r.randrange(1, 5)):
            alphabet = r.choice(ALPHABETS)
            parts += [r.choice(alphabet) for _ in range(r.randrange(1, 12))]
        yield "".join(parts)


def code_points():
    for c in range(0x110000):
        if not 0xD800 <= c <= 0xDFFF:
            yield chr(c)
