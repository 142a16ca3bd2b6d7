package train_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
)

// Steps are the same to the last bit for every spread and order of tasks.
func TestThreadsChangeNothing(t *testing.T) {
	config := mediaConfig()
	batch := batchFor(config, rand.New(rand.NewPCG(9, 9)), config.Columns)
	var want []train.Stats
	for name, spread := range map[string]train.Spread{
		"one": train.Threads(1), "two": train.Threads(2), "seven": train.Threads(7),
		"backwards": func(tasks int, task func(int)) {
			for i := range tasks {
				task(tasks - 1 - i)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			trainer, _ := start(t, config, &train.Options{Spread: spread, Memory: 1 << 16})
			var got []train.Stats
			for range 4 {
				stats, err := trainer.Step(t.Context(), batch, &train.StepOptions{Losses: allLosses})
				require.NoError(t, err)
				got = append(got, *stats)
			}
			if want == nil {
				want = got
			}
			require.Equal(t, want, got)
		})
	}
}

// A checkpoint of any architecture and any kind of storage embeds in a trainer as it does in a
// model.
func TestEmbedIsTheModels(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for i := range 30 {
		config := modeltest.Config(random)
		file, err := modeltest.Checkpoint(random, config)
		require.NoError(t, err)
		parsed, err := model.Parse(file, &model.Options{Kind: abi.ScalarF32})
		require.NoError(t, err)
		trainer, err := train.New(file, nil)
		require.NoError(t, err)
		var texts [][]byte
		var items []train.Item
		for _, text := range []string{"a cat", "", "The quick\tbrown fox — jumps over 13 lazy dogs, and over others", " ", "naïve"} {
			texts = append(texts, []byte(text)[:min(len(text), config.Context)])
			items = append(items, train.Item{Text: []byte(text)})
		}
		want := make([]float32, len(texts)*config.EmbeddingColumns())
		var scratch model.Scratch
		require.NoError(t, parsed.Encode(&scratch, texts, want, nil, nil))
		got := make([]float32, len(want))
		require.NoError(t, trainer.Embed(t.Context(), items, got))
		require.InDeltaSlice(t, want, got, 2e-5, "architecture %d: %+v", i, config)
	}
}

// AdamW matches docs/checkpoint.md, element by element: decay for matrices alone, moments with bias
// correction, a clipped gradient.
func TestUpdate(t *testing.T) {
	config := bagConfig()
	config.Lexical = nil
	options := &train.Options{Optimizer: model.Training{
		LearningRate: 0.02, WeightDecay: 0.3, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3, Clip: 0.05,
	}}
	trainer, _ := start(t, config, options)
	batch := &train.Batch{Neighbours: true, Items: []train.Item{{Text: []byte("a b")}, {Text: []byte("c")}, {Text: []byte("d")}, {Text: []byte("e")}}}
	losses := &train.Losses{Contrast: 1, Temperature: 0.2}
	const at = 3
	name := "projection"
	weight := float64(trainer.Tensor(name)[at])
	var first, second float64
	for step := 1; step <= 3; step++ {
		gradients, _, err := trainer.Gradients(t.Context(), batch, losses)
		require.NoError(t, err)
		stats, err := trainer.Step(t.Context(), batch, &train.StepOptions{Losses: losses})
		require.NoError(t, err)
		require.Greater(t, stats.GradientNorm, 0.05)
		g := float64(gradients[name][at]) * 0.05 / stats.GradientNorm
		first, second = 0.8*first+0.2*g, 0.9*second+0.1*g*g
		power := func(beta float64) float64 {
			p := 1.0
			for range step {
				p *= beta
			}
			return p
		}
		m, v := first/(1-power(0.8)), second/(1-power(0.9))
		weight = weight*(1-0.02*0.3) - 0.02*m/(sqrt(v)+1e-3)
		require.InDelta(t, weight, float64(trainer.Tensor(name)[at]), 1e-6, "step %d", step)
	}
	// A row without a gradient still decays if it is a matrix's.
	other := trainer.Tensor("grams")
	untouched := -1
	gradients, _, err := trainer.Gradients(t.Context(), batch, losses)
	require.NoError(t, err)
	for row := range config.Grams.Buckets {
		if gradients["grams"][row*config.Width] == 0 {
			untouched = row * config.Width
		}
	}
	require.GreaterOrEqual(t, untouched, 0)
	before := other[untouched]
	_, err = trainer.Step(t.Context(), batch, &train.StepOptions{Losses: losses})
	require.NoError(t, err)
	require.InDelta(t, before*(1-0.02*0.3), other[untouched], 1e-7)
}

func sqrt(v float64) float64 {
	root := v
	for range 100 {
		root = (root + v/root) / 2
	}
	return root
}

