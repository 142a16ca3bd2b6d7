package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/internal/model"
)

// Weights are the tensors of a checkpoint in f32, by name.
type Weights map[string][]float32

// contrib is the domain of ONNX Runtime's own operators.
const contrib = "com.microsoft"

// graph is a graph being written.
type graph struct {
	nodes, initializers message
	names               int
	weights             Weights
}

type attributes map[string]any

// add adds a node with new outputs; those that are false in wanted are absent.
func (g *graph) add(operator, domain string, inputs []string, wanted []bool, set attributes) []string {
	var outputs []string
	for _, want := range wanted {
		name := ""
		if want {
			g.names++
			name = fmt.Sprintf("%s_%d", operator, g.names)
		}
		outputs = append(outputs, name)
	}
	g.nodes.message(1, func(m *message) {
		for _, input := range inputs {
			m.text(1, input)
		}
		for _, output := range outputs {
			m.text(2, output)
		}
		m.text(4, operator)
		for name, value := range set {
			m.message(5, func(m *message) {
				m.text(1, name)
				switch value := value.(type) {
				case int:
					m.number(3, value)
					m.number(20, 2)
				case float32:
					m.float(2, value)
					m.number(20, 1)
				}
			})
		}
		m.text(7, domain)
	})
	return outputs
}

// one adds a node with one output.
func (g *graph) one(operator, domain string, set attributes, inputs ...string) string {
	return g.add(operator, domain, inputs, []bool{true}, set)[0]
}

// constant adds a tensor.
func (g *graph) constant(kind int, data []byte, shape ...int) string {
	g.names++
	name := fmt.Sprintf("constant_%d", g.names)
	g.initializers.message(5, func(m *message) {
		for _, dimension := range shape {
			m.number(1, dimension)
		}
		m.number(2, kind)
		m.text(8, name)
		m.bytes(9, data)
	})
	return name
}

func (g *graph) floats(values []float32, shape ...int) string {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return g.constant(typeFloat, data, shape...)
}

// times multiplies by a matrix of the checkpoint, which has one row for each output.
func (g *graph) times(x, name string, outputs, inputs int) string {
	weights, transposed := g.weights[name], make([]float32, outputs*inputs)
	for o := range outputs {
		for i := range inputs {
			transposed[i*outputs+o] = weights[o*inputs+i]
		}
	}
	return g.one("MatMul", "", nil, x, g.floats(transposed, inputs, outputs))
}

// Graph returns the model of a configuration with layers and without anything but bytes, as an ONNX
// file. Its inputs are
//
//	ids     int64 [batch, length]: the bytes, padded to the longest
//	share   f32 [batch, 1, length]: what each position counts in the mean, 0 past the end
//	filled  int32 [batch, length]: 1 before the end, 0 past it; only where ragged
//
// and its output, embeddings, is f32 [batch, columns]. No item is longer than longest.
func Graph(config *model.Config, weights Weights, longest int, ragged bool) []byte {
	d, f, heads := config.Width, config.Hidden, config.Heads
	g := &graph{weights: weights}
	x := g.one("Gather", "", nil, g.floats(weights["bytes"], 256, d), "ids")
	cosines, sines := rotations(config, longest)
	cos, sin := g.floats(cosines, longest, d/heads/2), g.floats(sines, longest, d/heads/2)
	start := g.constant(typeInt64, make([]byte, 8), 1)
	epsilon := float32(config.NormEpsilon)
	norm := func(added, name string) (sum, normed string) {
		out := g.add("SkipSimplifiedLayerNormalization", contrib, []string{x, added, g.floats(weights[name], d)},
			[]bool{true, false, false, true}, attributes{"epsilon": epsilon})
		return out[3], out[0]
	}
	u := g.one("SimplifiedLayerNormalization", "", attributes{"epsilon": epsilon, "axis": -1},
		x, g.floats(weights["layers.0.attention.norm"], d))
	for i := range config.Layers {
		prefix := fmt.Sprintf("layers.%d.", i)
		turn := func(name string) string {
			return g.one("RotaryEmbedding", contrib, attributes{"interleaved": 0}, g.times(u, prefix+name, d, d), start, cos, sin)
		}
		q, k, v := turn("attention.query"), turn("attention.key"), g.times(u, prefix+"attention.value", d, d)
		inputs := []string{q, k, v}
		if ragged {
			inputs = append(inputs, "", "filled")
		}
		attended := g.one("MultiHeadAttention", contrib, attributes{"num_heads": heads}, inputs...)
		x, u = norm(g.times(attended, prefix+"attention.output", d, d), prefix+"feedforward.norm")
		inner := g.one("QuickGelu", contrib, attributes{"alpha": float32(1)}, g.times(u, prefix+"feedforward.up", f, d))
		next := "norm"
		if i+1 < config.Layers {
			next = fmt.Sprintf("layers.%d.attention.norm", i+1)
		}
		x, u = norm(g.times(inner, prefix+"feedforward.down", d, f), next)
	}
	pooled := g.one("MatMul", "", nil, "share", u)
	axis := g.constant(typeInt64, binary.LittleEndian.AppendUint64(nil, 1), 1)
	dense := g.one("Squeeze", "", nil, g.times(pooled, "projection", config.Columns, d), axis)
	g.nodes.message(1, func(m *message) {
		m.text(1, dense)
		m.text(2, "embeddings")
		m.text(4, "LpNormalization")
	})
	return g.file(config.Columns, ragged)
}

func (g *graph) file(columns int, ragged bool) []byte {
	var file message
	file.number(1, 9) // version of the format
	file.message(7, func(m *message) {
		*m = append(*m, g.nodes...)
		m.text(2, "trunk")
		*m = append(*m, g.initializers...)
		m.value(11, "ids", typeInt64, "batch", "length")
		m.value(11, "share", typeFloat, "batch", 1, "length")
		if ragged {
			m.value(11, "filled", typeInt32, "batch", "length")
		}
		m.value(12, "embeddings", typeFloat, "batch", columns)
	})
	for domain, version := range map[string]int{"": 20, contrib: 1} {
		file.message(8, func(m *message) {
			m.text(1, domain)
			m.number(2, version)
		})
	}
	return file
}

func rotations(config *model.Config, longest int) (cosines, sines []float32) {
	pairs := config.Width / config.Heads / 2
	for i := range longest {
		for t := range pairs {
			sin, cos := math.Sincos(float64(i) * math.Pow(config.RotaryBase, -float64(t)/float64(pairs)))
			cosines, sines = append(cosines, float32(cos)), append(sines, float32(sin))
		}
	}
	return cosines, sines
}
