package trunk_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// shape is what a random description is drawn for.
type shape struct {
	config         trunk.Config
	layers         int
	biases         bool // of linear maps
	normBiases     bool
	gated          bool
	scales         bool
	firstWithout   bool // the first layer has no norm of its attention
	probe          bool // the last layer pools
	base, local    float64
	window, global int // layers whose number global divides have base and no window
	relative       bool
	apart          []int // inputs of matrices of bytes that are not rounded
}

// shapes are those of the architectures, small.
var shapes = map[string]shape{
	"bert": {
		config: trunk.Config{Width: 48, Heads: 4, Hidden: 500, Norm: trunk.LayerNorm, Epsilon: 1e-12, NormAfter: true, Activation: trunk.GELU},
		layers: 2, biases: true, normBiases: true, apart: []int{0, 17, 47},
	},
	"wide bert": {
		config: trunk.Config{Width: 1024, Heads: 16, Hidden: 40, Norm: trunk.LayerNorm, Epsilon: 1e-5, NormAfter: true, Activation: trunk.ReLU},
		layers: 2, biases: true, normBiases: true,
	},
	"nomic": {
		config: trunk.Config{Width: 64, Heads: 4, Hidden: 400, Norm: trunk.LayerNorm, Epsilon: 1e-12, NormAfter: true, Activation: trunk.SiLU},
		layers: 2, normBiases: true, gated: true, base: 1000,
	},
	"modernbert": {
		config: trunk.Config{Width: 72, Heads: 6, Hidden: 100, Norm: trunk.LayerNorm, Epsilon: 1e-5, Activation: trunk.GELU},
		layers: 4, gated: true, firstWithout: true, base: 160000, local: 10000, window: 4, global: 3, apart: []int{71},
	},
	"long windows": {
		config: trunk.Config{Width: 32, Heads: 2, Hidden: 64, Norm: trunk.LayerNorm, Epsilon: 1e-5, Activation: trunk.GELU},
		layers: 2, gated: true, base: 10000, local: 10000, window: 200, global: 5,
	},
	"mpnet": {
		config: trunk.Config{Width: 48, Heads: 3, Hidden: 96, Norm: trunk.LayerNorm, Epsilon: 1e-12, NormAfter: true, Activation: trunk.GELU},
		layers: 2, biases: true, normBiases: true, relative: true,
	},
	"clip text": {
		config: trunk.Config{Width: 60, Heads: 4, Hidden: 240, Norm: trunk.LayerNorm, Epsilon: 1e-5, Activation: trunk.QuickGELU, Causal: true},
		layers: 2, biases: true, normBiases: true,
	},
	"causal windows": {
		config: trunk.Config{Width: 32, Heads: 2, Hidden: 64, Norm: trunk.RMSNorm, Epsilon: 1e-5, Activation: trunk.GELUTanh, Causal: true},
		layers: 2, gated: true, base: 10000, local: 500, window: 30, global: 2, relative: true,
	},
	"vit": {
		config: trunk.Config{Width: 45, Heads: 3, Hidden: 180, Norm: trunk.LayerNorm, Epsilon: 1e-6, Activation: trunk.GELU},
		layers: 2, biases: true, normBiases: true, scales: true,
	},
	"siglip": {
		config: trunk.Config{Width: 48, Heads: 4, Hidden: 192, Norm: trunk.LayerNorm, Epsilon: 1e-6, Activation: trunk.GELUTanh},
		layers: 3, biases: true, normBiases: true, probe: true, apart: []int{5, 6},
	},
	"uform": {
		config: trunk.Config{Width: 64, Heads: 2, Hidden: 256, Norm: trunk.RMSNorm, Epsilon: 1e-6, Activation: trunk.SiLU},
		layers: 2, base: 10000,
	},
}

