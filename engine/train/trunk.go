package train

import (
	"slices"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/model"
)

// span is the range of an item's tokens among the rows of a chunk.
type span struct {
	item          int // of the step
	start, length int
}

// kept is what the backward pass of a layer needs of the forward pass, a row for each token:
// besides the layer's input, ten times the width where the inner width is four times it. Normed
// rows, attention weights and the results of SiLU are computed again.
type kept struct {
	queries, keys, values []float32 // rotated
	attended              []float32 // the result of attention, before the output matrix
	between               []float32 // h after attention
	inner                 []float32 // up·u, before SiLU
}

// tokenScalars returns how many scalars are kept for a token.
func (n *network) tokenScalars() int {
	layer := 6*n.width + n.config.Hidden // its input and kept
	return (len(n.layers)+1)*n.width + len(n.layers)*layer
}

// activations are those of one chunk: the input of layer i is hidden[i], and the trunk's result is
// the last one.
type activations struct {
	hidden [][]float32
	kept   []kept
}

// space is the working memory of one task.
type space struct {
	a, b, c                       []float32 // rows of a block
	scores, slopes, transposed    []float32 // some queries of a head against every key
	keys, keysBack, values, block kernel.Packed
	padded                        []byte // a text between spaces
	lane                          model.Scratch
}

func (n *network) reserve(a *activations, rows int) {
	d := n.width
	grow(&a.hidden, len(n.layers)+1)
	grow(&a.kept, len(n.layers))
	for i := range a.hidden {
		grow(&a.hidden[i], rows*d)
	}
	for i := range a.kept {
		k := &a.kept[i]
		for _, buffer := range []*[]float32{&k.queries, &k.keys, &k.values, &k.attended, &k.between} {
			grow(buffer, rows*d)
		}
		grow(&k.inner, rows*n.config.Hidden)
	}
}

// forward takes the rows of a chunk from a.hidden[0] through all layers.
func (r *run) forward(a *activations) {
	for i := range r.layers {
		if r.interrupted() {
			return
		}
		r.forwardLayer(&r.layers[i], &a.kept[i], a.hidden[i], a.hidden[i+1])
	}
}

func (r *run) forwardLayer(l *layer, k *kept, in, out []float32) {
	d, hidden, epsilon := r.width, r.config.Hidden, r.config.NormEpsilon
	r.spread(len(r.blocks), func(i int) {
		s := r.take()
		defer r.give(s)
		begin, end := r.blocks[i].begin, r.blocks[i].end
		count := end - begin
		normed := grow(&s.a, count*d)
		normRows(normed, in[begin*d:], l.attentionNorm.weights, count, epsilon)
		l.query.forward.Product(k.queries[begin*d:], d, normed, d, count)
		l.key.forward.Product(k.keys[begin*d:], d, normed, d, count)
		l.value.forward.Product(k.values[begin*d:], d, normed, d, count)
	})
	r.spread(len(r.spans)*r.config.Heads, func(i int) {
		s := r.take()
		defer r.give(s)
		r.attend(s, k, r.spans[i/r.config.Heads], i%r.config.Heads)
	})
	r.spread(len(r.blocks), func(i int) {
		s := r.take()
		defer r.give(s)
		begin, end := r.blocks[i].begin, r.blocks[i].end
		count := end - begin
		between := k.between[begin*d : end*d]
		copy(between, in[begin*d:end*d])
		l.output.forward.ProductAdd(between, d, k.attended[begin*d:], d, count)
		normed, inner := grow(&s.a, count*d), k.inner[begin*hidden:end*hidden]
		normRows(normed, between, l.feedforwardNorm.weights, count, epsilon)
		l.up.forward.Product(inner, hidden, normed, d, count)
		active := grow(&s.b, count*hidden)
		copy(active, inner)
		kernel.SiLU(active)
		copy(out[begin*d:end*d], between)
		l.down.forward.ProductAdd(out[begin*d:], d, active, hidden, count)
	})
}

func normRows(dst, rows, gain []float32, count int, epsilon float64) {
	d := len(gain)
	for i := range count {
		kernel.RMSNorm(dst[i*d:(i+1)*d], rows[i*d:(i+1)*d], gain, epsilon)
	}
}

// slopes are the gradients of a chunk in the backward pass, and the factors of the matrices'
// gradients.
type slopes struct {
	// of a layer's result, then of the rows between its parts, then of its input
	hidden                []float32
	attended              []float32
	queries, keys, values []float32
	gain                  gains

	leftHidden, leftInner, leftBetween      lefts
	leftQueries, leftKeys, leftValues       lefts
	rightNormed, rightActive, rightAttended rights
	leftTokens                              lefts
	rightPatches                            rights
}

func (n *network) reserveSlopes(s *slopes, rows int) {
	for _, buffer := range []*[]float32{&s.hidden, &s.attended, &s.queries, &s.keys, &s.values} {
		grow(buffer, rows*n.width)
	}
}

