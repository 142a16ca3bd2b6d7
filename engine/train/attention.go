package train

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// queryRows is how many queries of an item are multiplied with its keys at once.
const queryRows = 96

// attend rotates the queries and keys of one head of one item in place, and writes the result of
// its attention to k.attended.
func (n *network) attend(s *space, k *kept, item span, head int) {
	d := n.width
	size := d / n.config.Heads
	scale := float32(1 / math.Sqrt(float64(size)))
	at := item.start*d + head*size
	for i := range item.length {
		cos, sin := n.angles.at(i)
		kernel.Rotate(k.queries[at+i*d:][:size], cos, sin)
		kernel.Rotate(k.keys[at+i*d:][:size], cos, sin)
	}
	s.keys.Rows(k.keys[at:], d, item.length, size)
	s.values.Columns(k.values[at:], d, size, item.length)
	block := min(item.length, queryRows)
	scores := grow(&s.scores, block*item.length)
	for start := 0; start < item.length; start += block {
		rows := min(block, item.length-start)
		s.keys.Product(scores, item.length, k.queries[at+start*d:], d, rows)
		for i := range rows {
			kernel.Softmax(scores[i*item.length:(i+1)*item.length], scale)
		}
		s.values.Product(k.attended[at+start*d:], d, scores, item.length, rows)
	}
}

// attendBackward takes the gradient of the attention's result of one head of one item back to its
// queries, keys and values before rotation. The weights are computed again, a block of queries at a
// time.
func (n *network) attendBackward(s *space, k *kept, g *slopes, item span, head int) {
	d := n.width
	size := d / n.config.Heads
	scale := float32(1 / math.Sqrt(float64(size)))
	at, length := item.start*d+head*size, item.length
	for i := range length {
		clear(g.keys[at+i*d:][:size])
		clear(g.values[at+i*d:][:size])
	}
	keys, keysBack, values, block := &s.keys, &s.keysBack, &s.values, &s.block
	keys.Rows(k.keys[at:], d, length, size)
	keysBack.Columns(k.keys[at:], d, size, length)
	values.Rows(k.values[at:], d, length, size)
	most := min(length, queryRows)
	weights, back := grow(&s.scores, most*length), grow(&s.slopes, most*length)
	transposed := grow(&s.transposed, most*length)
	for start := 0; start < length; start += most {
		rows, from := min(most, length-start), at+start*d
		keys.Product(weights, length, k.queries[from:], d, rows)
		values.Product(back, length, g.attended[from:], d, rows)
		for i := range rows {
			row := weights[i*length : (i+1)*length]
			kernel.Softmax(row, scale)
		}
		// The gradient of the values, Pᵀ·da.
		transpose(transposed, weights, length, rows)
		block.Columns(g.attended[from:], d, size, rows)
		block.ProductAdd(g.values[at:], d, transposed, rows, length)
		for i := range rows {
			row, slope := weights[i*length:(i+1)*length], back[i*length:(i+1)*length]
			mean := kernel.Dot(row, slope)
			for j, p := range row {
				slope[j] = p * (slope[j] - mean) * scale
			}
		}
		keysBack.Product(g.queries[from:], d, back, length, rows)
		// The gradient of the keys, dSᵀ·q.
		transpose(transposed, back, length, rows)
		block.Columns(k.queries[from:], d, size, rows)
		block.ProductAdd(g.keys[at:], d, transposed, rows, length)
	}
	for i := range length {
		cos, sin := n.angles.backAt(i)
		kernel.Rotate(g.queries[at+i*d:][:size], cos, sin)
		kernel.Rotate(g.keys[at+i*d:][:size], cos, sin)
	}
}

// transpose writes the transpose of count rows of width scalars.
func transpose(to, rows []float32, width, count int) {
	row := 0
	// Four rows at a time, so that the writes are adjacent.
	for ; row+4 <= count; row += 4 {
		a, b := rows[row*width:][:width], rows[(row+1)*width:][:width]
		c, d := rows[(row+2)*width:][:width], rows[(row+3)*width:][:width]
		at := row
		for column, v := range a {
			four := to[at : at+4 : at+4]
			four[0], four[1], four[2], four[3] = v, b[column], c[column], d[column]
			at += count
		}
	}
	for ; row < count; row++ {
		at := row
		for _, v := range rows[row*width:][:width] {
			to[at] = v
			at += count
		}
	}
}
