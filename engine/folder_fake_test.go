package engine_test

import (
	"bytes"
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
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
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
func openToy(source folder.Source, options *folder.Options) (engine.FolderModel, error) {
	config, err := fs.ReadFile(source, "config.json")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errors.ErrIO)
	}
	if !bytes.Equal(config, []byte("toy")) {
		return nil, fmt.Errorf("config.json: the architecture %q: %w", config, errors.ErrUnsupported)
	}
	weights, err := source.Map("weights.bin")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errors.ErrIO)
	}
	for done := range uint64(3) {
		if options.Progress != nil && !options.Progress(done, 2) {
			return nil, errors.ErrCancelled
		}
	}
	if options.Kind == abi.ScalarBF16 || len(weights) == 0 {
		return nil, fmt.Errorf("weights.bin: %d bytes: %w", len(weights), errors.ErrMalformed)
	}
	return &toy{weights}, nil
}

func (*toy) Describe() model.Description {
	return model.Description{
		Parameters: 1, EmbeddingColumns: toyColumns, StateColumns: toyColumns, Context: toyContext, Layers: 1, Heads: 1,
		Modalities: 1 << abi.ModalityText, Kind: abi.ScalarF32,
	}
}

func (*toy) Details() folder.Details {
	return folder.Details{Architecture: "toy", Tokenizer: "words", Prompts: []string{"passage", "query"}, DefaultPrompt: "query"}
}

// toyPrompts are the texts of the prompts, each a word.
var toyPrompts = map[string]string{"": "find ", "query": "find ", "passage": "read ", folder.NoPrompt: ""}

func (*toy) Tokenize(_ *folder.Scratch, dst []int32, text []byte, prompt string) (tokens []int32, covered int, err error) {
	prefix, known := toyPrompts[prompt]
	if !known {
		return nil, 0, errors.ErrInvalidArgument
	}
	if bytes.Contains(text, []byte("UNREADABLE")) {
		return dst, 0, fmt.Errorf("the text cannot be read: %w", errors.ErrMalformed)
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

func (m *toy) Encode(_ *folder.Scratch, batch folder.Batch, embeddings, states []float32, stop func() bool) error {
	tokens, lengths := batch.IDs, batch.Lengths
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

// A toy has no pictures.
func (*toy) Image() *folder.Preprocessing { return nil }

func (*toy) EncodePictures(*folder.Scratch, *model.Patches, []float32, []float32, func() bool) error {
	return errors.ErrUnsupported
}

// toyFolder is the folder of a toy, in the system's.
func toyFolder(t testing.TB) string {
	path := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(path, "config.json"), []byte("toy"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(path, "weights.bin"), []byte{3}, 0o600))
	return path
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
