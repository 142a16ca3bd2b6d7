package modeltest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Config draws a configuration, small enough for thousands of texts. Half of them have pictures,
// half of those also clips, and half have recordings.
func Config(random *rand.Rand) *model.Config {
	pick := func(from ...int) int { return from[random.IntN(len(from))] }
	maybe := func() bool { return random.IntN(2) == 0 }
	// Rows of two or three scalars are a bad test of arithmetic: their norms can come near zero,
	// and then no two orders of summation agree.
	heads := pick(1, 2, 3)
	config := &model.Config{
		Modalities: []string{"text"},
		Context:    pick(16, 100, 700),
		Width:      heads * pick(6, 8, 10),
		Layers:     pick(0, 1, 2, 3), Heads: heads, Hidden: pick(1, 17, 40), Columns: pick(1, 5, 32), Skip: maybe(),
	}
	if config.Layers == 0 {
		config.Heads, config.Hidden = 0, 0
	}
	if maybe() {
		config.NormEpsilon, config.RotaryBase = 1e-4, 300
	}
	if maybe() {
		config.Grams = &model.Grams{
			Sizes: sizes(random), Hashes: pick(1, 2, 4), Buckets: pick(1, 7, 200), Words: maybe(), Fold: maybe(), Within: maybe(),
		}
	}
	if maybe() {
		config.Lexical = &model.Lexical{
			Sizes: sizes(random), Buckets: pick(1, 50, 300), Fold: maybe(), Within: maybe(), Columns: pick(64, 128, 192), Share: 0.1 + 0.8*random.Float64(),
		}
	}
	if maybe() {
		config.Decoder = &model.Decoder{}
		for i := range pick(1, 3) {
			config.Decoder.QuestionTypes = append(config.Decoder.QuestionTypes, model.QuestionType{
				Name: fmt.Sprintf("type %d", i), InverseTemperature: 0.1 + 3*random.Float64(),
			})
		}
	}
	drawMedia(random, config)
	if maybe() {
		config.Fold = fold.Name
	}
	return config
}

// drawMedia draws the preprocessing of media.
func drawMedia(random *rand.Rand, config *model.Config) {
	pick := func(from ...int) int { return from[random.IntN(len(from))] }
	maybe := func() bool { return random.IntN(2) == 0 }
	if maybe() {
		patch := pick(2, 3, 4, 8)
		across := pick(3, 4)
		config.Image = &model.Image{Side: max(patch*across, 12), Patch: patch}
		if config.Image.Tokens() > config.Context {
			config.Image = &model.Image{Side: 12, Patch: 6}
		}
		if maybe() {
			config.Image.Mean = &[3]float64{0.2 + random.Float64(), -0.3, 0.5}
			config.Image.Deviation = &[3]float64{0.2, 0.2 + random.Float64(), 1.5}
			config.Image.Background = &[3]uint8{uint8(random.IntN(256)), 0, 255}
		}
		config.Modalities = append(config.Modalities, "image")
		if most := config.Context / config.Image.Tokens(); maybe() {
			config.Video = &model.Video{Frames: 1 + random.IntN(min(most, 5))}
			config.Modalities = append(config.Modalities, "video")
		}
	}
	if maybe() {
		config.Audio = &model.Audio{
			Rate: pick(4000, 8000, 16000, 22050), Window: pick(16, 50, 256, 401), Mels: pick(4, 9, 20), Frames: pick(1, 2, 7),
			Low: float64(pick(0, 60)), Mean: -3 + random.Float64(), Deviation: 1 + 3*random.Float64(),
		}
		config.Audio.Hop = 1 + random.IntN(config.Audio.Window)
		config.Audio.High = float64(config.Audio.Rate) * (0.3 + 0.2*random.Float64())
		config.Modalities = append(config.Modalities, "audio")
	}
}

// sizes returns some of 1 … 8, ascending.
func sizes(random *rand.Rand) []int {
	var drawn []int
	for size := 1; size <= 8; size++ {
		if random.IntN(3) == 0 {
			drawn = append(drawn, size)
		}
	}
	if drawn == nil {
		drawn = []int{1 + random.IntN(8)}
	}
	return drawn
}

// Checkpoint draws the weights of a configuration and stores them, each matrix in one of its four
// possible kinds.
func Checkpoint(random *rand.Rand, config *model.Config) ([]byte, error) {
	d := drawing{random: random}
	d.tensors(config)
	var file bytes.Buffer
	if err := model.Write(&file, config, d.all); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// drawing is the tensors drawn so far.
type drawing struct {
	random *rand.Rand
	all    []model.Tensor
}

func (d *drawing) normal(size int, mean, deviation float64) []float32 {
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(mean + deviation*d.random.NormFloat64())
	}
	return values
}

func (d *drawing) matrix(name string, rows, columns int, deviation float64) {
	values := d.normal(rows*columns, 0, deviation)
	switch d.random.IntN(4) {
	case 0:
		d.all = append(d.all, model.FloatTensor(name, values, rows, columns))
	case 1:
		d.all = append(d.all, model.HalfTensor(name, values, rows, columns))
	case 2:
		d.all = append(d.all, model.Int8Tensors(name, values, rows, columns)...)
	default:
		d.all = append(d.all, model.Int4Tensors(name, values, rows, columns)...)
	}
}

func (d *drawing) vector(name string, values []float32) {
	d.all = append(d.all, model.FloatTensor(name, values, len(values)))
}

func (d *drawing) tensors(config *model.Config) {
	for _, layout := range config.Layouts() {
		switch name, size := layout.Name, layout.Size(); {
		case name == "empty":
			d.vector(name, unit(d.normal(size, 0, 1)))
		case name == "lexical":
			weights := d.normal(size, 0, 1)
			for i, weight := range weights {
				weights[i] = max(weight, -weight)
			}
			d.vector(name, weights)
		case name == "decoder.empty":
			d.vector(name, d.normal(size, 0, 1))
		case layout.Vector: // of a norm
			d.vector(name, d.normal(size, 1, 0.2))
		default:
			d.matrix(name, layout.Rows, layout.Columns, deviation(&layout, config.Width))
		}
	}
}

// deviation returns the standard deviation of a matrix's elements, which gives rows and products
// about the size of those of a trained model.
func deviation(layout *model.Layout, width int) float64 {
	switch layout.Name {
	case "bytes":
		return 0.5
	case "grams", "image.positions", "video.times":
		return 0.3
	case "image.patches", "audio.patches":
		return 1 / math.Sqrt(float64(layout.Columns))
	}
	return 1 / math.Sqrt(float64(width))
}

// unit scales a vector to length 1.
func unit(vector []float32) []float32 {
	var squares float64
	for _, v := range vector {
		squares += float64(v) * float64(v)
	}
	for i, v := range vector {
		vector[i] = float32(float64(v) / math.Sqrt(squares))
	}
	return vector
}
