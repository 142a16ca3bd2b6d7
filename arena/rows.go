package arena

import (
	"fmt"
	"iter"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Rows is one row of scalars for each item, packed in an arena: pooled embeddings, or the states of
// one item. It is a small value to copy freely.
//
// Rows borrows the arena's memory, and keeps the arena from being collected. It can be read until
// the next call with the same arena, or until the arena is closed; after that reading is
// [errors.ErrInvalidArgument]. The zero Rows is an output that was not asked for.
type Rows lending.Rows

func (r Rows) lent() lending.Rows { return lending.Rows(r) }

// Len is the number of rows. It is [Unknown] for states in device memory whose number only the
// device knows.
func (r Rows) Len() int { return r.lent().Len() }

// Columns is the number of scalars in a row.
func (r Rows) Columns() int { return r.lent().Columns() }

// Stride is the distance between the starts of two rows, in bytes.
func (r Rows) Stride() int { return r.lent().Stride() }

// Scalar is the kind of the scalars.
func (r Rows) Scalar() abi.Scalar { return r.lent().Scalar() }

// Data is the address of the first row, for device code, or a foreign library that reads rows in
// place, such as an index. It is valid as long as the rows are; pin them meanwhile.
func (r Rows) Data() uintptr { return r.lent().Data() }

// Err is nil if the rows can be read. It is [errors.ErrInvalidArgument] where they are stale, their
// arena was closed, or the call was not asked for them, and [errors.ErrDevice] where they are
// device memory.
func (r Rows) Err() error {
	if err := r.lent().PinHost(); err != nil {
		return err
	}
	r.lent().Unpin()
	return nil
}

// All ranges over the rows and their indices, as 32-bit floats. Rows of f32 are read in place;
// others are widened into one buffer that the next row uses again. Either way a row is valid only
// until the loop's next iteration, and the arena is pinned until the loop ends: clone what is to be
// kept.
//
// A range has no way to report an error, so All panics with the error of [Rows.Err] where the rows
// cannot be read. Like an index out of range, that is a mistake in the program, not in its input.
func (r Rows) All() iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		if err := r.lent().PinHost(); err != nil {
			panic(err)
		}
		defer r.lent().Unpin()
		var buffer []float32
		for i := range r.Len() {
			row := r.float32s(i)
			if r.Scalar() != abi.ScalarF32 {
				buffer = appendFloats(buffer[:0], r.bytes(i), r.Scalar())
				row = buffer
			}
			if !yield(i, row) {
				return
			}
		}
	}
}

// AppendTo appends row i to floats, as 32-bit floats. The result is the caller's.
func (r Rows) AppendTo(floats []float32, i int) ([]float32, error) {
	if i < 0 || r.Len() != Unknown && i >= r.Len() {
		err := fmt.Errorf("there are %d rows", r.Len())
		return floats, errors.New("read rows", errors.ErrInvalidArgument, i, err)
	}
	if err := r.lent().PinHost(); err != nil {
		return floats, err
	}
	defer r.lent().Unpin()
	return appendFloats(floats, r.bytes(i), r.Scalar()), nil
}

// Copy copies the rows, as 32-bit floats. The result is the caller's; its rows share one
// allocation.
func (r Rows) Copy() ([][]float32, error) {
	if err := r.lent().PinHost(); err != nil {
		return nil, err
	}
	defer r.lent().Unpin()
	floats := make([]float32, 0, r.Len()*r.Columns())
	rows := make([][]float32, r.Len())
	for i := range rows {
		floats = appendFloats(floats, r.bytes(i), r.Scalar())
		rows[i] = floats[i*r.Columns() : (i+1)*r.Columns() : (i+1)*r.Columns()]
	}
	return rows, nil
}

// bytes is row i in place. The rows must be pinned.
func (r Rows) bytes(i int) []byte {
	return abi.Memory(r.Data()+uintptr(i*r.Stride()), uintptr(r.Columns())*width(r.Scalar()))
}
