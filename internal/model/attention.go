package model

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

const (
	// queryRows is how many queries are multiplied with all keys of their text at once.
	queryRows = 48
	// mostScores bounds the memory of such a block for long texts: 2 MiB.
	mostScores = 1 << 19
	// manyKeys is the number of tokens from which on rounding the keys takes less time than it
	// saves.
	manyKeys = 128
	// fewTokens is the number of tokens below which all heads of a text are one part of the work.
	fewTokens = 64
	// partsEach is the least number of parts for each goroutine where texts are long, so that none
	// waits long for another.
	partsEach = 3
)

// queryBlock is some queries of a text, in some heads.
type queryBlock struct {
	text            textSpan
	head, heads     int
	at, first, last int // the row of the text's first query, and which of its queries
}

// cutAttention lists the parts of an attention, in s.queryBlocks.
func (m *Model) cutAttention(s *Scratch, lastOnly bool) {
	s.queryBlocks = s.queryBlocks[:0]
	heads := m.config.Heads
	for i, span := range s.spans {
		whole := queryBlock{text: span, heads: heads, at: span.start, last: span.length}
		if lastOnly {
			whole.at, whole.last = i, 1
		}
		if span.length < fewTokens {
			s.queryBlocks = append(s.queryBlocks, whole)
			continue
		}
		// Several parts of one head each pack its keys and values again, which costs little beside
		// many queries.
		pieces := max(1, min((whole.last+queryRows-1)/queryRows, (partsEach*s.hands()+heads-1)/heads))
		for head := range heads {
			for piece := range pieces {
				part := whole
				part.head, part.heads = head, 1
				part.first, part.last = whole.last*piece/pieces, whole.last*(piece+1)/pieces
				s.queryBlocks = append(s.queryBlocks, part)
			}
		}
	}
}

// attend replaces some rotated queries of a text, in some heads, by their attention: the values of
// the whole text weighted by the softmax of the query's products with the keys. Queries are
// independent, so their number and blocks change no bits.
func (m *Model) attend(lead, own *Scratch, a *queryBlock) {
	stride, size := apart(m.config.Width), m.config.Width/m.config.Heads
	scale := float32(1 / math.Sqrt(float64(size)))
	length := a.text.length
	scoreStride := apart(length)
	block := min(a.last-a.first, queryRows, max(1, mostScores/length))
	scores := grow(&own.scores, block*scoreStride)
	for head := a.head; head < a.head+a.heads; head++ {
		from := a.text.start*stride + head*size
		keys := own.packKeys(m, lead.keys[from:], stride, length, size)
		own.packedValues.Columns(lead.values[from:], stride, size, length)
		for first := a.first; first < a.last; first += block {
			rows := min(block, a.last-first)
			queries := lead.queries[(a.at+first)*stride+head*size:]
			x := keys.operand(&own.roundedQueries, queries, stride, rows, size)
			keys.product(scores, scoreStride, &x)
			sums := grow(&own.sums, rows)
			for i := range rows {
				sums[i] = kernel.Exponentials(scores[i*scoreStride:][:length], scale)
			}
			own.packedValues.Product(queries, stride, scores, scoreStride, rows)
			for i, sum := range sums {
				kernel.Scale(queries[i*stride:][:size], 1/sum)
			}
		}
	}
}

// packKeys packs the keys of a head, those of a long text in the kind of the model's matrices.
// Rounded keys and queries give nearly the same scores. But in a hundred steps the small weights of
// a long text would be lost, so values and their weights stay in f32.
func (s *Scratch) packKeys(m *Model, keys []float32, stride, length, size int) matrix {
	if length >= manyKeys && m.layers[0].query.bytes != nil {
		s.byteKeys.Rows(keys, stride, length, size)
		return matrix{bytes: &s.byteKeys}
	}
	s.packedKeys.Rows(keys, stride, length, size)
	return matrix{full: &s.packedKeys}
}
