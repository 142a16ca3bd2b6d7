package model

import (
	"math"

	"github.com/unum-cloud/uform-go/engine/kernel"
)

const (
	// queryRows is how many queries meet all keys of their text at once.
	queryRows = 48
	// mostScores bounds the memory of such a block where a text is long: 2 MiB.
	mostScores = 1 << 19
	// longText is how many keys make a block of queries long enough to ask whether to stop.
	longText = 512
)

// attend writes the attention of count rotated queries of one text to out, head by head: for each query, the values of
// the whole text weighted by the softmax of its products with the keys. Every query is by itself, so their number and
// blocks change no bits. Rows of queries and out are as wide as the model.
func (m *Model) attend(s *Scratch, text textSpan, queries, out []float32, count int, stop func() bool) error {
	d, heads := m.config.Width, m.config.Heads
	size := d / heads
	scale := float32(1 / math.Sqrt(float64(size)))
	block := min(count, queryRows, max(1, mostScores/text.length))
	scores := grow(&s.scores, block*text.length)
	for head := range heads {
		at := text.start*d + head*size
		s.packedKeys.Rows(s.keys[at:], d, text.length, size)
		s.packedValues.Columns(s.values[at:], d, size, text.length)
		for start := 0; start < count; start += block {
			if text.length >= longText {
				if err := stopped(stop); err != nil {
					return err
				}
			}
			rows := min(block, count-start)
			s.packedKeys.Product(scores, text.length, queries[start*d+head*size:], d, rows)
			for i := range rows {
				kernel.Softmax(scores[i*text.length:(i+1)*text.length], scale)
			}
			s.packedValues.Product(out[start*d+head*size:], d, scores, text.length, rows)
		}
	}
	return nil
}
