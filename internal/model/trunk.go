package model

import (
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// mostRows is how many rows go through a layer's products at once: enough rows for weights that fit
// no cache, and few enough that intermediate results stay in the second-level cache.
const mostRows = 256

// stopped returns an error if stop returns true, and nil otherwise.
func stopped(stop func() bool) error {
	if stop != nil && stop() {
		return fmt.Errorf("stopped before the end: %w", errors.ErrCancelled)
	}
	return nil
}

// apart returns the stride of rows of a width in scratch. Rows that are a multiple of 4 KiB apart
// would share a few lines of the first-level cache.
func apart(width int) int {
	if width%1024 == 0 {
		return width + 16
	}
	return width
}

// step is one step of a trunk's work, cut into parts. Between the attentions of two layers every
// operation is on single rows: the end of one layer and the beginning of the next are one step, on
// some rows; the attention is another, on some heads of a text.
type step struct {
	model     *Model
	attention bool
	layer     int // the layer whose attention it is, or that begins
	rows      int
	block     int // rows of a part
	lastOnly  bool
}

// do does a part of the work of lead, in the memory of own.
func (t *step) do(lead, own *Scratch, part int) {
	if t.attention {
		t.model.attend(lead, own, &lead.queryBlocks[part])
		return
	}
	start := part * t.block
	count := min(t.block, t.rows-start)
	if t.layer > 0 {
		t.model.endLayer(lead, own, &t.model.layers[t.layer-1], start, count)
	}
	if t.layer < len(t.model.layers) {
		t.model.beginLayer(lead, own, &t.model.layers[t.layer], start, count, t.lastOnly)
	}
}

// forward takes the first rows rows of s.hidden, the input rows of s.spans end to end, through all
// layers. With lastOnly only the last row of each span is computed, and s.hidden then holds one row
// for each span: the last layer needs every key and value but no other query.
func (m *Model) forward(s *Scratch, rows int, lastOnly bool, stop func() bool) error {
	if rows == 0 {
		return nil
	}
	room := rows * apart(m.config.Width)
	grow(&s.queries, room)
	grow(&s.keys, room)
	grow(&s.values, room)
	for i := range m.layers {
		last := lastOnly && i == len(m.layers)-1
		if err := m.eachRow(s, i, rows, last, stop); err != nil {
			return err
		}
		if last {
			rows = len(s.spans)
			m.askLast(s, &m.layers[i])
		}
		m.cutAttention(s, last)
		s.work.step = step{model: m, attention: true}
		if err := s.share(len(s.queryBlocks), stop); err != nil {
			return err
		}
	}
	return m.eachRow(s, len(m.layers), rows, false, stop)
}

// eachRow ends one layer and begins the next, on all rows. Parts are equal, and each goroutine gets
// the same number.
func (m *Model) eachRow(s *Scratch, layer, rows int, lastOnly bool, stop func() bool) error {
	hands := s.hands()
	most := hands * mostRows
	parts := min(rows, hands*((rows+most-1)/most))
	block := (rows + parts - 1) / parts
	s.work.step = step{model: m, layer: layer, rows: rows, block: block, lastOnly: lastOnly}
	return s.share((rows+block-1)/block, stop)
}

// beginLayer computes queries, keys and values of some rows.
func (m *Model) beginLayer(lead, own *Scratch, l *layer, start, count int, lastOnly bool) {
	d, stride := m.config.Width, apart(m.config.Width)
	normed := m.normalized(own, lead.hidden[start*d:], l.attentionNorm, count)
	x := l.key.operand(&own.rounded, normed, stride, count, d)
	keys, values := lead.keys[start*stride:], lead.values[start*stride:]
	l.key.product(keys, stride, &x)
	l.value.product(values, stride, &x)
	var queries []float32
	if !lastOnly {
		queries = lead.queries[start*stride:]
		l.query.product(queries, stride, &x)
	}
	for _, span := range lead.spans {
		first, end := max(span.start, start), min(span.start+span.length, start+count)
		if first >= end {
			continue
		}
		at := (first - start) * stride
		m.rotate(keys[at:], first-span.start, end-first)
		if !lastOnly {
			m.rotate(queries[at:], first-span.start, end-first)
		}
	}
}

// askLast moves the last rows of all texts to the front, and computes their queries.
func (m *Model) askLast(s *Scratch, l *layer) {
	d, stride := m.config.Width, apart(m.config.Width)
	for i, span := range s.spans {
		last := span.start + span.length - 1
		copy(s.hidden[i*d:(i+1)*d], s.hidden[last*d:(last+1)*d])
	}
	normed := m.normalized(s, s.hidden, l.attentionNorm, len(s.spans))
	x := l.query.operand(&s.rounded, normed, stride, len(s.spans), d)
	l.query.product(s.queries, stride, &x)
	for i, span := range s.spans {
		m.rotate(s.queries[i*stride:], span.length-1, 1)
	}
}

// normalized returns the norms of some rows, in the memory of own.
func (m *Model) normalized(own *Scratch, rows, gain []float32, count int) []float32 {
	d, stride := m.config.Width, apart(m.config.Width)
	normed := grow(&own.normed, count*stride)
	for i := range count {
		kernel.RMSNorm(normed[i*stride:][:d], rows[i*d:][:d], gain, m.config.NormEpsilon)
	}
	return normed
}

// rotate rotates every head of some rows, at positions from first on.
func (m *Model) rotate(x []float32, first, count int) {
	d, stride := m.config.Width, apart(m.config.Width)
	angles, pairs := m.rotation.upTo(first+count), m.rotation.pairs
	for i := range count {
		cos, sin := angles.at(first+i, pairs)
		for row := x[i*stride:][:d]; len(row) > 0; row = row[2*pairs:] {
			kernel.Rotate(row[:2*pairs], cos, sin)
		}
	}
}

// endLayer adds the attention's results, which are in the place of the queries, to some rows, and
// then the feed-forward part.
func (m *Model) endLayer(lead, own *Scratch, l *layer, start, count int) {
	d, f := m.config.Width, m.config.Hidden
	stride := apart(d)
	hidden := lead.hidden[start*d:]
	attended := l.output.operand(&own.rounded, lead.queries[start*stride:], stride, count, d)
	l.output.productAdd(hidden, d, &attended)
	normed := m.normalized(own, hidden, l.feedforwardNorm, count)
	x := l.up.operand(&own.rounded, normed, stride, count, d)
	// This much of the inner rows at a time stays in the second-level cache.
	for first := 0; first < f; first += kernel.Depth {
		end := min(f, first+kernel.Depth)
		inner := grow(&own.inner, count*(end-first))
		l.up.productOutputs(inner, end-first, &x, first, end)
		kernel.SiLU(inner)
		part := l.down.operand(&own.roundedInner, inner, end-first, count, end-first)
		l.down.productAddInputs(hidden, d, &part, first, end)
	}
}
