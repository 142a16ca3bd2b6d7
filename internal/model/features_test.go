package model_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
)

// The tensors that a configuration lists are those that a load looks for: with all of them it
// succeeds, and without one of them the error names it.
func TestLayoutsAreWhatALoadLooksFor(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	for range 20 {
		config := modeltest.Config(random)
		var tensors []model.Tensor
		for _, layout := range config.Layouts() {
			values := make([]float32, layout.Size())
			values[0] = 1
			tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
		}
		parse := func(tensors []model.Tensor) error {
			var file bytes.Buffer
			require.NoError(t, model.Write(&file, config, tensors))
			_, err := model.Parse(file.Bytes(), nil)
			return err
		}
		require.NoError(t, parse(tensors))
		missing := random.IntN(len(tensors))
		rest := append(append([]model.Tensor{}, tensors[:missing]...), tensors[missing+1:]...)
		require.ErrorContains(t, parse(rest), tensors[missing].Name)
	}
}

// Weights equal those of a load to f32, for every kind of storage.
func TestWeightsAreWidened(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	for range 20 {
		config := modeltest.Config(random)
		file, err := modeltest.Checkpoint(random, config)
		require.NoError(t, err)
		weights, err := model.ReadWeights(file)
		require.NoError(t, err)
		var tensors []model.Tensor
		for i, layout := range weights.Config.Layouts() {
			tensors = append(tensors, model.FloatTensor(layout.Name, weights.Tensors[i], layout.Shape()...))
		}
		var wide bytes.Buffer
		require.NoError(t, model.Write(&wide, config, tensors))
		encode := func(file []byte) []float32 {
			m, err := model.Parse(file, &model.Options{Kind: abi.ScalarF32})
			require.NoError(t, err)
			out := make([]float32, config.EmbeddingColumns())
			var scratch model.Scratch
			require.NoError(t, m.Encode(&scratch, [][]byte{[]byte("a text")}, out, nil, nil))
			return out
		}
		require.InDeltaSlice(t, encode(file), encode(wide.Bytes()), 1e-5, "rows are widened on use, multiplied and added at once")
	}
	_, err := model.ReadWeights([]byte("no checkpoint"))
	require.Error(t, err)
}

// The settings of a file are read, and those of a caller take precedence.
func TestTraining(t *testing.T) {
	config := modeltest.Config(rand.New(rand.NewPCG(13, 1)))
	config.Training = &model.Training{LearningRate: 0.5, Temperature: 0.2}
	metadata, err := config.Metadata()
	require.NoError(t, err)
	saved, err := model.ReadTraining(&model.Container{Metadata: metadata})
	require.NoError(t, err)
	require.Equal(t, config.Training, saved)
	settings, err := model.Training{LearningRate: 0.25}.Over(saved)
	require.NoError(t, err)
	require.Equal(t, model.Training{
		LearningRate: 0.25, WeightDecay: 0.01, Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, Clip: 1, Temperature: 0.2,
	}, settings)
	for _, wrong := range []model.Training{{LearningRate: -1}, {Beta2: 1}, {Clip: math.Inf(1)}, {Temperature: math.NaN()}} {
		_, err := wrong.Over(saved)
		require.Error(t, err)
	}
}
