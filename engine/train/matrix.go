package train

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// matrix is a parameter that rows are multiplied with. It is packed after each step, once for each
// direction.
type matrix struct {
	*parameter
	forward  kernel.Packed // y = x·Wᵀ
	backward kernel.Packed // dx = dy·W
}

// pack packs the parameter's present weights.
func (m *matrix) pack() {
	m.forward.Rows(m.weights, m.Columns, m.Rows, m.Columns)
	m.backward.Columns(m.weights, m.Columns, m.Columns, m.Rows)
}

// tileRows is how many rows of a gradient are one task.
const tileRows = 96

// lefts are, for each block of rows, the transposed gradients of a product's results: a row for
// each output. rights are the product's inputs, packed. The gradient of its matrix is the sum over
// blocks of the left times the right, in the order of blocks, so that its bits depend on how rows
// are cut and not on which goroutine computes.
type (
	lefts  struct{ transposed [][]float32 }
	rights struct{ packed []kernel.Packed }
)

func (l *lefts) reset(blocks int) { l.transposed = grow(&l.transposed, blocks) }

func (r *rights) reset(blocks int) { r.packed = grow(&r.packed, blocks) }

// transpose takes the rows of a block, of width scalars each.
func (l *lefts) transpose(block int, rows []float32, width, count int) {
	transpose(grow(&l.transposed[block], width*count), rows, width, count)
}

// pack takes the rows of a block, of width scalars each.
func (r *rights) pack(block int, rows []float32, width, count int) {
	r.packed[block].Columns(rows, width, width, count)
}

// outer is a sum of outer products: the gradient of one matrix.
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
			t.right.packed[b].ProductAdd(to, t.of.Columns, t.left.transposed[b][t.begin*count:], count, t.end-t.begin)
		}
	})
}

// block is a range of rows that one task takes through operations on single rows.
type block struct{ begin, end int }

// cut cuts rows into blocks. Large blocks use a matrix well, small ones keep all threads busy;
// their size depends on the number of rows alone.
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

// grow returns a slice of length elements in *buffer, whose memory is replaced if it is too small.
// The old content stays.
func grow[T any](buffer *[]T, length int) []T {
	if cap(*buffer) < length {
		grown := make([]T, length)
		copy(grown, *buffer)
		*buffer = grown
	}
	*buffer = (*buffer)[:length]
	return *buffer
}
