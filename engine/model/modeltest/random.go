package modeltest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/unum-cloud/uform-go/engine/model"
)

// Config draws a configuration of a text model, small enough to run thousands of texts through.
func Config(random *rand.Rand) *model.Config {
	pick := func(from ...int) int { return from[random.IntN(len(from))] }
	maybe := func() bool { return random.IntN(2) == 0 }
	// Rows of two or three scalars are no test of arithmetic: their norms can come near zero, and then no two orders of
	// summing agree.
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
	return config
}

// sizes are some of 1 … 8, ascending.
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

// Checkpoint draws the weights of a configuration and stores them, each matrix in one of the four ways that a matrix can be
// stored in.
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
	width, hidden := config.Width, config.Hidden
	inner := 1 / math.Sqrt(float64(width))
	d.matrix("bytes", 256, width, 0.5)
	if config.Grams != nil {
		d.matrix("grams", config.Grams.Buckets, width, 0.3)
	}
	for i := range config.Layers {
		layer := fmt.Sprintf("layers.%d.", i)
		d.vector(layer+"attention.norm", d.normal(width, 1, 0.2))
		for _, name := range []string{"query", "key", "value", "output"} {
			d.matrix(layer+"attention."+name, width, width, inner)
		}
		d.vector(layer+"feedforward.norm", d.normal(width, 1, 0.2))
		d.matrix(layer+"feedforward.up", hidden, width, inner)
		d.matrix(layer+"feedforward.down", width, hidden, inner)
	}
	pooled := width
	if config.Layers > 0 {
		d.vector("norm", d.normal(width, 1, 0.2))
	}
	if config.Skip {
		pooled *= 2
	}
	d.matrix("projection", config.Columns, pooled, inner)
	d.vector("empty", unit(d.normal(config.EmbeddingColumns(), 0, 1)))
	if config.Lexical != nil {
		weights := d.normal(config.Lexical.Buckets, 0, 1)
		for i, weight := range weights {
			weights[i] = max(weight, -weight)
		}
		d.vector("lexical", weights)
	}
	if config.Decoder != nil {
		d.matrix("decoder.head", 256, width, inner)
		d.vector("decoder.empty", d.normal(width, 0, 1))
	}
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
