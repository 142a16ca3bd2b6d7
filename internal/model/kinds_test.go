package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

// A model of bytes is close to the f32 one, smaller, and its results do not depend on the batch
// either.
func TestLayersOfBytes(t *testing.T) {
	config := model.Config{Modalities: []string{"text"}, Context: 600, Width: 128, Layers: 3, Heads: 2, Hidden: 500, Columns: 64}
	for _, dtype := range []model.DType{model.F32, model.I8} {
		c := newCheckpoint(31, config, dtype, model.F32)
		full, bytes := c.parse(t, &model.Options{Kind: abi.ScalarF32}), c.parse(t, &model.Options{Kind: abi.ScalarI8})
		require.Equal(t, abi.ScalarI8, bytes.Describe().Kind)
		require.Less(t, bytes.Describe().WeightsBytes, full.Describe().WeightsBytes/2)
		texts := sampleTexts(config.Context)
		want, _ := encodeAll(t, full, texts)
		got, states := encodeAll(t, bytes, texts)
		require.NotEqual(t, want, got)
		first := 0
		for i, text := range texts {
			cosine := 0.0
			for column := range config.Columns {
				cosine += float64(want[i*config.Columns+column]) * float64(got[i*config.Columns+column])
			}
			require.Greater(t, cosine, 0.999, "%q", text)
			embedding, alone := encodeAll(t, bytes, [][]byte{text})
			require.Equal(t, got[i*config.Columns:(i+1)*config.Columns], embedding)
			require.Equal(t, states[first:first+len(alone)], alone)
			first += len(alone)
		}
	}
	bag := newCheckpoint(32, configs["bag of grams"], model.BF16, model.F32)
	require.Equal(t, abi.ScalarBF16, bag.parse(t, &model.Options{Kind: abi.ScalarI8}).Describe().Kind, "there are no layers")
	want, _ := encodeAll(t, bag.parse(t, nil), sampleTexts(64))
	got, _ := encodeAll(t, bag.parse(t, &model.Options{Kind: abi.ScalarI8}), sampleTexts(64))
	require.Equal(t, want, got)
}

func TestSteadyWorkOfBytesAllocatesNothing(t *testing.T) {
	for _, config := range []model.Config{configs["two layers"], longConfig()} {
		m := newCheckpoint(33, config, model.F32, model.F32).parse(t, &model.Options{Kind: abi.ScalarI8})
		texts := sampleTexts(config.Context)
		embeddings, _ := encodeAll(t, m, texts)
		var scratch model.Scratch
		encode := func() {
			if err := m.Encode(&scratch, texts, embeddings, nil, nil); err != nil {
				t.Error(err)
			}
		}
		encode()
		held := scratch.Bytes()
		require.Zero(t, testing.AllocsPerRun(5, encode))
		require.Equal(t, held, scratch.Bytes())
	}
}
