package folder

import (
	"maps"
	"slices"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Architectures lists every model_type that is known.
func Architectures() []string { return slices.Sorted(maps.Keys(architectures)) }

// Apart returns the inputs of each layer that are not rounded, of the attention and of the
// feed-forward part.
func (m *Model) Apart() (apart [][2][]int) {
	for i := range m.tower.layers {
		l := &m.tower.layers[i]
		apart = append(apart, [2][]int{l.Query.Weight.Apart, l.Up.Weight.Apart})
	}
	return apart
}

// LayerOutputs takes a text through a tower whose norms follow the parts of a layer, and returns
// the rows after each layer.
func (m *Model) LayerOutputs(text string) ([][]float32, error) {
	t, s := m.tower, new(Scratch)
	ids, _, err := m.Tokenize(s, nil, []byte(text), NoPrompt)
	if err != nil {
		return nil, err
	}
	spans := []trunk.Span{{Length: len(ids)}}
	outputs := make([][]float32, len(t.layers))
	t.readInputs(s.trunk.Hidden(len(ids), t.config.Width), ids, grow(&s.row, t.config.Width))
	err = t.trunk.Inputs(&s.trunk, spans, func(layer int, feedforward bool, row []float32) {
		if !feedforward && layer > 0 {
			outputs[layer-1] = append(outputs[layer-1], row...)
		}
	})
	if err != nil {
		return nil, err
	}
	t.readInputs(s.trunk.Hidden(len(ids), t.config.Width), ids, grow(&s.row, t.config.Width))
	states, err := t.trunk.Forward(&s.trunk, spans, trunk.EveryRow, nil)
	outputs[len(outputs)-1] = slices.Clone(states)
	return outputs, err
}

// AllRounded returns a model that rounds all inputs of matrices of bytes.
func (m *Model) AllRounded() (*Model, error) {
	return m.withLayers(func(i int, l *trunk.Layer) {
		for _, linear := range []*trunk.Linear{&l.Query, &l.Key, &l.Value, &l.Up, &l.Gate} {
			linear.Weight.Apart, linear.Weight.Columns = nil, nil
		}
	})
}

// WithLayerOf returns a model that has one layer of another.
func (m *Model) WithLayerOf(other *Model, layer int) (*Model, error) {
	return m.withLayers(func(i int, l *trunk.Layer) {
		if i == layer {
			*l = other.tower.layers[i]
		}
	})
}

// withLayers returns a model whose layers were changed.
func (m *Model) withLayers(change func(i int, l *trunk.Layer)) (*Model, error) {
	changed, t := *m, *m.tower
	t.layers = slices.Clone(t.layers)
	for i := range t.layers {
		change(i, &t.layers[i])
	}
	var err error
	t.trunk, err = trunk.New(&t.config, t.layers)
	changed.tower = &t
	return &changed, err
}
