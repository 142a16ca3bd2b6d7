package tokenizer_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:be50c3628f2bf5bb\nsize 466247\n"

// Errors name the file and the place in it, say what is wrong there, and show no name of Go.
func TestWording(t *testing.T) {
	one := func(name, text string) fstest.MapFS { return fstest.MapFS{name: {Data: []byte(text)}} }
	whole := func(text string) fstest.MapFS { return one("tokenizer.json", text) }
	classed := func(class, name string) fstest.MapFS {
		files := one(name, "[UNK]\n")
		files["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(class)}
		return files
	}
	for _, c := range []struct {
		files       fstest.MapFS
		unsupported bool
		says        string
	}{
		{whole(""), false, "tokenizer.json: the JSON ends before it is complete"},
		{whole("{"), false, "tokenizer.json: the JSON ends before it is complete"},
		{whole("hello"), false, "tokenizer.json: not JSON at byte 0: 'h' where an object belongs"},
		{whole("[]"), false, "tokenizer.json: a list where an object belongs"},
		{whole(`{"model" 3}`), false, "tokenizer.json: not JSON at byte 9: '3' where a colon belongs"},
		{whole(`{"model": 3}`), false, "tokenizer.json: model: a number where an object belongs"},
		{whole(`{"version": 1}`), false, "tokenizer.json: version: a number where a string belongs"},
		{whole(`{"version": "2.0"}`), true, `tokenizer.json: version "2.0" is not supported; 1.0 is`},
		{whole("\xff"), false, "tokenizer.json: it is not UTF-8"},
		{whole(model(`"type": "Magic"`)), true, `tokenizer.json: model: the type "Magic" is not supported; BPE, Unigram and WordPiece are`},
		{whole(model(`"type": ["BPE"]`)), false, "tokenizer.json: model: type: a list where a string belongs"},
		{whole(model(`"type": "BPE", "fuse_unk": 1`)), false, "tokenizer.json: model: fuse_unk: a number where true or false belongs"},
		{whole(model(`"type": "BPE", "vocab": {"a": -1}`)), false, `tokenizer.json: model: vocab: the id of "a": "-1" where an integer of 0 or more belongs`},
		{whole(model(`"type": "BPE", "vocab": {"a": 4294967295}`)), true, `tokenizer.json: model: vocab: the id of "a" is 4294967295; at most 2147483646 is read`},
		{whole(model(`"type": "BPE", "vocab": {"a": 0}, "merges": [["a"]]`)), false, "tokenizer.json: model: merges: merge 0: a list of 1 where two belong"},
		{whole(model(`"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]`)), false, `tokenizer.json: model: merge 0: "b" is not in the vocabulary`},
		{whole(model(`"type": "BPE", "vocab": {"a": 0}, "merges": [3]`)), false, "tokenizer.json: model: merges: merge 0: a number where a string belongs"},
		{whole(model(`"type": "Unigram", "unk_id": 0, "vocab": [["a", "b"]]`)), false, `tokenizer.json: model: vocab: piece 0: "\"b\"" where a number belongs`},
		{whole(with("added_tokens", `[{"id": "x"}]`)), false, "tokenizer.json: added_tokens: token 0: id: a string where an integer belongs"},
		{whole(with("normalizer", `{"type": "Strip", "strip_left": 3}`)), false, "tokenizer.json: normalizer: strip_left: a number where true or false belongs"},
		{whole(with("normalizer", `{"type": "Uppercase"}`)), true, `tokenizer.json: normalizer: the type "Uppercase" is not supported`},
		{whole(with("normalizer", `{"type": "Prepend", "prepend": "`+strings.Repeat("x", 9<<20)+`"}`)), true, "tokenizer.json: normalizer: it has 9437218 bytes; at most 8388608 are read"},
		{whole(with("pre_tokenizer", `{"type": "Sequence", "pretokenizers": {}}`)), false, "tokenizer.json: pre_tokenizer: pretokenizers: an object where a list belongs"},
		{whole(with("post_processor", `{"type": "BertProcessing", "sep": ["a"]}`)), false, "tokenizer.json: post_processor: a list of 1 where two belong"},
		{whole(`{"other": [` + strings.Repeat("1, ", 25<<20)), true, "tokenizer.json has over 67108864 bytes, where the largest of real models have a fraction of that"},
		{whole(pointer), false, "tokenizer.json is a Git LFS pointer; fetch the file itself with git lfs pull"},
		{one("vocab.txt", pointer), false, "vocab.txt is a Git LFS pointer; fetch the file itself with git lfs pull"},
		{one("vocab.txt", "a\nb\n"), false, `vocab.txt: the unknown token "[UNK]" is not in the vocabulary`},
		{one("vocab.json", pointer), false, "vocab.json is a Git LFS pointer; fetch the file itself with git lfs pull"},
		{fstest.MapFS{"vocab.json": {Data: []byte("{}")}, "merges.txt": {Data: []byte("a b\n")}}, true,
			`tokenizer_config.json: the class "" is not supported with a vocab.json; save the tokenizer as tokenizer.json`},
		{fstest.MapFS{"vocab.json": {Data: []byte("{}")}, "merges.txt": {Data: []byte("a\n")}}, false, `merges.txt: "a" is not two pieces with a space between them`},
		{fstest.MapFS{"vocab.json": {Data: []byte("{\"\xff\": 0}")}, "merges.txt": {}}, false, "vocab.json: it is not UTF-8"},
		{classed("3", "vocab.txt"), false, "tokenizer_config.json: a number where an object belongs"},
		{classed(`{"tokenizer_class": 3}`, "vocab.txt"), false, "tokenizer_config.json: tokenizer_class: a number where a string belongs"},
		{classed(`{"tokenizer_class": "XLNetTokenizer"}`, "vocab.txt"), true, `tokenizer_config.json: the class "XLNetTokenizer" is not supported with a vocab.txt; save the tokenizer as tokenizer.json`},
		{classed(`{"tokenizer_class": "XLNetTokenizer"}`, "spiece.model"), true, `spiece.model is not supported for the class "XLNetTokenizer"; save the tokenizer as tokenizer.json`},
		{pieceFolder("XLMRobertaTokenizer", "sentencepiece.bpe.model", []byte(pointer)), false, "sentencepiece.bpe.model is a Git LFS pointer; fetch the file itself with git lfs pull"},
		{pieceFolder("XLMRobertaTokenizer", "sentencepiece.bpe.model", smallModel(2)), true, "sentencepiece.bpe.model: model_type 2 is not supported for this class; 1, unigram, is"},
	} {
		_, err := tokenizer.Load(t.Context(), c.files, ".")
		require.EqualError(t, err, c.says)
		require.Equal(t, c.unsupported, errors.Is(err, errors.ErrUnsupported), c.says)
	}

	// Parse is not told the name of the file.
	_, err := tokenizer.Parse(t.Context(), make([]byte, 64<<20+1))
	require.EqualError(t, err, "it has 67108865 bytes; at most 67108864 are read")
	_, err = tokenizer.Load(t.Context(), fstest.MapFS{}, "inner")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "inner/tokenizer.json: there is none, nor a vocab.txt, a vocab.json or a model of SentencePiece: file does not exist")
}
