package model_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/model"
)

// checkpoint is a model with random weights, as tensors to be stored and as the reference reads
// them. The reference's values come from the stored bytes by the arithmetic of docs/checkpoint.md.
type checkpoint struct {
	config    *model.Config
	tensors   []model.Tensor
	reference *reference
}

func layerPrefix(i int) string { return fmt.Sprintf("layers.%d.", i) }

// newCheckpoint stores every matrix as dtype, and vectors as vectorType.
func newCheckpoint(seed uint64, config model.Config, dtype, vectorType model.DType) *checkpoint {
	if config.NormEpsilon == 0 {
		config.NormEpsilon = 1e-6
	}
	if config.RotaryBase == 0 {
		config.RotaryBase = 10000
	}
	c := &checkpoint{config: &config, reference: &reference{
		config: &config, matrices: map[string][][]float64{}, vectors: map[string][]float64{},
	}}
	random := rand.New(rand.NewPCG(seed, 0))
	d := config.Width
	matrix := func(name string, rows, columns int, spread float64) {
		c.matrix(random, dtype, name, rows, columns, spread)
	}
	vector := func(name string, length int, draw func() float64) { c.vector(vectorType, name, length, draw) }
	gain := func() float64 { return 1 + random.NormFloat64()/4 }
	matrix("bytes", 256, d, 1)
	if config.Grams != nil {
		matrix("grams", config.Grams.Buckets, d, 0.5)
	}
	across := 1 / math.Sqrt(float64(d))
	for i := range config.Layers {
		vector(layerPrefix(i)+"attention.norm", d, gain)
		for _, part := range []string{"query", "key", "value", "output"} {
			matrix(layerPrefix(i)+"attention."+part, d, d, across)
		}
		vector(layerPrefix(i)+"feedforward.norm", d, gain)
		matrix(layerPrefix(i)+"feedforward.up", config.Hidden, d, across)
		matrix(layerPrefix(i)+"feedforward.down", d, config.Hidden, 1/math.Sqrt(float64(config.Hidden)))
	}
	if config.Layers > 0 {
		vector("norm", d, gain)
	}
	pooled := d
	if config.Skip {
		pooled *= 2
	}
	matrix("projection", config.Columns, pooled, across)
	c.unit(random, "empty", config.EmbeddingColumns())
	if config.Lexical != nil {
		vector("lexical", config.Lexical.Buckets, func() float64 { return math.Max(0, random.NormFloat64()) })
	}
	if config.Decoder != nil {
		matrix("decoder.head", 256, d, across)
		vector("decoder.empty", d, random.NormFloat64)
	}
	if config.Image != nil {
		matrix("image.patches", d, config.Image.PatchSize(), 1/math.Sqrt(float64(config.Image.PatchSize())))
		matrix("image.positions", config.Image.Tokens(), d, 0.5)
	}
	if config.Video != nil {
		matrix("video.times", config.Video.Frames, d, 0.5)
	}
	if config.Audio != nil {
		matrix("audio.patches", d, config.Audio.PatchSize(), 1/math.Sqrt(float64(config.Audio.PatchSize())))
	}
	return c
}

func (c *checkpoint) matrix(random *rand.Rand, dtype model.DType, name string, rows, columns int, spread float64) {
	values := make([][]float64, rows)
	tensor := model.Tensor{Name: name, DType: dtype, Shape: []int{rows, columns}}
	scales := model.Tensor{Name: name + ".scales", DType: model.F32, Shape: []int{rows}}
	for row := range rows {
		line := make([]float64, columns)
		scale := float32(spread * (0.5 + random.Float64()))
		switch dtype {
		case model.F32:
			for k := range line {
				v := float32(random.NormFloat64() * spread)
				line[k] = float64(v)
				tensor.Data = binary.LittleEndian.AppendUint32(tensor.Data, math.Float32bits(v))
			}
		case model.BF16:
			for k := range line {
				upper := math.Float32bits(float32(random.NormFloat64()*spread)) >> 16
				line[k] = float64(math.Float32frombits(upper << 16))
				tensor.Data = binary.LittleEndian.AppendUint16(tensor.Data, uint16(upper))
			}
		case model.I8:
			scale /= 64
			for k := range line {
				q := int8(random.IntN(256) - 128)
				line[k] = float64(float32(q) * scale)
				tensor.Data = append(tensor.Data, byte(q))
			}
		case model.U8:
			scale /= 4
			tensor.Shape[1] = (columns + 1) / 2
			for k := 0; k < columns; k += 2 {
				low, high := random.IntN(16), random.IntN(16)
				line[k] = float64(float32(low-8) * scale)
				if k+1 < columns {
					line[k+1] = float64(float32(high-8) * scale)
				}
				tensor.Data = append(tensor.Data, byte(low|high<<4))
			}
		}
		values[row] = line
		scales.Data = binary.LittleEndian.AppendUint32(scales.Data, math.Float32bits(scale))
	}
	c.tensors = append(c.tensors, tensor)
	if dtype == model.I8 || dtype == model.U8 {
		c.tensors = append(c.tensors, scales)
	}
	c.reference.matrices[name] = values
}