// backward takes s.hidden, the gradient of the trunk's result, back to that of the input rows, and
// adds the gradients of all layers.
func (r *run) backward(a *activations, s *slopes) {
	for i := range slices.Backward(r.layers) {
		if r.interrupted() {
			return
		}
		l, k := &r.layers[i], &a.kept[i]
		r.feedforwardBackward(l, k, s)
		r.spread(len(r.spans)*r.config.Heads, func(i int) {
			w := r.take()
			defer r.give(w)
			r.attendBackward(w, k, s, r.spans[i/r.config.Heads], i%r.config.Heads)
		})
		r.attentionBackward(l, a.hidden[i], s)
	}
}

// feedforwardBackward leaves in s.hidden the gradient of the rows between attention and the
// feed-forward part, and in s.attended that of the attention's result.
func (r *run) feedforwardBackward(l *layer, k *kept, s *slopes) {
	d, hidden, epsilon := r.width, r.config.Hidden, r.config.NormEpsilon
	blocks := len(r.blocks)
	s.gain.reset(blocks, d)
	s.leftHidden.reset(blocks)
	s.leftInner.reset(blocks)
	s.leftBetween.reset(blocks)
	s.rightNormed.reset(blocks)
	s.rightActive.reset(blocks)
	s.rightAttended.reset(blocks)
	r.spread(blocks, func(i int) {
		w := r.take()
		defer r.give(w)
		begin, end := r.blocks[i].begin, r.blocks[i].end
		count := end - begin
		slope, between := s.hidden[begin*d:end*d], k.between[begin*d:end*d]
		inner := k.inner[begin*hidden : end*hidden]
		s.leftHidden.transpose(i, slope, d, count)
		active := grow(&w.b, count*hidden)
		copy(active, inner)
		kernel.SiLU(active)
		s.rightActive.pack(i, active, hidden, count)
		within := grow(&w.c, count*hidden)
		l.down.backward.Product(within, hidden, slope, d, count)
		siluBackward(within, inner, active)
		s.leftInner.transpose(i, within, hidden, count)
		normed := grow(&w.a, count*d)
		normRows(normed, between, l.feedforwardNorm.weights, count, epsilon)
		s.rightNormed.pack(i, normed, d, count)
		l.up.backward.Product(normed, d, within, hidden, count)
		for row := range count {
			at, to := row*d, (row+1)*d
			normBackward(slope[at:to], normed[at:to], between[at:to], l.feedforwardNorm.weights, s.gain.part(i), epsilon)
		}
		s.leftBetween.transpose(i, slope, d, count)
		s.rightAttended.pack(i, k.attended[begin*d:end*d], d, count)
		l.output.backward.Product(s.attended[begin*d:], d, slope, d, count)
	})
	s.gain.addTo(l.feedforwardNorm.gradient)
	r.spread.addOuters(r.blocks,
		outer{l.down.parameter, &s.leftHidden, &s.rightActive},
		outer{l.up.parameter, &s.leftInner, &s.rightNormed},
		outer{l.output.parameter, &s.leftBetween, &s.rightAttended})
}

// attentionBackward takes the gradients of queries, keys and values to that of the layer's input,
// and adds it to s.hidden.
func (r *run) attentionBackward(l *layer, in []float32, s *slopes) {
	d, epsilon := r.width, r.config.NormEpsilon
	blocks := len(r.blocks)
	s.gain.reset(blocks, d)
	s.leftQueries.reset(blocks)
	s.leftKeys.reset(blocks)
	s.leftValues.reset(blocks)
	s.rightNormed.reset(blocks)
	r.spread(blocks, func(i int) {
		w := r.take()
		defer r.give(w)
		begin, end := r.blocks[i].begin, r.blocks[i].end
		count := end - begin
		normed := grow(&w.a, count*d)
		normRows(normed, in[begin*d:], l.attentionNorm.weights, count, epsilon)
		s.rightNormed.pack(i, normed, d, count)
		s.leftQueries.transpose(i, s.queries[begin*d:end*d], d, count)
		s.leftKeys.transpose(i, s.keys[begin*d:end*d], d, count)
		s.leftValues.transpose(i, s.values[begin*d:end*d], d, count)
		l.query.backward.Product(normed, d, s.queries[begin*d:], d, count)
		l.key.backward.ProductAdd(normed, d, s.keys[begin*d:], d, count)
		l.value.backward.ProductAdd(normed, d, s.values[begin*d:], d, count)
		for row := range count {
			at, to := row*d, (row+1)*d
			normBackward(s.hidden[begin*d:][at:to], normed[at:to], in[begin*d:][at:to], l.attentionNorm.weights, s.gain.part(i), epsilon)
		}
	})
	s.gain.addTo(l.attentionNorm.gradient)
	r.spread.addOuters(r.blocks,
		outer{l.query.parameter, &s.leftQueries, &s.rightNormed},
		outer{l.key.parameter, &s.leftKeys, &s.rightNormed},
		outer{l.value.parameter, &s.leftValues, &s.rightNormed})
}
