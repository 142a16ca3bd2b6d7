package model

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

const (
	// queryRows is how many queries meet all keys of their text at once.
	queryRows = 48
	// mostScores bounds the memory of such a block where a text is long: 2 MiB.
	mostScores = 1 << 19
	// manyKeys is the tokens of a text from which on rounding its keys takes less than it saves.
	manyKeys = 128
	// fewTokens is the tokens of a text below which all of its heads are one part of the work.
	fewTokens = 64
	// partsEach is how many parts each who computes gets at least where texts are long, so that nobody waits long for another.
	partsEach = 3
)

// asker is some queries of a text, in some heads.
type asker struct {
	text            textSpan
	head, heads     int
	at, first, last int // the row of the text's first query, and which of its queries
}

// cutAttention lists the parts of an attention, in s.askers.
func (m *Model) cutAttention(s *Scratch, lastOnly bool) {
	s.askers = s.askers[:0]
	heads := m.config.Heads
	for i, span := range s.spans {
		whole := asker{text: span, heads: heads, at: span.start, last: span.length}
		if lastOnly {
			whole.at, whole.last = i, 1
		}
		if span.length < fewTokens {
			s.askers = append(s.askers, whole)
			continue
		}
		// Several parts of one head pack its keys and values again each: that is little beside many queries.
		pieces := max(1, min((whole.last+queryRows-1)/queryRows, (partsEach*s.hands()+heads-1)/heads))
		for head := range heads {
			for piece := range pieces {
				part := whole
				part.head, part.heads = head, 1
				part.first, part.last = whole.last*piece/pieces, whole.last*(piece+1)/pieces
				s.askers = append(s.askers, part)
			}
		}
	}
}

// attend replaces some rotated queries of a text, in some heads, by their attention: the values of the whole text weighted by the
// softmax of the query's products with the keys. Every query is by itself, so their number and blocks change no bits.
func (m *Model) attend(lead, own *Scratch, a *asker) {
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

// packKeys packs the keys of a head, those of a long text in the kind of the model's matrices: rounded keys and queries tell almost the same scores, while
// the small weights that a long text has would be lost among a hundred steps, so values and their weights stay in f32.
func (s *Scratch) packKeys(m *Model, keys []float32, stride, length, size int) matrix {
	if length >= manyKeys && m.layers[0].query.bytes != nil {
		s.byteKeys.Rows(keys, stride, length, size)
		return matrix{bytes: &s.byteKeys}
	}
	s.packedKeys.Rows(keys, stride, length, size)
	return matrix{full: &s.packedKeys}
}
