package train_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

func textConfig() *model.Config {
	return &model.Config{
		Modalities: []string{"text"}, Context: 40, Width: 24, Layers: 2, Heads: 2, Hidden: 37, Columns: 20,
		NormEpsilon: 1e-4, RotaryBase: 300,
		Grams:   &model.Grams{Sizes: []int{1, 2, 4}, Hashes: 2, Buckets: 50, Words: true, Fold: true},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{{Name: "yes or no", InverseTemperature: 1}, {Name: "other", InverseTemperature: 1.7}}},
	}
}

func mediaConfig() *model.Config {
	config := textConfig()
	config.Modalities = []string{"text", "image", "video", "audio"}
	config.Skip = true
	config.Image = &model.Image{Side: 8, Patch: 4}
	config.Video = &model.Video{Frames: 3}
	config.Audio = &model.Audio{Rate: 8000, Window: 200, Hop: 80, Mels: 5, High: 4000, Frames: 2, Deviation: 1}
	config.Lexical = &model.Lexical{Sizes: []int{3, 4}, Buckets: 64, Columns: 64, Share: 0.3}
	return config
}

func bagConfig() *model.Config {
	config := mediaConfig()
	config.Layers, config.Heads, config.Hidden = 0, 0, 0
	return config
}

var allLosses = &train.Losses{
	Contrast: 1, Temperature: 0.4, Cosine: 0.7, Similarity: 1.5, Rank: 0.3, RankScale: 5, Choice: 0.9,
}

// batchFor returns a batch with items of every modality of a config, including empty and cut ones,
// and input for every loss.
func batchFor(config *model.Config, random *rand.Rand, targetWidth int) *train.Batch {
	b := &train.Batch{}
	add := func(item train.Item, group int64) {
		b.Items = append(b.Items, item)
		b.Groups = append(b.Groups, group)
		var target []float32
		if len(b.Items)%3 != 0 {
			target = floats(random, targetWidth)
		}
		b.Targets = append(b.Targets, target)
	}
	text := func(s string, group int64) { add(train.Item{Text: []byte(s)}, group) }
	text("A small cat", 1)
	text("the cats are small", 1)
	text("a third of the cats", 1)
	text("", 2)
	text("Blue sea\tand sky, and something that is longer than the context allows", 2)
	text("alone", 3)
	text("of no group", -1)
	if config.Image != nil {
		size := config.Image.Tokens() * config.Image.PatchSize()
		add(train.Item{Modality: abi.ModalityImage, Patches: floats(random, size)}, 1)
		add(train.Item{Modality: abi.ModalityImage, Patches: floats(random, size)}, 4)
		add(train.Item{Modality: abi.ModalityImage}, 5)
		add(train.Item{Modality: abi.ModalityVideo, Patches: floats(random, 3*size)}, 4)
		add(train.Item{Modality: abi.ModalityAudio, Patches: floats(random, 7*config.Audio.PatchSize())}, 2)
		add(train.Item{Modality: abi.ModalityAudio, Patches: floats(random, 2*config.Audio.PatchSize())}, 4)
	}
	b.Pairs = []train.Pair{{0, 1, 5}, {0, 4, 1}, {2, 5, 3}, {1, len(b.Items) - 1, 3}}
	b.Questions = []train.Question{
		{Text: []byte("is it so? "), Choices: []byte("yn"), Answer: 1},
		{Text: []byte("which one of them is it, and let it be longer than forty bytes: "), Choices: []byte("ABCD"), Answer: 2, Type: 1},
		{Choices: []byte("xyz"), Answer: 0, Type: 1},
	}
	return b
}

func floats(random *rand.Rand, count int) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	return values
}

// start returns a trainer over random weights, none of which is zero or one, and the reference with
// the same weights.
func start(t *testing.T, config *model.Config, options *train.Options) (*train.Trainer, *reference) {
	t.Helper()
	file, err := train.Fresh(config, 7)
	require.NoError(t, err)
	trainer, err := train.New(file, options)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(8, 8))
	r := &reference{config: trainer.Config(), weights: map[string][]float64{}}
	for _, layout := range config.Layouts() {
		weights := trainer.Tensor(layout.Name)
		for i := range weights {
			switch {
			case layout.Name == "lexical":
				weights[i] = random.Float32()
			case layout.Vector && layout.Name != "empty":
				weights[i] += float32(0.3 * random.NormFloat64())
			}
			r.weights[layout.Name] = append(r.weights[layout.Name], float64(weights[i]))
		}
	}
	return trainer, r
}

// Every tensor's gradient matches the change of the reference's loss when the tensor changes: along
// the gradient, and one element at a time.
func TestGradients(t *testing.T) {
	for name, test := range map[string]struct {
		config *model.Config
		width  int // of targets; zero is that of the dense part
		memory int64
	}{
		"text":          {config: textConfig()},
		"media":         {config: mediaConfig()},
		"whole targets": {config: mediaConfig(), width: mediaConfig().EmbeddingColumns()},
		"wide targets":  {config: mediaConfig(), width: 101},
		"short targets": {config: textConfig(), width: 7},
		"many chunks":   {config: mediaConfig(), memory: 1 << 16},
		"a chunk each":  {config: mediaConfig(), memory: 1},
		"bag":           {config: bagConfig()},
	} {
		t.Run(name, func(t *testing.T) {
			trainer, r := start(t, test.config, &train.Options{Memory: test.memory})
			width, losses := test.config.Columns, *allLosses
			switch test.width {
			case 0:
			case test.config.EmbeddingColumns():
				width = test.width
			default:
				width, losses.Cosine = test.width, 0
			}
			random := rand.New(rand.NewPCG(9, 9))
			batch := batchFor(test.config, random, width)
			gradients, loss, err := trainer.Gradients(t.Context(), batch, &losses)
			require.NoError(t, err)
			require.InDelta(t, r.loss(batch, &losses), loss, 1e-5)
			for _, name := range slices.Sorted(maps.Keys(gradients)) {
				checkGradient(t, r, name, gradients[name], func() float64 { return r.loss(batch, &losses) }, random)
			}
		})
	}
}

func checkGradient(t *testing.T, r *reference, name string, gradient []float32, loss func() float64, random *rand.Rand) {
	t.Helper()
	weights := r.weights[name]
	require.Len(t, gradient, len(weights), name)
	var squares, largest float64
	for _, g := range gradient {
		squares += float64(g) * float64(g)
		largest = max(largest, math.Abs(float64(g)))
	}
	require.Positive(t, squares, "%s has no gradient", name)
	length := math.Sqrt(squares)
	const step = 1e-4
	before := slices.Clone(weights)
	along := func(scale float64) float64 {
		for i := range weights {
			weights[i] = before[i] + scale*float64(gradient[i])/length
		}
		return loss()
	}
	measured := (along(step) - along(-step)) / (2 * step)
	copy(weights, before)
	require.InEpsilon(t, length, measured, 1e-4, "%s along its gradient", name)
	for range 3 {
		i := random.IntN(len(weights))
		weights[i] = before[i] + step
		above := loss()
		weights[i] = before[i] - step
		below := loss()
		weights[i] = before[i]
		require.InDelta(t, (above-below)/(2*step), float64(gradient[i]), 1e-4*largest+1e-7, fmt.Sprintf("%s[%d]", name, i))
	}
}