// Fresh weights depend on the seed alone, and every loss alone improves them.
func TestLearnsByEveryLoss(t *testing.T) {
	config := mediaConfig()
	again, err := train.Fresh(config, 7)
	require.NoError(t, err)
	same, err := train.Fresh(config, 7)
	require.NoError(t, err)
	require.Equal(t, again, same)
	other, err := train.Fresh(config, 8)
	require.NoError(t, err)
	require.NotEqual(t, again, other)
	for _, losses := range []train.Losses{
		{Contrast: 1, Temperature: 0.1}, {Cosine: 1}, {Similarity: 1}, {Rank: 1}, {Choice: 1}, *allLosses,
	} {
		t.Run(fmt.Sprintf("%+v", losses), func(t *testing.T) {
			trainer, _ := start(t, config, nil)
			batch := batchFor(config, rand.New(rand.NewPCG(9, 9)), config.Columns)
			var first, last float64
			for step := range 40 {
				stats, err := trainer.Step(t.Context(), batch, &train.StepOptions{LearningRate: 0.01, Losses: &losses})
				require.NoError(t, err)
				if last = stats.Loss; step == 0 {
					first = stats.Loss
				}
			}
			require.Less(t, last, 0.6*first)
		})
	}
}

func TestStepRefuses(t *testing.T) {
	trainer, _ := start(t, mediaConfig(), nil)
	for name, test := range map[string]struct {
		change  func(b *train.Batch)
		options train.StepOptions
		status  error
		item    int
	}{
		"groups":      {change: func(b *train.Batch) { b.Groups = b.Groups[1:] }, status: errors.ErrInvalidArgument, item: -1},
		"targets":     {change: func(b *train.Batch) { b.Targets = b.Targets[1:] }, status: errors.ErrInvalidArgument, item: -1},
		"a target":    {change: func(b *train.Batch) { b.Targets[3] = b.Targets[0][1:] }, status: errors.ErrShapeMismatch, item: 3},
		"zero target": {change: func(b *train.Batch) { b.Targets[4] = make([]float32, 20) }, status: errors.ErrMalformed, item: 4},
		"two widths":  {change: func(b *train.Batch) { b.Targets[4] = make84() }, status: errors.ErrShapeMismatch, item: 4},
		"another width": {change: func(b *train.Batch) {
			for i, target := range b.Targets {
				if target != nil {
					b.Targets[i] = append(target, 1)
				}
			}
		}, options: train.StepOptions{Losses: &train.Losses{Cosine: 1}}, status: errors.ErrShapeMismatch, item: 0},
		"UTF-8":      {change: func(b *train.Batch) { b.Items[1].Text = []byte("\xff") }, status: errors.ErrMalformed, item: 1},
		"a patch":    {change: func(b *train.Batch) { b.Items[7].Patches = b.Items[7].Patches[1:] }, status: errors.ErrShapeMismatch, item: 7},
		"a modality": {change: func(b *train.Batch) { b.Items[2].Modality = 9 }, status: errors.ErrUnsupported, item: 2},
		"a pair":     {change: func(b *train.Batch) { b.Pairs[0].B = 99 }, status: errors.ErrInvalidArgument, item: -1},
		"an answer":  {change: func(b *train.Batch) { b.Questions[0].Answer = 2 }, status: errors.ErrInvalidArgument, item: -1},
		"choices":    {change: func(b *train.Batch) { b.Questions[0].Choices = []byte("yy") }, status: errors.ErrInvalidArgument, item: -1},
		"a type":     {change: func(b *train.Batch) { b.Questions[0].Type = 2 }, status: errors.ErrInvalidArgument, item: -1},
		"a loss":     {options: train.StepOptions{Losses: &train.Losses{Cosine: -1}}, status: errors.ErrInvalidArgument, item: -1},
		"a rate":     {options: train.StepOptions{LearningRate: -1}, status: errors.ErrInvalidArgument, item: -1},
		"room":       {options: train.StepOptions{Embeddings: make([]float32, 3)}, status: errors.ErrInvalidArgument, item: -1},
		"nothing":    {options: train.StepOptions{Losses: &train.Losses{}}, status: errors.ErrInvalidArgument, item: 0},
	} {
		t.Run(name, func(t *testing.T) {
			batch := batchFor(mediaConfig(), rand.New(rand.NewPCG(9, 9)), 20)
			if test.change != nil {
				test.change(batch)
			}
			_, err := trainer.Step(t.Context(), batch, &test.options)
			require.ErrorIs(t, err, test.status)
			require.Equal(t, test.item, train.ItemOf(err))
		})
	}
	require.Zero(t, trainer.Steps())
	_, err := train.New([]byte("no checkpoint"), nil)
	require.ErrorIs(t, err, errors.ErrMalformed)
	var file bytes.Buffer
	require.NoError(t, trainer.Write(&file))
	_, err = train.New(file.Bytes(), &train.Options{Optimizer: model.Training{Beta1: 1}})
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	_, err = train.New(file.Bytes(), &train.Options{Memory: -1})
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
}

// make84 returns a target as wide as a whole embedding of mediaConfig.
func make84() []float32 {
	target := make([]float32, 84)
	target[0] = 1
	return target
}
