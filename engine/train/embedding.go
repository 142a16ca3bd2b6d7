package train

import (
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// embedded holds the results of a step's items and questions, a row for each. It outlives chunks.
type embedded struct {
	pooled  []float32 // the projection's inputs
	dense   []float32 // its results, scaled to length 1
	lengths []float64 // before scaling; zero for an item without tokens
	shares  []float32 // the factors of the dense part in the embedding
	rows    []float32 // the embeddings

	states []float32 // the last state of each question, whether or not it has a text

	// The gradients of all of these.
	rowSlopes, denseSlopes, pooledSlopes, stateSlopes []float32
}

// pooled returns the projection's input of an item.
func (r *run) pooled(item int) []float32 {
	wide := r.config.PooledColumns()
	return r.embedded.pooled[item*wide:][:wide]
}

// state returns the last state of a question, by its index among the samples.
func (r *run) state(sample int) []float32 {
	return r.embedded.states[(sample-r.items)*r.width:][:r.width]
}

func (r *run) reserveEmbedded() {
	e, n := &r.embedded, r.items
	wide, columns := r.config.PooledColumns(), r.config.EmbeddingColumns()
	questions := len(r.samples) - n
	for buffer, size := range map[*[]float32]int{
		&e.pooled: n * wide, &e.pooledSlopes: n * wide,
		&e.dense: n * r.config.Columns, &e.denseSlopes: n * r.config.Columns,
		&e.rows: n * columns, &e.rowSlopes: n * columns, &e.shares: n,
		&e.states: questions * r.width, &e.stateSlopes: questions * r.width,
	} {
		clear(grow(buffer, size))
	}
	clear(grow(&e.lengths, n))
	for i := n; i < len(r.samples); i++ {
		if r.samples[i].tokens == 0 {
			copy(r.state(i), r.headEmpty.weights)
		}
	}
}

// readStates pools the trunk's states of a chunk: their mean, or for a question the last one.
func (r *run) readStates(hidden []float32) {
	d := r.width
	r.spread(len(r.spans), func(i int) {
		w := r.take()
		defer r.give(w)
		span := r.spans[i]
		rows := hidden[span.start*d:][:span.length*d]
		question := r.samples[span.item].question
		switch {
		case question && len(r.layers) == 0:
			copy(r.state(span.item), rows[len(rows)-d:])
		case question:
			kernel.RMSNorm(r.state(span.item), rows[len(rows)-d:], r.norm.weights, r.config.NormEpsilon)
		case len(r.layers) > 0:
			normed := grow(&w.a, len(rows))
			normRows(normed, rows, r.norm.weights, span.length, r.config.NormEpsilon)
			meanRows(r.pooled(span.item)[:d], normed)
		}
	})
}

// statesBackward writes the gradient of a chunk's last rows to slopes, a row for each token, or,
// without layers, to items, a row for each span.
func (r *run) statesBackward(hidden, slopes, items []float32) {
	d := r.width
	if len(r.layers) == 0 {
		r.bagBackward(slopes, items)
		return
	}
	const part = 8
	g := &r.slopes.gain
	g.reset((len(r.spans)+part-1)/part, d)
	r.spread.each(len(r.spans), part, func(index, begin, end int) {
		w := r.take()
		defer r.give(w)
		for _, span := range r.spans[begin:end] {
			own := slopes[span.start*d:][:span.length*d]
			rows := hidden[span.start*d:][:span.length*d]
			clear(own)
			if r.samples[span.item].question {
				last := len(own) - d
				normBackward(own[last:], r.stateSlope(span.item), rows[last:], r.norm.weights, g.part(index), r.config.NormEpsilon)
				continue
			}
			state := grow(&w.a, d)
			copy(state, r.pooledSlope(span.item)[:d])
			scale(state, 1/float32(span.length))
			for at := 0; at < len(own); at += d {
				normBackward(own[at:at+d], state, rows[at:at+d], r.norm.weights, g.part(index), r.config.NormEpsilon)
			}
		}
	})
	g.addTo(r.norm.gradient)
}

// skipBackward adds the gradient of the mean of the input rows to that of each.
func (r *run) skipBackward(slopes []float32) {
	d := r.width
	if len(r.layers) == 0 || !r.config.Skip {
		return
	}
	r.spread(len(r.spans), func(i int) {
		w := r.take()
		defer r.give(w)
		span := r.spans[i]
		if r.samples[span.item].question {
			return
		}
		mean := grow(&w.a, d)
		copy(mean, r.pooledSlope(span.item)[d:])
		scale(mean, 1/float32(span.length))
		for row := range span.length {
			kernel.Add(slopes[(span.start+row)*d:][:d], mean)
		}
	})
}

// bagBackward is statesBackward and skipBackward without layers. Patches still get a row for each
// token.
func (r *run) bagBackward(slopes, items []float32) {
	d := r.width
	r.spread(len(r.spans), func(i int) {
		span := r.spans[i]
		s := &r.samples[span.item]
		own := items[i*d : (i+1)*d]
		if s.question {
			copy(own, r.stateSlope(span.item))
			return
		}
		pooled := r.pooledSlope(span.item)
		copy(own, pooled[:d])
		if r.config.Skip {
			kernel.Add(own, pooled[d:])
		}
		scale(own, 1/float32(span.length))
		if s.patches != nil {
			for row := range span.length {
				copy(slopes[(span.start+row)*d:][:d], own)
			}
		}
	})
}

func (r *run) pooledSlope(item int) []float32 {
	wide := r.config.PooledColumns()
	return r.embedded.pooledSlopes[item*wide:][:wide]
}

func (r *run) stateSlope(sample int) []float32 {
	return r.embedded.stateSlopes[(sample-r.items)*r.width:][:r.width]
}

// embed computes the embeddings of all items from their pooled rows.
func (r *run) embed() {
	e, wide, columns, all := &r.embedded, r.config.PooledColumns(), r.config.Columns, r.config.EmbeddingColumns()
	r.spread.each(r.items, 96, func(_, begin, end int) {
		w := r.take()
		defer r.give(w)
		r.projection.forward.Product(e.dense[begin*columns:], columns, e.pooled[begin*wide:], wide, end-begin)
		for i := begin; i < end; i++ {
			s := &r.samples[i]
			row, dense := e.rows[i*all:(i+1)*all], e.dense[i*columns:(i+1)*columns]
			if s.tokens == 0 {
				copy(row, r.empty)
				continue
			}
			length := lengthOf(dense)
			share, laneLength := 1.0, 0.0
			if lexical := r.config.Lexical; lexical != nil && s.modality == abi.ModalityText {
				lexical.Lane(&w.lane, row[columns:], r.lexical, s.text)
				if laneLength = lengthOf(row[columns:]); laneLength > 0 && length > 0 {
					share = math.Sqrt(1 - lexical.Share)
					laneLength /= math.Sqrt(lexical.Share)
				}
			}
			if length == 0 && laneLength == 0 {
				copy(row, r.empty)
				continue
			}
			if laneLength > 0 {
				scale(row[columns:], float32(1/laneLength))
			}
			if length > 0 {
				scale(dense, float32(1/length))
				for c, v := range dense {
					row[c] = float32(share) * v
				}
				e.lengths[i], e.shares[i] = length, float32(share)
			}
		}
	})
}

// embedBackward takes the gradients of embeddings back to the pooled rows, and adds that of the
// projection.
func (r *run) embedBackward() {
	e, wide, columns, all := &r.embedded, r.config.PooledColumns(), r.config.Columns, r.config.EmbeddingColumns()
	blocks := cut(r.blocks, r.items)
	r.blocks = blocks
	left, right := &r.slopes.leftTokens, &r.slopes.rightPatches
	left.reset(len(blocks))
	right.reset(len(blocks))
	r.spread(len(blocks), func(b int) {
		begin, count := blocks[b].begin, blocks[b].end-blocks[b].begin
		for i := begin; i < begin+count; i++ {
			slope := e.denseSlopes[i*columns : (i+1)*columns]
			if e.lengths[i] == 0 {
				clear(slope)
				continue
			}
			dense := e.dense[i*columns : (i+1)*columns]
			copy(slope, e.rowSlopes[i*all:])
			along := kernel.Dot(slope, dense)
			factor := e.shares[i] / float32(e.lengths[i])
			for c, v := range dense {
				slope[c] = (slope[c] - along*v) * factor
			}
		}
		left.transpose(b, e.denseSlopes[begin*columns:], columns, count)
		right.pack(b, e.pooled[begin*wide:], wide, count)
		r.projection.backward.Product(e.pooledSlopes[begin*wide:], wide, e.denseSlopes[begin*columns:], columns, count)
	})
	r.spread.addOuters(blocks, outer{r.projection.parameter, left, right})
}

// lengthOf returns the Euclidean length of v.
func lengthOf(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}
