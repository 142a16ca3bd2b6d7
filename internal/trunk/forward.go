package trunk

import (
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
)

// mostRows is how many rows go through a layer's products at once: enough rows for weights that fit
// no cache, and few enough that intermediate results stay in the second-level cache.
const mostRows = 256

// Span is the rows of one text, at least one: from Start on, Length many.
type Span struct{ Start, Length int }

// Rows is which rows of a text are computed.
type Rows int

const (
	// EveryRow computes all rows.
	EveryRow Rows = iota
	// FirstRow computes the first row of each text: of the last layer only its keys and values are
	// computed for the others.
	FirstRow
	// LastRow is FirstRow for the last row of each text.
	LastRow
)

// row returns which row of a span is computed, for FirstRow and LastRow.
func (r Rows) row(span Span) int {
	if r == LastRow {
		return span.Length - 1
	}
	return 0
}

// Forward takes texts through all layers. Their input rows are in the memory that
// [Scratch.Hidden] returned, the rows of spans end to end and nothing between them. It returns the
// states, before a last norm that stands for itself: one row of [Config.Width] scalars for each
// row, or, with another choice of rows or with a probe, one for each text. They are valid until the
// next call.
//
// Each text has the same bits in any batch, for every number of goroutines of the scratch's [Team].
// stop is called now and then, on this goroutine, and true ends the call with
// [errors.ErrCancelled]; it may be nil.
func (t *Trunk) Forward(s *Scratch, spans []Span, rows Rows, stop func() bool) (states []float32, err error) {
	if len(spans) == 0 {
		return nil, nil
	}
	s.spans = spans
	defer func() { s.spans = nil }() // they belong to the caller
	d, last := t.config.Width, spans[len(spans)-1]
	count := last.Start + last.Length
	room := count * apart(d)
	grow(&s.queries, room)
	grow(&s.keys, room)
	grow(&s.values, room)
	single := rows != EveryRow
	for i := range t.layers {
		l := &t.layers[i]
		final := i == len(t.layers)-1
		oneEach := final && (single || l.Probe != nil)
		if err := t.eachRow(s, i, count, oneEach, stop); err != nil {
			return nil, err
		}
		if oneEach {
			count = len(spans)
			t.ask(s, i, rows)
		}
		t.cutAttention(s, l, oneEach, rows)
		s.work.step = step{trunk: t, attention: true, layer: i}
		if err := s.share(len(s.blocks), stop); err != nil {
			return nil, err
		}
	}
	if single && len(t.layers) == 0 {
		s.gather(d, rows)
		return s.hidden[:len(spans)*d], nil
	}
	if err := t.eachRow(s, len(t.layers), count, false, stop); err != nil {
		return nil, err
	}
	return s.hidden[:count*d], nil
}

// step is one step of a trunk's work, cut into parts. Between the attentions of two layers every
// operation is on single rows: the end of one layer and the beginning of the next are one step, on
// some rows; the attention is another, on some heads of a text.
type step struct {
	trunk     *Trunk
	attention bool
	layer     int // the layer whose attention it is, or that begins
	rows      int
	block     int // rows of a part
	keysOnly  bool
}

// do does a part of the work of lead, in the memory of own.
func (w *step) do(lead, own *Scratch, part int) {
	t := w.trunk
	if w.attention {
		t.attend(lead, own, w.layer, &lead.blocks[part])
		return
	}
	start := part * w.block
	count := min(w.block, w.rows-start)
	if w.layer > 0 {
		t.endLayer(lead, own, w.layer-1, start, count)
	}
	if w.layer < len(t.layers) {
		t.beginLayer(lead, own, w.layer, start, count, w.keysOnly)
	}
}

// eachRow ends one layer and begins the next, on all rows. Parts are equal, and each goroutine gets
// the same number.
func (t *Trunk) eachRow(s *Scratch, layer, rows int, keysOnly bool, stop func() bool) error {
	hands := s.hands()
	most := hands * mostRows
	parts := min(rows, hands*((rows+most-1)/most))
	block := (rows + parts - 1) / parts
	s.work.step = step{trunk: t, layer: layer, rows: rows, block: block, keysOnly: keysOnly}
	return s.share((rows+block-1)/block, stop)
}

// Stopped returns [errors.ErrCancelled] if stop returns true, and nil otherwise. stop may be nil.
func Stopped(stop func() bool) error {
	if stop != nil && stop() {
		return fmt.Errorf("stopped before the end: %w", errors.ErrCancelled)
	}
	return nil
}
