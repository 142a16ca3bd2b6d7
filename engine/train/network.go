package train

import (
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/internal/model"
)

// network is the architecture over parameters.
type network struct {
	config *model.Config
	width  int

	bytes, grams *parameter // grams is nil without n-grams
	layers       []layer
	norm         *parameter // nil without layers
	projection   matrix
	empty        []float32
	lexical      []float32 // nil without the lane
	head         *parameter
	headEmpty    *parameter

	imagePatches, audioPatches *matrix
	imagePositions, videoTimes *parameter

	angles   angles
	matrices []*matrix
}

// layer is one layer of the trunk.
type layer struct {
	attentionNorm, feedforwardNorm *parameter
	query, key, value, output      matrix
	up, down                       matrix
}

func newNetwork(config *model.Config, p *parameters) *network {
	n := &network{
		config: config, width: config.Width,
		bytes: p.named["bytes"], grams: p.named["grams"], norm: p.named["norm"],
		projection: matrix{parameter: p.named["projection"]},
		empty:      p.named["empty"].weights,
		head:       p.named["decoder.head"], headEmpty: p.named["decoder.empty"],
		imagePositions: p.named["image.positions"], videoTimes: p.named["video.times"],
	}
	if lexical := p.named["lexical"]; lexical != nil {
		n.lexical = lexical.weights
	}
	n.matrices = append(n.matrices, &n.projection)
	if patches := p.named["image.patches"]; patches != nil {
		n.imagePatches = &matrix{parameter: patches}
		n.matrices = append(n.matrices, n.imagePatches)
	}
	if patches := p.named["audio.patches"]; patches != nil {
		n.audioPatches = &matrix{parameter: patches}
		n.matrices = append(n.matrices, n.audioPatches)
	}
	n.layers = make([]layer, config.Layers)
	for i := range n.layers {
		l, prefix := &n.layers[i], fmt.Sprintf("layers.%d.", i)
		l.attentionNorm = p.named[prefix+"attention.norm"]
		l.feedforwardNorm = p.named[prefix+"feedforward.norm"]
		for name, to := range map[string]*matrix{
			"attention.query": &l.query, "attention.key": &l.key, "attention.value": &l.value,
			"attention.output": &l.output, "feedforward.up": &l.up, "feedforward.down": &l.down,
		} {
			to.parameter = p.named[prefix+name]
		}
		n.matrices = append(n.matrices, &l.query, &l.key, &l.value, &l.output, &l.up, &l.down)
	}
	if config.Layers > 0 {
		n.angles = angles{pairs: config.Width / config.Heads / 2, base: config.RotaryBase}
	}
	return n
}

// pack packs the present weights of all matrices.
func (n *network) pack(spread Spread) {
	spread(len(n.matrices), func(i int) { n.matrices[i].pack() })
}

// angles are the cosines and sines of rotary positions, up to the longest item so far.
type angles struct {
	pairs     int
	base      float64
	cos, sin  []float32
	back      []float32 // −sin
	positions int
}

// reach prepares positions. It must not run at the same time as a rotation.
func (t *angles) reach(positions int) {
	if positions <= t.positions {
		return
	}
	for i := t.positions; i < positions; i++ {
		for pair := range t.pairs {
			sin, cos := math.Sincos(float64(i) * math.Pow(t.base, -float64(pair)/float64(t.pairs)))
			t.cos, t.sin = append(t.cos, float32(cos)), append(t.sin, float32(sin))
			t.back = append(t.back, float32(-sin))
		}
	}
	t.positions = positions
}

// at returns the cosines and sines of a position.
func (t *angles) at(i int) (cos, sin []float32) {
	return t.cos[i*t.pairs : (i+1)*t.pairs], t.sin[i*t.pairs : (i+1)*t.pairs]
}

// backAt returns those of the opposite angle.
func (t *angles) backAt(i int) (cos, sin []float32) {
	return t.cos[i*t.pairs : (i+1)*t.pairs], t.back[i*t.pairs : (i+1)*t.pairs]
}