func (c *checkpoint) vector(dtype model.DType, name string, length int, draw func() float64) {
	tensor := model.Tensor{Name: name, DType: dtype, Shape: []int{length}}
	values := make([]float64, length)
	for i := range values {
		v := float32(draw())
		if dtype == model.BF16 {
			v = math.Float32frombits(math.Float32bits(v) &^ 0xFFFF)
			tensor.Data = binary.LittleEndian.AppendUint16(tensor.Data, uint16(math.Float32bits(v)>>16))
		} else {
			tensor.Data = binary.LittleEndian.AppendUint32(tensor.Data, math.Float32bits(v))
		}
		values[i] = float64(v)
	}
	c.tensors = append(c.tensors, tensor)
	c.reference.vectors[name] = values
}

func (c *checkpoint) unit(random *rand.Rand, name string, length int) {
	values := make([]float64, length)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	norm, next := norm64(values), 0
	c.vector(model.F32, name, length, func() float64 {
		next++
		return values[next-1] / norm
	})
}

// file returns the checkpoint in bytes.
func (c *checkpoint) file(t testing.TB) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, model.Write(&file, c.config, c.tensors))
	return file.Bytes()
}

func (c *checkpoint) parse(t testing.TB, options *model.Options) *model.Model {
	t.Helper()
	parsed, err := model.Parse(c.file(t), options)
	require.NoError(t, err)
	return parsed
}

// configs are architectures that together use every option, with widths that are no multiple of a
// block.
var configs = map[string]model.Config{
	"bytes alone": {Modalities: []string{"text"}, Context: 64, Width: 5, Columns: 3},
	"bag of grams": {Modalities: []string{"text"}, Context: 64, Width: 24, Columns: 20,
		Grams: &model.Grams{Sizes: []int{1, 2, 3, 5, 8}, Hashes: 2, Buckets: 1009, Words: true, Fold: true, Within: true}},
	"bag with everything": {Modalities: []string{"text", "audio"}, Context: 64, Width: 17, Columns: 19, Skip: true,
		Grams:   &model.Grams{Sizes: []int{3, 4}, Hashes: 1, Buckets: 64, Words: true},
		Lexical: &model.Lexical{Sizes: []int{2, 4}, Buckets: 97, Fold: true, Within: true, Columns: 128, Share: 0.3},
		Audio:   &model.Audio{Rate: 8000, Window: 200, Hop: 80, Mels: 5, High: 4000, Frames: 3, Mean: -5, Deviation: 4},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{{Name: "plain", InverseTemperature: 1}}}},
	"one layer": {Modalities: []string{"text"}, Context: 64, Width: 12, Layers: 1, Heads: 6, Hidden: 7, Columns: 9},
	"pictures": {Modalities: []string{"image", "text"}, Context: 64, Width: 10, Columns: 6,
		Image: &model.Image{Side: 9, Patch: 3}},
	"two layers": {Modalities: []string{"text"}, Context: 64, Width: 32, Layers: 2, Heads: 2, Hidden: 50, Columns: 40,
		Skip: true, NormEpsilon: 1e-3, RotaryBase: 500,
		Grams: &model.Grams{Sizes: []int{3}, Hashes: 4, Buckets: 501, Fold: true}},
	"three layers with everything": {Modalities: []string{"video", "text"}, Context: 100, Width: 36, Layers: 3, Heads: 3,
		Hidden: 64, Columns: 33, Skip: true,
		Grams:   &model.Grams{Sizes: []int{2, 6}, Hashes: 3, Buckets: 2048, Words: true, Fold: true},
		Lexical: &model.Lexical{Sizes: []int{1, 3, 7}, Buckets: 4096, Columns: 192, Share: 0.75},
		Image:   &model.Image{Side: 15, Patch: 5}, Video: &model.Video{Frames: 4},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{
			{Name: "cool", InverseTemperature: 0.25}, {Name: "hot", InverseTemperature: 4}}}},
}

var matrixTypes = []model.DType{model.F32, model.BF16, model.I8, model.U8}

// sampleTexts returns texts already cut, as the engine passes them: a cut may fall inside a
// character, so any byte may be anywhere.
func sampleTexts(context int) [][]byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	long := bytes.Repeat([]byte("The quick brown fox\tjumps over the lazy dog; "), context/40+1)
	texts := [][]byte{
		[]byte("a"), []byte(" "), []byte("\x00"), []byte("\xFF"), []byte("Hello, World"), {},
		[]byte("  two  spaces\n\tand TABS "), []byte("naïve café — 日本語 🙂"), []byte("🙂")[:3],
		[]byte("ab"), []byte("word"), []byte(" word"), []byte("word "), []byte("a b c"), long[:context],
		bytes.Repeat([]byte("x"), context-1), {},
	}
	for start := 0; start < len(all); start += 64 {
		texts = append(texts, all[start:start+64])
	}
	return texts
}
