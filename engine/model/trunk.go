package model

import (
	"fmt"

	"github.com/unum-cloud/uform-go/engine/kernel"
	"github.com/unum-cloud/uform-go/errors"
)

// feedforwardRows is how many rows go through the feed-forward part at once: enough to use a matrix well, and few
// enough for its inside to stay in cache.
const feedforwardRows = 192

// stopped is the error of a call whose stop said so, nil where it goes on.
func stopped(stop func() bool) error {
	if stop != nil && stop() {
		return fmt.Errorf("stopped before the end: %w", errors.ErrCancelled)
	}
	return nil
}

// forward takes the first rows rows of s.hidden, the input rows of s.spans end to end, through all layers. With
// lastOnly only the last row of each span comes out, and s.hidden holds one row for each span then: the last layer
// needs every key and value but no other query.
func (m *Model) forward(s *Scratch, rows int, lastOnly bool, stop func() bool) error {
	for i := range m.layers {
		if err := stopped(stop); err != nil {
			return err
		}
		last := lastOnly && i == len(m.layers)-1
		if err := m.attention(s, &m.layers[i], rows, last, stop); err != nil {
			return err
		}
		if last {
			rows = len(s.spans)
		}
		m.feedforward(s, &m.layers[i], rows)
	}
	return nil
}

// attention adds a layer's attention to s.hidden.
func (m *Model) attention(s *Scratch, l *layer, rows int, lastOnly bool, stop func() bool) error {
	d := m.config.Width
	normed := grow(&s.normed, rows*d)
	for i := range rows {
		kernel.RMSNorm(normed[i*d:(i+1)*d], s.hidden[i*d:(i+1)*d], l.attentionNorm, m.config.NormEpsilon)
	}
	keys, values := grow(&s.keys, rows*d), grow(&s.values, rows*d)
	l.key.Product(keys, d, normed, d, rows)
	l.value.Product(values, d, normed, d, rows)
	asking := rows
	if lastOnly {
		// Rows move towards the front, each to a place that was read before.
		for i, span := range s.spans {
			last := span.start + span.length - 1
			copy(normed[i*d:(i+1)*d], normed[last*d:(last+1)*d])
			copy(s.hidden[i*d:(i+1)*d], s.hidden[last*d:(last+1)*d])
		}
		asking = len(s.spans)
	}
	queries := grow(&s.queries, asking*d)
	l.query.Product(queries, d, normed, d, asking)
	for i, span := range s.spans {
		m.rotate(keys[span.start*d:], 0, span.length)
		first, count, at := 0, span.length, span.start
		if lastOnly {
			first, count, at = span.length-1, 1, i
		}
		m.rotate(queries[at*d:], first, count)
		// normed has served, and takes the result.
		err := m.attend(s, span, queries[at*d:], normed[at*d:], count, stop)
		if err != nil {
			return err
		}
	}
	l.output.ProductAdd(s.hidden, d, normed, d, asking)
	return nil
}

// rotate turns every head of rows rows, which stand at position first and after.
func (m *Model) rotate(x []float32, first, rows int) {
	turns, pairs := m.rotation.upTo(first+rows), m.rotation.pairs
	for i := range rows {
		cos, sin := turns.at(first+i, pairs)
		row := x[i*m.config.Width:][:m.config.Width]
		for ; len(row) > 0; row = row[2*pairs:] {
			kernel.Rotate(row[:2*pairs], cos, sin)
		}
	}
}

// feedforward adds a layer's feed-forward part to s.hidden.
func (m *Model) feedforward(s *Scratch, l *layer, rows int) {
	d, f := m.config.Width, m.config.Hidden
	block := min(rows, feedforwardRows)
	normed, inner := grow(&s.normed, block*d), grow(&s.inner, block*f)
	for start := 0; start < rows; start += block {
		count := min(block, rows-start)
		hidden := s.hidden[start*d:]
		for i := range count {
			kernel.RMSNorm(normed[i*d:(i+1)*d], hidden[i*d:(i+1)*d], l.feedforwardNorm, m.config.NormEpsilon)
		}
		l.up.Product(inner, f, normed, d, count)
		kernel.SiLU(inner[:count*f])
		l.down.ProductAdd(hidden, d, inner, f, count)
	}
}
