package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
	"github.com/unum-cloud/uform-go/internal/model"
)

// shape is an encoder of bytes: a number of layers of a width, heads of 64 scalars, and a hidden
// width of four times the width.
type shape struct{ layers, width int }

func (s shape) String() string { return fmt.Sprintf("%d × %d", s.layers, s.width) }

// longest is the longest text that is measured.
const longest = 2048

func (s shape) config() *model.Config {
	return &model.Config{
		Modalities: []string{"text"}, Context: longest, Width: s.width, Layers: s.layers, Heads: s.width / 64, Hidden: 4 * s.width,
		Columns: s.width, NormEpsilon: 1e-6, RotaryBase: 10000,
	}
}

// operations returns the number of additions and multiplications for some texts.
func (s shape) operations(texts []string) float64 {
	var sum float64
	width := float64(s.width)
	for _, text := range texts {
		n := float64(len(text))
		sum += float64(s.layers) * (n*24*width*width + 4*n*n*width)
	}
	return sum
}

// checkpoint draws random weights, and returns them and the file that has them.
func (s shape) checkpoint() (onnx.Weights, []byte, error) {
	random := rand.New(rand.NewPCG(uint64(s.layers), uint64(s.width)))
	weights := onnx.Weights{}
	var tensors []model.Tensor
	draw := func(name string, mean, deviation float64, shape ...int) {
		size := 1
		for _, dimension := range shape {
			size *= dimension
		}
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(mean + deviation*random.NormFloat64())
		}
		weights[name] = values
		tensors = append(tensors, model.FloatTensor(name, values, shape...))
	}
	d, f := s.width, 4*s.width
	inner := 1 / math.Sqrt(float64(d))
	draw("bytes", 0, 1, 256, d)
	for i := range s.layers {
		layer := fmt.Sprintf("layers.%d.", i)
		draw(layer+"attention.norm", 1, 0.1, d)
		for _, name := range []string{"query", "key", "value", "output"} {
			draw(layer+"attention."+name, 0, inner, d, d)
		}
		draw(layer+"feedforward.norm", 1, 0.1, d)
		draw(layer+"feedforward.up", 0, inner, f, d)
		draw(layer+"feedforward.down", 0, inner/2, d, f)
	}
	draw("norm", 1, 0.1, d)
	draw("projection", 0, inner, d, d)
	empty := make([]float32, d)
	empty[0] = 1
	tensors = append(tensors, model.FloatTensor("empty", empty, d))
	var file bytes.Buffer
	err := model.Write(&file, s.config(), tensors)
	return weights, file.Bytes(), err
}

// batch draws count texts of a length or, if ragged, of lengths from a sixteenth of it up to it.
func batch(count, length int, ragged bool) []string {
	random := rand.New(rand.NewPCG(uint64(count), uint64(length)))
	texts := make([]string, count)
	for i := range texts {
		n := length
		if ragged && i > 0 {
			n = max(1, int(float64(length)*math.Pow(2, -4*random.Float64())))
		}
		var text strings.Builder
		for range n {
			text.WriteByte(byte(' ' + random.IntN(95)))
		}
		texts[i] = text.String()
	}
	return texts
}
