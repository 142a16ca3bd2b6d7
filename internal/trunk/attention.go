package trunk

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

const (
	// queryRows is how many queries are multiplied with their keys at once.
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
	text        Span
	at          int // the row of the text's first query
	head, heads int
	// first and last are positions in the text: of the first query, and after the last one. Without
	// the text's other queries, offset is that of the only one.
	first, last, offset int
}

// cutAttention lists the parts of an attention, in s.blocks.
func (t *Trunk) cutAttention(s *Scratch, l *Layer, oneEach bool, rows Rows) {
	s.blocks = s.blocks[:0]
	heads := t.config.Heads
	for i, span := range s.spans {
		whole := queryBlock{text: span, heads: heads, at: span.Start, last: span.Length}
		if oneEach {
			whole.offset = rows.row(span)
			whole.at, whole.first, whole.last = i, whole.offset, whole.offset+1
		}
		if span.Length < fewTokens {
			s.blocks = append(s.blocks, whole)
			continue
		}
		// Several parts of one head each pack its keys and values again, which costs little beside
		// many queries.
		queries := whole.last - whole.first
		pieces := max(1, min((queries+queryRows-1)/queryRows, (partsEach*s.hands()+heads-1)/heads))
		reach := t.reachOf(l, span.Length)
		for head := range heads {
			for piece := range pieces {
				part := whole
				part.head, part.heads = head, 1
				if !oneEach {
					part.first, part.last = reach.align(queries*piece/pieces), reach.align(queries*(piece+1)/pieces)
				}
				s.blocks = append(s.blocks, part)
			}
		}
	}
}

// reach is which keys the queries of a text attend to.
type reach struct {
	length int
	causal bool
	window int // 0 without
	// block is how many queries are taken at once. With a window the blocks of a text are the same
	// however it is cut into parts, since the sums over values depend on the first key of a block.
	block int
}

func (t *Trunk) reachOf(l *Layer, length int) reach {
	r := reach{length: length, causal: t.config.Causal, window: l.Window}
	keys := length
	if l.Window >= length-1 {
		r.window = 0
	} else if l.Window > 0 {
		keys = min(length, queryRows+2*l.Window)
	}
	r.block = min(queryRows, max(1, mostScores/keys))
	return r
}

// align returns where a part of the queries may be cut: at a position, or after it.
func (r *reach) align(position int) int {
	if r.window == 0 {
		return position
	}
	return min(r.length, (position+r.block-1)/r.block*r.block)
}

// one returns the first key that a query attends to, and the one after the last.
func (r *reach) one(query int) (first, end int) {
	end = r.length
	if r.window > 0 {
		first, end = max(0, query-r.window), min(end, query+r.window+1)
	}
	if r.causal {
		end = query + 1
	}
	return first, end
}

// some returns the keys of the queries from first to before last: with a window, of the whole
// blocks that those are in.
func (r *reach) some(first, last int) (from, end int) {
	if r.window > 0 {
		from, _ = r.one(first / r.block * r.block)
		last = r.align(last)
	}
	_, end = r.one(last - 1)
	return from, end
}

// attend replaces some rotated queries of a text, in some heads, by their attention: the values of
// the keys that each attends to, weighted by the softmax of its products with them. Queries are
// independent, so their number and blocks change no bits.
func (t *Trunk) attend(lead, own *Scratch, layer int, a *queryBlock) {
	stride, size := apart(t.config.Width), t.config.Width/t.config.Heads
	h := headQueries{reach: t.reachOf(&t.layers[layer], a.text.Length), stride: stride, size: size, offset: a.offset}
	rounded := a.text.Length >= manyKeys && h.window == 0 && t.layers[layer].Query.Weight.Bytes != nil
	// Without a window all blocks use the same packed keys, each as many as it needs.
	chunk := a.last - a.first
	if h.window > 0 {
		chunk = h.block
	}
	for head := a.head; head < a.head+a.heads; head++ {
		h.queries = lead.queries[a.at*stride+head*size:]
		if t.relative != nil {
			h.biases = t.relative.upTo(own, head, a.text.Length)
		}
		for first := a.first; first < a.last; first += chunk {
			last := min(a.last, first+chunk)
			from, end := h.some(first, last)
			row := (a.text.Start+from)*stride + head*size
			keys := own.packKeys(lead.keys[row:], stride, end-from, size, rounded)
			own.packedValues.Columns(lead.values[row:], stride, size, end-from)
			for block := first; block < last; block += h.block {
				h.attend(own, &keys, from, block, min(last, block+h.block))
			}
		}
	}
}

// packKeys packs the keys of a head. Rounded keys and queries give nearly the same scores. But in a
// hundred steps the small weights of a long text would be lost, so values and their weights stay in
// f32.
func (s *Scratch) packKeys(keys []float32, stride, count, size int, rounded bool) Matrix {
	if rounded {
		s.byteKeys.Rows(keys, stride, count, size)
		return Matrix{Bytes: &s.byteKeys}
	}
	s.packedKeys.Rows(keys, stride, count, size)
	return Matrix{Full: &s.packedKeys}
}

// headQueries is the queries of a text in one head.
type headQueries struct {
	reach
	queries              []float32
	stride, size, offset int
	biases               []float32 // of [relative.upTo], or nil
}

// attend replaces the queries from first to before last. keys and the packed values of own begin at
// the key from.
func (h *headQueries) attend(own *Scratch, keys *Matrix, from, first, last int) {
	scale := float32(1 / math.Sqrt(float64(h.size)))
	rows := last - first
	_, end := h.some(first, last)
	count := end - from
	stride := apart(count)
	scores, sums := grow(&own.scores, rows*stride), grow(&own.sums, rows)
	queries := h.queries[(first-h.offset)*h.stride:]
	x := operand{rows: queries, stride: h.stride, count: rows, columns: h.size, buffer: &own.roundedQueries}
	keys.product(scores, stride, &x, kernel.Span{First: 0, End: count})
	for i := range rows {
		query, row := first+i, scores[i*stride:][:count]
		begin, end := h.one(query)
		seen := row[begin-from : end-from]
		if h.biases != nil {
			kernel.Add(seen, h.biases[h.length-1+begin-query:][:len(seen)])
		}
		sums[i] = kernel.Exponentials(seen, scale)
		clear(row[:begin-from])
		clear(row[end-from:])
	}
	if count == own.packedValues.Inputs() {
		own.packedValues.Product(queries, h.stride, scores, stride, rows)
	} else {
		for i := range rows {
			clear(queries[i*h.stride:][:h.size])
		}
		own.packedValues.ProductAddInputs(queries, h.stride, scores, stride, rows, kernel.Span{First: 0, End: count})
	}
	for i, sum := range sums {
		kernel.Scale(queries[i*h.stride:][:h.size], 1/sum)
	}
}
