package train

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// matrix is a parameter that rows are multiplied with. It is packed anew after each step, once for each direction.
type matrix struct {
	*parameter
	forward  kernel.Packed // y = x·Wᵀ
	backward kernel.Packed // dx = dy·W
}

// pack makes products see the parameter's weights.
func (m *matrix) pack() {
	m.forward.Rows(m.weights, m.Columns, m.Rows, m.Columns)
	m.backward.Columns(m.weights, m.Columns, m.Columns, m.Rows)
}

// tileRows is how many rows of a gradient are one task.
const tileRows = 96

// lefts are, for each block of rows, the gradients of a product's results, turned: a row for each output. rights are what
// that product took, packed. The gradient of its matrix is the sum over blocks of the left times the right, in the order of
// blocks, so that its bits depend on how rows are cut and not on who computes.
type (
	lefts  struct{ turned [][]float32 }
	rights struct{ packed []kernel.Packed }
)

func (l *lefts) reset(blocks int) { l.turned = grow(&l.turned, blocks) }

func (r *rights) reset(blocks int) { r.packed = grow(&r.packed, blocks) }

// turn takes the rows of a block, of width scalars each.
func (l *lefts) turn(block int, rows []float32, width, count int) {
	turn(grow(&l.turned[block], width*count), rows, width, count)
}

// pack takes the rows of a block, of width scalars each.
func (r *rights) pack(block int, rows []float32, width, count int) {
	r.packed[block].Columns(rows, width, width, count)
}

// outer is the gradient of one matrix to be summed.
type outer struct {
	of   *parameter
	left *lefts
	// right has as many rows in each block as left has columns.
	right *rights
}

// addOuters adds the gradients of matrices.
func (s Spread) addOuters(blocks []block, outers ...outer) {
	type tile struct {
		outer
		begin, end int
	}
	var tiles []tile
	for _, o := range outers {
		for begin := 0; begin < o.of.Rows; begin += tileRows {
			tiles = append(tiles, tile{o, begin, min(o.of.Rows, begin+tileRows)})
		}
	}
	s(len(tiles), func(i int) {
		t := &tiles[i]
		to := t.of.gradient[t.begin*t.of.Columns : t.end*t.of.Columns]
		for b := range blocks {
			count := blocks[b].end - blocks[b].begin
			t.right.packed[b].ProductAdd(to, t.of.Columns, t.left.turned[b][t.begin*count:], count, t.end-t.begin)
		}
	})
}

// block is a range of rows that one task takes through what treats each row by itself.
type block struct{ begin, end int }

// cut cuts rows into blocks. Large ones use a matrix well, small ones keep all threads busy; how large they are depends on
// the number of rows alone.
func cut(blocks []block, rows int) []block {
	size := 384
	if rows < 4*size {
		size = 96
	}
	blocks = blocks[:0]
	for begin := 0; begin < rows; begin += size {
		blocks = append(blocks, block{begin, min(rows, begin+size)})
	}
	return blocks
}

// grow is a slice of length elements in *buffer, whose memory is replaced where it is too small. What was there stays.
func grow[T any](buffer *[]T, length int) []T {
	if cap(*buffer) < length {
		grown := make([]T, length)
		copy(grown, *buffer)
		*buffer = grown
	}
	*buffer = (*buffer)[:length]
	return *buffer
}
