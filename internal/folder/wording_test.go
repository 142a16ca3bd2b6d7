package folder_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
)

// Errors name the file, say what is wrong in it, and show no name of Go. The verb and the path of
// the folder come from the caller.
func TestWording(t *testing.T) {
	const fetch = " is a Git LFS pointer; fetch the file itself with git lfs pull: malformed"
	for _, c := range []struct{ base, file, text, says string }{
		{"bert", "config.json", "", "config.json: the JSON ends before it is complete: malformed"},
		{"bert", "config.json", "[]", "config.json: a list where an object belongs: malformed"},
		{"bert", "config.json", `{"model_type": 3}`, "config.json: model_type: 3 where a string belongs: malformed"},
		{"bert", "config.json", "<html>", "config.json: not JSON at byte 1: invalid character '<' looking for beginning of value: malformed"},
		{"bert", "config.json", `{"model_type": "nomic_bert", "num_experts": 8, "moe_every_n_layers": 2}`,
			"config.json: moe_every_n_layers 2 of num_experts 8: a mixture of experts is not supported; nomic-embed-text v1 and v1.5 are, which have none: unsupported"},
		{"bert", "modules.json", "{}", "modules.json: an object where a list belongs: malformed"},
		{"bert", "modules.json", `[{"path": 3}]`, "modules.json: path: a number where a string belongs: malformed"},
		{"bert", "tokenizer.json", `{"model": {"type": "Magic"}}`,
			`tokenizer.json: model: the type "Magic" is not supported; BPE, Unigram and WordPiece are: unsupported`},
		{"bert", "tokenizer.json", `{"model": {"type": "BPE"}, "added_tokens": [{"id": "x"}]}`, "tokenizer.json: added_tokens: token 0: id: a string where an integer belongs: malformed"},
		{"bert", "config.json", pointer, "config.json" + fetch},
		{"bert", "modules.json", pointer, "modules.json" + fetch},
		{"bert", "tokenizer.json", pointer, "tokenizer.json" + fetch},
		{"bert", "model.safetensors", pointer, "model.safetensors" + fetch},
		{"bert-shards", "model-00002-of-00002.safetensors", pointer, "model-00002-of-00002.safetensors" + fetch},
		{"bert-shards", "model.safetensors.index.json", pointer, "model.safetensors.index.json" + fetch},
		{"wordllama", "l2_supercat_256.safetensors", pointer, "l2_supercat_256.safetensors" + fetch},
		{"wordllama", "l2_supercat_tokenizer_config.json", pointer, "l2_supercat_tokenizer_config.json" + fetch},
		{"wordllama", "l2_supercat_tokenizer_config.json", "{}", "l2_supercat_tokenizer_config.json: model: it is missing: malformed"},
		{"clip", "preprocessor_config.json", pointer, "preprocessor_config.json" + fetch},
	} {
		files, _ := goldenFolder(t, c.base)
		require.Contains(t, files, c.file)
		files[c.file] = &fstest.MapFile{Data: []byte(c.text)}
		_, err := folder.Open(folder.Files(files), nil)
		require.EqualError(t, err, c.says)
	}
	files, _ := goldenFolder(t, "bert")
	delete(files, "tokenizer.json")
	files["vocab.txt"] = &fstest.MapFile{Data: []byte(pointer)}
	_, err := folder.Open(folder.Files(files), nil)
	require.EqualError(t, err, "vocab.txt"+fetch)
	delete(files, "vocab.txt")
	_, err = folder.Open(folder.Files(files), nil)
	require.EqualError(t, err, "tokenizer.json: there is none, nor a vocab.txt, a vocab.json or a model of SentencePiece: file does not exist: io")
	files["vocab.json"] = &fstest.MapFile{Data: []byte("{}")}
	_, err = folder.Open(folder.Files(files), nil)
	require.EqualError(t, err, "open merges.txt: file does not exist: io")
	files, _ = goldenFolder(t, "wordllama")
	delete(files, "l2_supercat_tokenizer_config.json")
	_, err = folder.Open(folder.Files(files), nil)
	require.EqualError(t, err, "l2_supercat_tokenizer_config.json: file does not exist: io")
}

// A load is cancelled while nothing is left to do but to read a large tokenizer, and whatever makes
// a load fail ends that reading too.
func TestTheTokenizerIsCancelled(t *testing.T) {
	files, _ := goldenFolder(t, "bert")
	var tokens bytes.Buffer
	tokens.WriteString(`{"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {`)
	for i := range 1 << 20 {
		fmt.Fprintf(&tokens, `"%020d": %d, `, i, i)
	}
	tokens.WriteString(`"[UNK]": 1048576}}}`)
	files["tokenizer.json"] = &fstest.MapFile{Data: tokens.Bytes()}
	before := runtime.NumGoroutine()
	begin := time.Now()
	_, err := folder.Open(folder.Files(files), nil)
	whole := time.Since(begin)
	require.ErrorIs(t, err, errors.ErrMalformed, "ids past the table")

	last, waits := -1, 0
	var asked time.Time
	_, err = folder.Open(folder.Files(files), &folder.Options{Progress: func(done, total uint64) bool {
		if int(done) > last { // of the weights
			last = int(done)
			return true
		}
		waits++
		asked = time.Now()
		return waits < 3
	}})
	t.Logf("the whole load takes %v, and ends %v after it is cancelled", whole, time.Since(asked))
	require.ErrorIs(t, err, errors.ErrCancelled)
	require.Equal(t, 3, waits)

	edit(t, files, "config.json", map[string]any{"hidden_act": "gelu_10"})
	begin = time.Now()
	_, err = folder.Open(folder.Files(files), nil)
	t.Logf("a load that fails ends after %v", time.Since(begin))
	require.ErrorIs(t, err, errors.ErrUnsupported)
	// A goroutine that has ended its work may still be counted for a moment.
	for begin = time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
		require.Less(t, time.Since(begin), time.Minute, "goroutines that still read")
	}
}
