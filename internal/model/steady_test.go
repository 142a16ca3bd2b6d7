package model_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

func TestSteadyWorkAllocatesNothing(t *testing.T) {
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			m := newCheckpoint(7, config, model.BF16, model.F32).parse(t, nil)
			texts := sampleTexts(config.Context)
			embeddings, states := encodeAll(t, m, texts)
			var scratch model.Scratch
			require.Zero(t, scratch.Bytes())
			encode := func() {
				if err := m.Encode(&scratch, texts, embeddings, states, nil); err != nil {
					t.Error(err)
				}
			}
			encode()
			held := scratch.Bytes()
			require.Positive(t, held)
			require.Zero(t, testing.AllocsPerRun(5, encode))
			require.Equal(t, held, scratch.Bytes(), "the high-water mark stays")
			if config.Decoder == nil {
				return
			}
			choices, probabilities := make([][]byte, len(texts)), make([]float32, 3*len(texts))
			for i := range choices {
				choices[i] = []byte("abc")
			}
			choose := func() {
				if err := m.Choose(&scratch, texts, choices, nil, probabilities, nil); err != nil {
					t.Error(err)
				}
			}
			choose()
			require.Zero(t, testing.AllocsPerRun(5, choose))
		})
	}
}

// Texts go through the model in groups of at most 64 texts and 512 bytes, so a batch of any size
// works in the memory of a group.
func TestScratchDoesNotGrowWithTheBatch(t *testing.T) {
	for _, name := range []string{"bag with everything", "two layers"} {
		for _, length := range []int{1, 60} {
			m := newCheckpoint(7, configs[name], model.F32, model.F32).parse(t, nil)
			var held []uint64
			for _, count := range []int{min(64, 512/length), 600} {
				texts := make([][]byte, count)
				for i := range texts {
					texts[i] = bytes.Repeat([]byte("x"), length)
				}
				var scratch model.Scratch
				embeddings := make([]float32, count*int(m.Describe().EmbeddingColumns))
				require.NoError(t, m.Encode(&scratch, texts, embeddings, nil, nil))
				held = append(held, scratch.Bytes())
			}
			require.Equal(t, held[0], held[1], "%s, %d bytes a text", name, length)
		}
	}
}

// One scratch serves models of any shape in turn, and what one leaves in it does not affect the
// other.
func TestScratchServesAnyModel(t *testing.T) {
	var scratch model.Scratch
	type result struct {
		m          *model.Model
		texts      [][]byte
		embeddings []float32
	}
	var results []result
	for seed, config := range []model.Config{
		configs["three layers with everything"], configs["bytes alone"], configs["two layers"], configs["bag with everything"],
	} {
		m := newCheckpoint(uint64(seed), config, model.F32, model.F32).parse(t, nil)
		texts := sampleTexts(config.Context)
		embeddings, _ := encodeAll(t, m, texts)
		results = append(results, result{m, texts, embeddings})
	}
	for range 2 {
		for _, r := range results {
			got := make([]float32, len(r.embeddings))
			require.NoError(t, r.m.Encode(&scratch, r.texts, got, nil, nil))
			require.Equal(t, r.embeddings, got)
		}
	}
}

func TestModelServesManyGoroutines(t *testing.T) {
	c := newCheckpoint(8, configs["three layers with everything"], model.F32, model.F32)
	m := c.parse(t, nil)
	texts := sampleTexts(c.config.Context)
	want, _ := encodeAll(t, c.parse(t, nil), texts)
	done := make(chan []float32)
	for range 4 {
		go func() {
			var scratch model.Scratch
			got := make([]float32, len(want))
			if err := m.Encode(&scratch, texts, got, nil, nil); err != nil {
				t.Error(err)
			}
			done <- got
		}()
	}
	for range 4 {
		require.Equal(t, want, <-done)
	}
}

func TestStopEndsACall(t *testing.T) {
	c := newCheckpoint(9, longConfig(), model.F32, model.F32)
	m := c.parse(t, nil)
	texts := sampleTexts(c.config.Context)
	embeddings, states := encodeAll(t, m, texts)
	choices, probabilities := make([][]byte, len(texts)), make([]float32, len(texts))
	for i := range choices {
		choices[i] = []byte("a")
	}
	var scratch model.Scratch
	for name, call := range map[string]func(stop func() bool) error{
		"encode": func(stop func() bool) error { return m.Encode(&scratch, texts, embeddings, states, stop) },
		"choose": func(stop func() bool) error { return m.Choose(&scratch, texts, choices, nil, probabilities, stop) },
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			require.NoError(t, call(func() bool { asked++; return false }))
			// Once for each group, for each layer of it, and for each block of the long text's
			// queries.
			require.Greater(t, asked, 2*(1+c.config.Layers))
			for _, last := range []int{1, 2, 3, 4, asked / 2, asked - 1, asked} {
				count := 0
				err := call(func() bool { count++; return count == last })
				require.ErrorIs(t, err, errors.ErrCancelled)
				require.Equal(t, last, count, "nothing is asked after a stop")
			}
		})
	}
}

// Texts without layers also take long, in their n-grams and in their lane.
func TestStopReachesLongBags(t *testing.T) {
	config := configs["bag with everything"]
	config.Context = 1 << 20
	m := newCheckpoint(10, config, model.I8, model.F32).parse(t, nil)
	text := [][]byte{bytes.Repeat([]byte("long "), 4000)}
	asked := 0
	embedding := make([]float32, config.EmbeddingColumns())
	var scratch model.Scratch
	require.NoError(t, m.Encode(&scratch, text, embedding, nil, func() bool { asked++; return false }))
	require.Equal(t, 1+20000/4096+20000/4096, asked)
	for last := 1; last <= asked; last++ {
		count := 0
		err := m.Encode(&scratch, text, embedding, nil, func() bool { count++; return count == last })
		require.ErrorIs(t, err, errors.ErrCancelled)
	}
}

func TestOutputsOfAnotherSizeAreRefused(t *testing.T) {
	c := newCheckpoint(11, configs["bag with everything"], model.F32, model.F32)
	m := c.parse(t, nil)
	bare := newCheckpoint(11, configs["one layer"], model.F32, model.F32).parse(t, nil)
	var scratch model.Scratch
	text, one := [][]byte{[]byte("ab")}, make([]float32, 1)
	embedding, state := make([]float32, c.config.EmbeddingColumns()), make([]float32, 2*c.config.Width)
	require.NoError(t, m.Encode(&scratch, text, embedding, state, nil))
	require.ErrorIs(t, m.Encode(&scratch, text, embedding[1:], state, nil), errors.ErrInvalidArgument)
	require.ErrorIs(t, m.Encode(&scratch, text, embedding, state[1:], nil), errors.ErrInvalidArgument)
	require.NoError(t, m.Choose(&scratch, text, text[:1], nil, make([]float32, 2), nil))
	require.ErrorIs(t, m.Choose(&scratch, text, text[:1], nil, one, nil), errors.ErrInvalidArgument)
	require.ErrorIs(t, m.Choose(&scratch, text, nil, nil, nil, nil), errors.ErrInvalidArgument)
	require.ErrorIs(t, m.Choose(&scratch, text, text, []uint32{0, 0}, make([]float32, 2), nil), errors.ErrInvalidArgument)
	require.ErrorIs(t, bare.Choose(&scratch, text, text[:1], nil, make([]float32, 2), nil), errors.ErrUnsupported)
	require.NoError(t, m.Encode(&scratch, nil, nil, nil, nil), "no texts are no work")
}
