package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/model"
)

// toy is a model of a folder whose tokens are words, between two special ones. Its state of a token
// depends on the token and its position, and its embedding is the mean of the states, which has no
// unit length.
type toy struct{ weights []byte }

const (
	toyContext = 8
	toyColumns = 4
)

// openToy reads a toy's folder: weights.bin is mapped, and must not be empty.
func openToy(source engine.FolderSource, kind abi.Scalar, report func(done, total uint64) bool) (engine.FolderModel, error) {
	config, err := fs.ReadFile(source, "config.json")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(config, []byte("toy")) {
		return nil, fmt.Errorf("config.json: the architecture %q: %w", config, errors.ErrUnsupported)
	}
	weights, err := source.Map("weights.bin")
	if err != nil {
		return nil, err
	}
	for done := range uint64(3) {
		if report != nil && !report(done, 2) {
			return nil, errors.New("stopped")
		}
	}
	if kind == abi.ScalarBF16 || len(weights) == 0 {
		return nil, fmt.Errorf("weights.bin: %d bytes", len(weights))
	}
	return &toy{weights}, nil
}

func (*toy) Describe() model.Description {
	return model.Description{
		Parameters: 1, EmbeddingColumns: toyColumns, StateColumns: toyColumns, Context: toyContext, Layers: 1, Heads: 1,
		Modalities: 1 << abi.ModalityText, Kind: abi.ScalarF32,
	}
}

func (*toy) Details() abi.ModelDetails {
	return abi.ModelDetails{Architecture: "toy", Tokenizer: "words", Prompts: []string{"passage", "query"}, DefaultPrompt: "query"}
}

// toyPrompts are the texts of the prompts, each a word.
var toyPrompts = map[string]string{"query": "find ", "passage": "read ", "": ""}

func (*toy) Tokenize(_ *engine.FolderScratch, dst []int32, text []byte, prompt string) (tokens []int32, covered int, err error) {
	prefix, known := toyPrompts[prompt]
	if !known {
		return nil, 0, errors.New("no such prompt")
	}
	if bytes.Contains(text, []byte("UNREADABLE")) {
		return dst, 0, errors.New("the text cannot be read")
	}
	tokens = append(dst, 1)
	add := func(text []byte) (end int) {
		for i := 0; i < len(text); {
			for i < len(text) && text[i] == ' ' {
				i++
			}
			start := i
			for i < len(text) && text[i] != ' ' {
				i++
			}
			if start == i {
				break
			}
			if len(tokens)-len(dst) == toyContext-1 {
				return end
			}
			h := fnv.New32()
			_, _ = h.Write(text[start:i])
			tokens = append(tokens, 3+int32(h.Sum32()%1000))
			end = i
		}
		return len(text)
	}
	add([]byte(prefix))
	covered = add(text)
	return append(tokens, 2), covered, nil
}

func (m *toy) Encode(_ *engine.FolderScratch, tokens []int32, lengths []int, embeddings, states []float32, stop func() bool) error {
	for item, length := range lengths {
		if stop != nil && stop() {
			return nil
		}
		mean := [toyColumns]float32{}
		for i := range length {
			for c := range toyColumns {
				value := float32(math.Sin(float64(tokens[i])*float64(c+1)+float64(i)) * float64(m.weights[0]))
				mean[c] += value / float32(length)
				if states != nil {
					states[i*toyColumns+c] = value
				}
			}
		}
		if embeddings != nil {
			copy(embeddings[item*toyColumns:], mean[:])
		}
		if states != nil {
			states = states[length*toyColumns:]
		}
		tokens = tokens[length:]
	}
	return nil
}

// toyFolder is the folder of a toy, in the system's.
func toyFolder(t testing.TB) string {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "config.json"), []byte("toy"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "weights.bin"), []byte{3}, 0o600))
	return folder
}

// newToyWorld is a world that loads toys.
func newToyWorld(t testing.TB) *world {
	w := newWorldWith(t, nil, hooks.Engine{})
	w.inside.OpenFolders(openToy)
	return w
}

func (w *world) loadFolder(folder string) abi.Model {
	var id abi.Model
	var outcome abi.Outcome
	w.ModelLoad(&abi.ModelLoad{Model: &id, Outcome: &outcome, Path: text(folder)})
	requireSuccess(w.t, &outcome)
	w.t.Cleanup(func() { w.ModelFree(id) })
	return id
}
