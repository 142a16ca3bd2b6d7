package trunk_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// A description that contradicts itself is an error that says where.
func TestDescriptionsThatDoNotFit(t *testing.T) {
	short := make([]float32, 3)
	matrix := func(outputs, inputs int) trunk.Linear {
		return trunk.Linear{Weight: trunk.Pack(abi.ScalarI8, outputs, inputs, func(int, []float32) {})}
	}
	apart := func(outputs int, inputs ...int) trunk.Linear {
		l := matrix(48, 48)
		l.Weight.Apart, l.Weight.Columns = inputs, trunk.Pack(abi.ScalarF32, outputs, len(inputs)+1, func(int, []float32) {}).Full
		return l
	}
	both := matrix(48, 48)
	both.Weight.Full = trunk.Pack(abi.ScalarF32, 48, 48, func(int, []float32) {}).Full
	for said, change := range map[string]func(c *trunk.Config, l *trunk.Layer){
		"5 heads do not divide a width of 48":                func(c *trunk.Config, l *trunk.Layer) { c.Heads = 5 },
		"0 heads":                                            func(c *trunk.Config, l *trunk.Layer) { c.Heads = 0 },
		"the feed-forward part has a width of 0":             func(c *trunk.Config, l *trunk.Layer) { c.Hidden = 0 },
		"no kind of norm":                                    func(c *trunk.Config, l *trunk.Layer) { c.Norm = 7 },
		"epsilon of norms is NaN":                            func(c *trunk.Config, l *trunk.Layer) { c.Epsilon = math.NaN() },
		"no activation":                                      func(c *trunk.Config, l *trunk.Layer) { c.Activation = -1 },
		"relative bias has 3 scalars":                        func(c *trunk.Config, l *trunk.Layer) { c.RelativeBias = short },
		"layer 1: the rotary base is NaN":                    func(c *trunk.Config, l *trunk.Layer) { l.RotaryBase = math.NaN() },
		"layer 1: rotary positions need heads of an even":    func(c *trunk.Config, l *trunk.Layer) { c.Heads, l.RotaryBase = 16, 1 },
		"layer 1: the window is -1":                          func(c *trunk.Config, l *trunk.Layer) { l.Window = -1 },
		"layer 1: there are both a query and a probe":        func(c *trunk.Config, l *trunk.Layer) { l.Probe = make([]float32, 48) },
		"layer 1: a probe has no position":                   func(c *trunk.Config, l *trunk.Layer) { l.Probe, l.Query, c.Causal = short, trunk.Linear{}, true },
		"layer 1: probe: has 3 scalars where 48 belong":      func(c *trunk.Config, l *trunk.Layer) { l.Probe, l.Query = short, trunk.Linear{} },
		"layer 1: attention norm: has 3 scalars":             func(c *trunk.Config, l *trunk.Layer) { l.AttentionNorm.Gain = short },
		"layer 1: attention norm: has a bias and no gain":    func(c *trunk.Config, l *trunk.Layer) { l.AttentionNorm.Gain = nil },
		"layer 1: feed-forward norm: its bias has 3 scalars": func(c *trunk.Config, l *trunk.Layer) { l.FeedforwardNorm.Bias = short },
		"has no bias":                                        func(c *trunk.Config, l *trunk.Layer) { c.Norm = trunk.RMSNorm },
		"layer 1: attention scale: has 3 scalars":            func(c *trunk.Config, l *trunk.Layer) { l.AttentionScale = short },
		"layer 1: feed-forward scale: has 3 scalars":         func(c *trunk.Config, l *trunk.Layer) { l.FeedforwardScale = short },
		"layer 1: query: is missing":                         func(c *trunk.Config, l *trunk.Layer) { l.Query = trunk.Linear{} },
		"layer 1: key: is 2 × 48 where 48 × 48 belongs":      func(c *trunk.Config, l *trunk.Layer) { l.Key = matrix(2, 48) },
		"layer 1: value: its bias has 3 scalars":             func(c *trunk.Config, l *trunk.Layer) { l.Value.Bias = short },
		"layer 1: output: has two matrices":                  func(c *trunk.Config, l *trunk.Layer) { l.Output = both },
		"layer 1: value: the inputs [] stand apart":          func(c *trunk.Config, l *trunk.Layer) { l.Value = matrix(48, 48) },
		"layer 1: output: the inputs [3] stand apart":        func(c *trunk.Config, l *trunk.Layer) { l.Output = apart(48, 3) },
		"layer 1: query: the inputs [48] stand apart, of 48": func(c *trunk.Config, l *trunk.Layer) { l.Query = apart(48, 48) },
		"layer 1: query: the inputs [3 3] stand apart":       func(c *trunk.Config, l *trunk.Layer) { l.Query = apart(48, 3, 3) },
		"layer 1: query: the weights of inputs":              func(c *trunk.Config, l *trunk.Layer) { l.Query = apart(16, 3) },
		"layer 1: up: is 48 × 48 where 500 × 48":             func(c *trunk.Config, l *trunk.Layer) { l.Up = matrix(48, 48) },
		"layer 1: gate: is 48 × 500 where 500 × 48":          func(c *trunk.Config, l *trunk.Layer) { l.Gate = matrix(48, 500) },
		"layer 1: gate: is missing":                          func(c *trunk.Config, l *trunk.Layer) { l.Gate.Bias = make([]float32, 500) },
		"layer 1: down: is 500 × 48 where 48 × 500":          func(c *trunk.Config, l *trunk.Layer) { l.Down = matrix(500, 48) },
	} {
		d := describe(shapes["bert"])
		layers := d.pack(always(abi.ScalarF32))
		if strings.Contains(said, "stand") {
			layers = d.pack(always(abi.ScalarI8))
		}
		_, err := trunk.New(&d.config, layers)
		require.NoError(t, err)
		change(&d.config, &layers[1])
		_, err = trunk.New(&d.config, layers)
		require.ErrorIs(t, err, errors.ErrMalformed, said)
		require.ErrorContains(t, err, said)
	}
	d := describe(shapes["siglip"])
	layers := d.pack(always(abi.ScalarF32))
	layers[0], layers[2] = layers[2], layers[0]
	_, err := trunk.New(&d.config, layers)
	require.ErrorContains(t, err, "layer 0: a layer with a probe is not the last one")
}
