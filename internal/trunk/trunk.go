package trunk

import (
	"slices"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Trunk is the layers of a model. It never changes, and any number of goroutines may use it, each
// with a [Scratch] of its own.
type Trunk struct {
	config    Config
	layers    []Layer
	rotations []*rotation // of each layer, nil where it has none; layers of one base share one
	relative  *relative   // nil without a bias of scores
}

// New returns the trunk of a description, whose slices it keeps: nothing that they hold may be
// changed. A description that contradicts itself, as by a matrix of another shape, is
// [errors.ErrMalformed], and the error names the layer and the part of it.
func New(config *Config, layers []Layer) (*Trunk, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	t := &Trunk{config: *config, layers: slices.Clone(layers), rotations: make([]*rotation, len(layers))}
	shared := map[float64]*rotation{}
	for i := range t.layers {
		l := &t.layers[i]
		if err := config.checkLayer(l, i, i == len(layers)-1); err != nil {
			return nil, err
		}
		l.moveBiases()
		if l.RotaryBase == 0 {
			continue
		}
		if shared[l.RotaryBase] == nil {
			shared[l.RotaryBase] = &rotation{pairs: config.Width / config.Heads / 2, base: l.RotaryBase}
		}
		t.rotations[i] = shared[l.RotaryBase]
	}
	if config.RelativeBias != nil {
		t.relative = newRelative(config)
	}
	return t, nil
}

// moveBiases leaves out what changes no result. A bias of keys adds the same to all scores of a
// query, if they are not rotated. The weights of values have a sum of 1, so that their bias can be
// added to the attention, and, by its linear map, to that map's bias.
func (l *Layer) moveBiases() {
	if l.RotaryBase == 0 && l.Key.Weight.Columns == nil {
		l.Key.Bias = nil
	}
	width := len(l.Value.Bias)
	if width == 0 || l.Value.Weight.Columns != nil || l.Output.Weight.Full == nil {
		return
	}
	moved := make([]float32, width)
	l.Output.Weight.Full.Product(moved, width, l.Value.Bias, width, 1)
	if l.Output.Bias != nil {
		kernel.Add(moved, l.Output.Bias)
	}
	l.Value.Bias, l.Output.Bias = nil, moved
}

// Size returns the memory of the weights, in bytes.
func (t *Trunk) Size() int {
	bytes := 4 * len(t.config.RelativeBias)
	for i := range t.layers {
		l := &t.layers[i]
		bytes += l.AttentionNorm.size() + l.FeedforwardNorm.size()
		bytes += 4 * (len(l.AttentionScale) + len(l.FeedforwardScale) + len(l.Probe))
		for _, linear := range l.linears() {
			bytes += linear.size()
		}
	}
	return bytes
}

// linears returns the linear maps of a layer.
func (l *Layer) linears() [7]*Linear {
	return [7]*Linear{&l.Query, &l.Key, &l.Value, &l.Output, &l.Up, &l.Gate, &l.Down}
}
