package tokenizer_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

const wordPiece = `{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
	"vocab": {"[UNK]": 0, "a": 1, "##b": 2}}`

func with(section, content string) string {
	sections := map[string]string{"model": wordPiece}
	sections[section] = content
	var parts []string
	for name, content := range sections {
		parts = append(parts, fmt.Sprintf("%q: %s", name, content))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func model(fields string) string { return with("model", "{"+fields+"}") }

func nested(list, kind string, depth int) string {
	return strings.Repeat(`{"type": "Sequence", "`+list+`": [`, depth) + `{"type": "` + kind + `"}` + strings.Repeat("]}", depth)
}

// TestUnsupported is about what files ask for and this package lacks: the error names it.
func TestUnsupported(t *testing.T) {
	for _, row := range []struct{ file, names string }{
		{`{"version": "2.0"}`, `"2.0"`},
		{model(`"type": "WordLevel", "vocab": {}, "unk_token": "x"`), "WordLevel"},
		{model(`"type": "BPE", "dropout": 0.1, "vocab": {}, "merges": []`), "dropout"},
		{model(`"type": "Unigram", "vocab": [["a", -1]]`), "unk_id"},
		{model(`"type": "BPE", "vocab": {"a": 4294967295}, "merges": []`), "4294967295"},
		{with("normalizer", `{"type": "Uppercase"}`), "Uppercase"},
		{with("normalizer", `{"type": "Replace", "pattern": {"Regex": "a(?=b)"}, "content": ""}`), "a(?=b)"},
		{with("normalizer", `{"type": "Replace", "pattern": {"String": ""}, "content": ""}`), "empty pattern"},
		{with("normalizer", nested("normalizers", "NFC", 100)), "levels"},
		{with("pre_tokenizer", `{"type": "UnicodeScripts"}`), "UnicodeScripts"},
		{with("pre_tokenizer", `{"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": false}`), "(a+)+$"},
		{with("pre_tokenizer", `{"type": "Split", "pattern": {"Regex": "[^\\w]"}, "behavior": "Isolated", "invert": false}`), `[^\\w]`},
		{with("pre_tokenizer", `{"type": "Split", "pattern": {"Regex": "[a-z&&[b]]"}, "behavior": "Isolated", "invert": false}`), "[a-z&&[b]]"},
		{with("pre_tokenizer", `{"type": "Punctuation", "behavior": "Doubled"}`), "Doubled"},
		{with("pre_tokenizer", `{"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"}`), "last"},
		{with("pre_tokenizer", nested("pretokenizers", "Whitespace", 100)), "levels"},
		{with("post_processor", `{"type": "Other"}`), "Other"},
		{with("post_processor", `{"type": "TemplateProcessing", "single": [], "special_tokens": {}}`), "template"},
		{with("post_processor", `{"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}], "special_tokens": {}}`), "template"},
		{with("post_processor", nested("processors", "ByteLevel", 100)), "levels"},
		{with("added_tokens", `[{"content": "`+strings.Repeat("x", 5000)+`"}]`), "5000"},
		{model(`"type": "Unigram", "unk_id": 0, "vocab": [["` + strings.Repeat("x", 5000) + `", -1]]`), "5000"},
	} {
		_, err := tokenizer.Parse(t.Context(), []byte(row.file))
		require.ErrorIs(t, err, errors.ErrUnsupported, "%.200s", row.file)
		require.ErrorContains(t, err, row.names)
	}
}

// TestBroken is about files that no tokenizer can be made of.
func TestBroken(t *testing.T) {
	charsmap := func(bytes string) string {
		return with("normalizer", `{"type": "Precompiled", "precompiled_charsmap": "`+base64.StdEncoding.EncodeToString([]byte(bytes))+`"}`)
	}
	for _, file := range []string{
		"", "{}", "[]", "{", "null", "\xff", `{"model": null}`, `{"model": 3}`, model(""),
		strings.Repeat("[", 1<<20), strings.Repeat(`{"model":`, 1<<18),
		model(`"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"a": 0}`),
		model(`"type": "WordPiece", "unk_token": "a", "continuing_subword_prefix": "##", "vocab": {"a": 0}`),
		model(`"type": "WordPiece", "unk_token": "a", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"a": -1}`),
		model(`"type": "WordPiece", "unk_token": "a", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"a": 1e99}`),
		model(`"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]`),
		model(`"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b c"]`),
		model(`"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a"]]`),
		model(`"type": "BPE", "vocab": {"a": 0}, "continuing_subword_prefix": "####", "merges": [["a", "a"]]`),
		model(`"type": "Unigram", "unk_id": 3, "vocab": [["a", -1]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [["a", -1], ["a", -2]]`),
		model(`"type": "Unigram", "unk_id": -1, "vocab": [["a", -1]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [["a", -1e999]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [["a", "b"]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [["a"]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [["a", -1, 2]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [[3, -1]]`),
		model(`"type": "Unigram", "unk_id": 0, "vocab": [null]`),
		with("post_processor", `{"type": "BertProcessing", "sep": ["a"], "cls": ["a", 1]}`),
		with("added_tokens", `[{"id": 7, "content": "a"}]`),
		with("added_tokens", `[{"id": 1000000, "content": "new"}]`),
		charsmap(""), charsmap("abc"), charsmap("\xff\xff\xff\xff"), charsmap("\x00\x00\x00\x40abcd"), charsmap("\x00\x00\x00\x00"),
		charsmap("\x04\x00\x00\x00\x00\x00\x00\x00\xff"),
		with("normalizer", `{"type": "Precompiled", "precompiled_charsmap": "*"}`),
		with("post_processor", `{"type": "BertProcessing"}`),
		with("post_processor", `{"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}], "special_tokens": {}}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := tokenizer.Parse(t.Context(), []byte(file))
		require.Error(t, err, "%.200s", file)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<20), "%.200s", file)
		require.Less(t, time.Since(start), 20*time.Second, "%.200s", file)
	}
}

// TestMergesEnd is about merges that give a piece which they take: each leaves one symbol less all
// the same.
func TestMergesEnd(t *testing.T) {
	tok, err := tokenizer.Parse(t.Context(), []byte(model(`"type": "BPE", "continuing_subword_prefix": "#", "vocab": {"a": 0, "#": 1, "#a": 2, "aa": 3},
		"merges": [["a", "#"], ["a", "#a"]]`)))
	require.NoError(t, err)
	var scratch tokenizer.Scratch
	ids, _, err := tok.Encode(&scratch, nil, []byte(strings.Repeat("a", 1000)), 0)
	require.NoError(t, err)
	require.Equal(t, []int32{3}, ids[:1])
}

// TestGrowth is about steps that each make a text longer.
func TestGrowth(t *testing.T) {
	double := `{"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}`
	wide := `{"type": "Replace", "pattern": {"String": "a"}, "content": "` + strings.Repeat("b", 1<<20) + `"}`
	before := `{"type": "Prepend", "prepend": "` + strings.Repeat("b", 1<<20) + `"}`
	level := `{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}`
	for _, file := range []string{
		with("normalizer", `{"type": "Sequence", "normalizers": [`+strings.Repeat(double+",", 99)+double+`]}`),
		with("normalizer", wide), with("normalizer", before),
		with("pre_tokenizer", `{"type": "Sequence", "pretokenizers": [`+strings.Repeat(level+",", 99)+level+`]}`),
	} {
		tok, err := tokenizer.Parse(t.Context(), []byte(file))
		require.NoError(t, err)
		var scratch tokenizer.Scratch
		_, _, err = tok.Encode(&scratch, nil, []byte(strings.Repeat("aé", 1000)), 0)
		require.ErrorIs(t, err, errors.ErrUnsupported, "%.100s", file)
		_, _, err = tok.Encode(&scratch, nil, nil, 0)
		require.NoError(t, err)
	}
}

func TestTokensInText(t *testing.T) {
	var scratch tokenizer.Scratch
	// Spaces that take the spaces after them: the reference needs time of the square of their
	// count.
	tok, err := tokenizer.Parse(t.Context(), []byte(with("added_tokens", `[{"content": " ", "rstrip": true, "lstrip": true}]`)))
	require.NoError(t, err)
	ids, _, err := tok.Encode(&scratch, nil, []byte(strings.Repeat(" ", 1<<20)), 0)
	require.NoError(t, err)
	require.NotEmpty(t, ids)
	require.Equal(t, 4, tok.Size())
	id, ok := tok.ID(" ")
	require.True(t, ok)
	require.Equal(t, int32(3), id)
}

func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.json")
	require.NoError(f, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		if model := strings.Index(string(data), `"model"`); model > 0 {
			f.Add([]byte(string(data[:model]) + strings.TrimPrefix(wordPieceModel, "{")))
		}
	}
	f.Add([]byte(model(`"type": "BPE", "unk_token": "a", "byte_fallback": true, "vocab": {"a": 0, "b": 1, "ab": 2, "<0x41>": 3}, "merges": ["a b"]`)))
	f.Add([]byte(model(`"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [["a", -1], ["b", -2.5e1], ["ab", -3]]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := tokenizer.Parse(t.Context(), data)
		if err != nil {
			return
		}
		var scratch tokenizer.Scratch
		for _, text := range []string{"", "a b", "Ab 12\n<mask> e\u0301 \u4f60\u2581"} {
			ids, covered, err := tok.Encode(&scratch, nil, []byte(text), 0)
			if err != nil {
				continue
			}
			require.Equal(t, len(text), covered)
			for _, id := range ids {
				require.True(t, id >= 0 && int(id) < tok.Size(), "%d of %d", id, tok.Size())
			}
			_, _, _ = tok.Encode(&scratch, nil, []byte(text), 3)
		}
	})
}

const wordPieceModel = `{"model": ` + wordPiece + `}`