// describe draws the weights of a shape. They fit bf16, so that its rounding changes nothing.
func describe(s shape) *description {
	random := rand.New(rand.NewPCG(uint64(s.config.Width), uint64(s.config.Hidden)))
	vector := func(n int, mean, deviation float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = kernel.WidenBF16(kernel.BF16(float32(mean + deviation*random.NormFloat64())))
		}
		return v
	}
	drawn := func(outputs, inputs int) (l linear) {
		for range outputs {
			l.rows = append(l.rows, vector(inputs, 0, 1/math.Sqrt(float64(inputs))))
		}
		if s.biases {
			l.bias = vector(outputs, 0, 0.3)
		}
		return l
	}
	d := &description{config: s.config, apart: s.apart}
	w, f := s.config.Width, s.config.Hidden
	norm := func() trunk.Norm {
		n := trunk.Norm{Gain: vector(w, 1, 0.3)}
		if s.normBiases {
			n.Bias = vector(w, 0, 0.3)
		}
		return n
	}
	if s.relative {
		d.config.RelativeBias = vector(32*s.config.Heads, 0, 1)
	}
	for i := range s.layers {
		l := layer{
			attentionNorm: norm(), feedforwardNorm: norm(), key: drawn(w, w), value: drawn(w, w), output: drawn(w, w),
			up: drawn(f, w), down: drawn(w, f), rotaryBase: s.base,
		}
		if s.probe && i == s.layers-1 {
			l.probe = vector(w, 0, 1)
		} else {
			l.query = drawn(w, w)
		}
		if s.gated {
			l.gate = drawn(f, w)
		}
		if s.scales {
			l.attentionScale, l.feedforwardScale = vector(w, 0, 0.5), vector(w, 0, 0.5)
		}
		if s.firstWithout && i == 0 {
			l.attentionNorm = trunk.Norm{}
		}
		if s.global > 0 && i%s.global != 0 {
			l.rotaryBase, l.window = s.local, s.window
		}
		d.layers = append(d.layers, l)
	}
	return d
}

// build packs a description. kind chooses the kind of each matrix of each layer, by its name.
func (d *description) build(t testing.TB, kind func(name string) abi.Scalar) *trunk.Trunk {
	t.Helper()
	built, err := trunk.New(&d.config, d.pack(kind))
	require.NoError(t, err)
	return built
}

func (d *description) pack(kind func(name string) abi.Scalar) []trunk.Layer {
	var layers []trunk.Layer
	for i := range d.layers {
		l := &d.layers[i]
		packed := func(name string, l *linear) trunk.Linear {
			if l.rows == nil {
				return trunk.Linear{}
			}
			packed := trunk.Linear{Bias: l.bias, Weight: trunk.Pack(kind(name), len(l.rows), len(l.rows[0]), func(row int, dst []float32) {
				copy(dst, l.rows[row])
			})}
			if packed.Weight.Bytes != nil && d.apart != nil && name != "output" && name != "down" {
				packed.SetApart(d.apart, func(row int, dst []float32) { copy(dst, l.rows[row]) })
			}
			return packed
		}
		layers = append(layers, trunk.Layer{
			AttentionNorm: l.attentionNorm, FeedforwardNorm: l.feedforwardNorm,
			AttentionScale: l.attentionScale, FeedforwardScale: l.feedforwardScale, Probe: l.probe,
			Query: packed("query", &l.query), Key: packed("key", &l.key), Value: packed("value", &l.value),
			Output: packed("output", &l.output), Up: packed("up", &l.up), Gate: packed("gate", &l.gate),
			Down: packed("down", &l.down), RotaryBase: l.rotaryBase, Window: l.window,
		})
	}
	return layers
}

func always(kind abi.Scalar) func(string) abi.Scalar { return func(string) abi.Scalar { return kind } }

// texts are input rows end to end.
type texts struct {
	width int
	spans []trunk.Span
	rows  []float32
}

func newTexts(width int, lengths ...int) *texts {
	random := rand.New(rand.NewPCG(uint64(width), 5))
	t := &texts{width: width}
	for _, length := range lengths {
		t.spans = append(t.spans, trunk.Span{Start: len(t.rows) / width, Length: length})
		for range length * width {
			t.rows = append(t.rows, float32(random.NormFloat64()))
		}
	}
	return t
}

// one returns a text alone.
func (t *texts) one(i int) *texts {
	span := t.spans[i]
	return &texts{
		width: t.width, spans: []trunk.Span{{Length: span.Length}},
		rows: t.rows[span.Start*t.width:][:span.Length*t.width],
	}
}

// wide returns the rows of text i.
func (t *texts) wide(i int) [][]float64 {
	var rows [][]float64
	for at := t.spans[i].Start; at < t.spans[i].Start+t.spans[i].Length; at++ {
		rows = append(rows, wide(t.rows[at*t.width:][:t.width]))
	}
	return rows
}

// run returns a copy of the states of texts.
func run(t testing.TB, built *trunk.Trunk, s *trunk.Scratch, in *texts, rows trunk.Rows) []float32 {
	t.Helper()
	copy(s.Hidden(len(in.rows)/in.width, in.width), in.rows)
	states, err := built.Forward(s, in.spans, rows, nil)
	require.NoError(t, err)
	return append([]float32(nil), states...)
}
