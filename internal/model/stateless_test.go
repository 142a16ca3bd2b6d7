package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/model"
)

// A projection with zero weights for states gives the same bits whether or not the states are
// requested, and the layers still compute those.
func TestEmbeddingsThatDependOnNoState(t *testing.T) {
	config := configs["two layers"]
	require.True(t, config.Skip)
	c := newCheckpoint(9, config, model.F32, model.F32)
	values := make([]float32, config.Columns*2*config.Width)
	for i := range values {
		if i%(2*config.Width) >= config.Width {
			values[i] = float32(i%7) - 3
		}
	}
	for i := range c.tensors {
		if c.tensors[i].Name == "projection" {
			c.tensors[i] = model.FloatTensor("projection", values, config.Columns, 2*config.Width)
		}
	}
	m := c.parse(t, nil)
	texts := sampleTexts(config.Context)
	with, states := encodeAll(t, m, texts)
	alone := make([]float32, len(with))
	var scratch model.Scratch
	require.NoError(t, m.Encode(&scratch, texts, alone, nil, nil))
	require.Equal(t, with, alone)

	other := newCheckpoint(9, config, model.F32, model.F32).parse(t, nil)
	_, want := encodeAll(t, other, texts)
	require.Equal(t, want, states, "the projection has no part in states")
}
