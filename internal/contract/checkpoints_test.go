package contract_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// checkpoint is a model's file and its reference.
type checkpoint struct {
	config    *model.Config
	file      []byte
	reference *reference
}

// path stores the file for the duration of a test.
func (c *checkpoint) path(t *testing.T) string {
	t.Helper()
	return store(t, c.file)
}

func store(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path
}

// everything is a configuration with every part, and a context that many of the texts exceed.
func everything() *model.Config {
	return &model.Config{
		Modalities: []string{"text"},
		Context:    32, Width: 16, Layers: 2, Heads: 2, Hidden: 25, Columns: 20, Skip: true,
		NormEpsilon: 1e-5, RotaryBase: 500,
		Grams:   &model.Grams{Sizes: []int{2, 3}, Hashes: 2, Buckets: 50, Words: true, Fold: true},
		Lexical: &model.Lexical{Sizes: []int{1, 3}, Buckets: 40, Columns: 128, Share: 0.25},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{
			{Name: "plain", InverseTemperature: 1}, {Name: "sharp", InverseTemperature: 3.5}, {Name: "dull", InverseTemperature: 0.25},
		}},
	}
}

// The checkpoints. Each is made once.
var (
	// full has every part, in f32.
	full = made(everything, floatMatrix)
	// half has one layer, in bf16, and no hashed n-grams.
	half = made(func() *model.Config {
		config := everything()
		config.Layers, config.Grams, config.Skip = 1, nil, false
		return config
	}, halfMatrix)
	// packed has alternating rows of int8 and int4.
	packed = made(everything, packedMatrix())
	// flat has no layers and no decoder.
	flat = made(func() *model.Config {
		config := everything()
		config.Layers, config.Heads, config.Hidden, config.Decoder = 0, 0, 0, nil
		config.Grams = &model.Grams{Sizes: []int{1, 4, 8}, Hashes: 1, Buckets: 30}
		config.Lexical = &model.Lexical{Sizes: []int{2}, Buckets: 40, Columns: 64, Share: 0.5, Fold: true}
		return config
	}, floatMatrix)
	// plain has two layers and no other part.
	plain = made(func() *model.Config {
		config := everything()
		config.Grams, config.Lexical, config.Decoder, config.Skip = nil, nil, nil, false
		config.NormEpsilon, config.RotaryBase = 0, 0 // the defaults
		return config
	}, floatMatrix)
	// long is full with a longer context, so that one text takes more than a slice.
	long = made(func() *model.Config {
		config := everything()
		config.Context = 4096
		return config
	}, floatMatrix)
	// folding has the weights of full, and folds texts.
	folding = made(func() *model.Config {
		config := everything()
		config.Fold = fold.Name
		return config
	}, floatMatrix)
	// wide has embeddings so wide that a few thousand empty texts fill a device.
	wide = made(func() *model.Config {
		return &model.Config{Modalities: []string{"text"}, Context: 8, Width: 2, Columns: 8192}
	}, halfMatrix)
)

// samples are texts of every kind: empty, short, long, cut, with characters of several bytes, cut
// within a character.
var samples = []string{
	"", "a", "A cat on a mat", "\tTwo\nlines, and a  tab ", "naïve café", "速い茶色の狐", "🦊🦊",
	"exactly thirty-two bytes of text", "one byte more than thirty-two of ", "x",
	"a longer text of more than sixty-four bytes, whose end is of no use to an encoder",
	"thirty-one bytes and then an é, cut", "", "the end",
}

// matrixMaker stores a matrix in one of the formats of a checkpoint.
type matrixMaker func(name string, values []float32, rows, columns int) []model.Tensor

func floatMatrix(name string, values []float32, rows, columns int) []model.Tensor {
	return []model.Tensor{model.FloatTensor(name, values, rows, columns)}
}

func halfMatrix(name string, values []float32, rows, columns int) []model.Tensor {
	return []model.Tensor{model.HalfTensor(name, values, rows, columns)}
}

// packedMatrix begins with int8.
func packedMatrix() matrixMaker {
	turn := 0
	return func(name string, values []float32, rows, columns int) []model.Tensor {
		turn++
		if turn%2 == 1 {
			return model.Int8Tensors(name, values, rows, columns)
		}
		return model.Int4Tensors(name, values, rows, columns)
	}
}

func made(config func() *model.Config, matrix matrixMaker) func() *checkpoint {
	return sync.OnceValue(func() *checkpoint {
		c := config()
		return assemble(c, tensors(c, matrix))
	})
}

// assemble writes a checkpoint.
func assemble(config *model.Config, tensors []model.Tensor) *checkpoint {
	var file bytes.Buffer
	if err := model.Write(&file, config, tensors); err != nil {
		panic(err) // a bug in this suite
	}
	return &checkpoint{config, file.Bytes(), newReference(file.Bytes())}
}

// tensors returns random weights, the same each time.
func tensors(config *model.Config, matrix matrixMaker) []model.Tensor {
	random := rand.New(rand.NewPCG(7, 11))
	var all []model.Tensor
	draw := func(size int, mean, deviation float64) []float32 {
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(mean + deviation*random.NormFloat64())
		}
		return values
	}
	add := func(name string, rows, columns int, deviation float64) {
		all = append(all, matrix(name, draw(rows*columns, 0, deviation), rows, columns)...)
	}
	vector := func(name string, values []float32) {
		all = append(all, model.FloatTensor(name, values, len(values)))
	}
	d, f := config.Width, config.Hidden
	add("bytes", 256, d, 0.5)
	if config.Grams != nil {
		add("grams", config.Grams.Buckets, d, 0.3)
	}
	inner := 1 / math.Sqrt(float64(d))
	for i := range config.Layers {
		layer := fmt.Sprintf("layers.%d.", i)
		vector(layer+"attention.norm", draw(d, 1, 0.2))
		for _, name := range []string{"query", "key", "value", "output"} {
			add(layer+"attention."+name, d, d, 1.5*inner)
		}
		vector(layer+"feedforward.norm", draw(d, 1, 0.2))
		add(layer+"feedforward.up", f, d, inner)
		add(layer+"feedforward.down", d, f, inner)
	}
	if config.Layers > 0 {
		vector("norm", draw(d, 1, 0.2))
	}
	pooled := d
	if config.Skip {
		pooled *= 2
	}
	add("projection", config.Columns, pooled, inner)
	vector("empty", unit(draw(config.EmbeddingColumns(), 0, 1)))
	if config.Lexical != nil {
		weights := draw(config.Lexical.Buckets, 0, 1)
		for i, weight := range weights {
			weights[i] = float32(math.Abs(float64(weight)))
		}
		vector("lexical", weights)
	}
	if config.Decoder != nil {
		add("decoder.head", 256, d, inner)
		vector("decoder.empty", draw(d, 0, 1))
	}
	return all
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

// replaced returns a list of tensors with one of them replaced.
func replaced(tensors []model.Tensor, with model.Tensor) []model.Tensor {
	changed := slices.Clone(tensors)
	changed[slices.IndexFunc(changed, func(tensor model.Tensor) bool { return tensor.Name == with.Name })] = with
	return changed
}
