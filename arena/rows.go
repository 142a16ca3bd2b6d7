package arena

import (
	stderrors "errors"
	"fmt"
	"iter"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

var (
	errStale    = stderrors.New("a later call rewound the arena: copy what is to be kept, or give that call another arena")
	errUnasked  = stderrors.New("the call was not asked for this output")
	errReleased = stderrors.New("the pin was released")
	errOnDevice = stderrors.New("the rows are device memory: use Data with device code, or an executor over host threads")
)

// Rows is one row of scalars for each item, packed in an arena: pooled embeddings, or the states of one item. It is a small
// value to copy freely, and goroutines may share it.
//
// Rows borrows the arena's memory, and keeps the arena from being collected. It can be read until the next call with the same arena, or until that is closed; after
// that reading is [errors.ErrInvalidArgument]. The zero Rows is an output that was not asked for.
type Rows struct {
	arena      *Arena
	generation uint64
	data       uintptr
	stride     int
	columns    int
	count      int
	scalar     abi.Scalar
}

// Rows is the view of an output that the lease's call left, with count rows.
func (l Lease) Rows(view abi.RowsView, count int) Rows {
	rows := Rows{
		arena: l.arena, generation: l.current,
		data: uintptr(view.Data), stride: int(view.Stride), columns: int(view.Columns), count: count, scalar: view.Scalar,
	}
	l.arena.note(l.current, rows.data, max(count, 0)*rows.stride)
	return rows
}

// note remembers where an output of a generation lies.
func (a *Arena) note(generation uint64, begin uintptr, size int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.filled != generation {
		a.filled, a.outputs = generation, a.outputs[:0]
	}
	a.outputs = append(a.outputs, extent{begin, begin + uintptr(size)})
	if total := a.written(); total > a.peak {
		a.peak, a.grown = total, generation
	}
}

// written is the size of the outputs in bytes. The mutex is held.
func (a *Arena) written() int {
	total := 0
	for _, output := range a.outputs {
		total += int(output.end - output.begin)
	}
	return total
}

// Len is the number of rows, [Unknown] for states in device memory whose number only the device knows.
func (r Rows) Len() int { return r.count }

// Columns is the number of scalars in a row.
func (r Rows) Columns() int { return r.columns }

// Stride is the distance between the starts of two rows, in bytes.
func (r Rows) Stride() int { return r.stride }

// Scalar is the kind of the scalars.
func (r Rows) Scalar() abi.Scalar { return r.scalar }

// Data is the address of the first row, for a foreign library such as an index that reads rows in place, or for device code.
// It is valid as long as the rows are; pin them meanwhile.
func (r Rows) Data() uintptr { return r.data }

// Err is why the rows cannot be read: [errors.ErrInvalidArgument] where they are stale or their arena was closed, and
// [errors.ErrDevice] where they are device memory. It is nil where they can.
func (r Rows) Err() error {
	if err := r.pin(); err != nil {
		return err
	}
	r.unpin()
	return nil
}

// All ranges over the rows and their indices, as 32-bit floats. Rows of that kind are lent in place; others are widened into one
// buffer that the next row uses again. Either way a row is the loop's only until its next turn, and the arena is pinned
// until the loop ends: clone what is to be kept.
//
// A range has no way to report an error, so All panics with the error of [Rows.Err] where the rows cannot be read: like
// an index out of range, that is a mistake in the program and not in its input.
func (r Rows) All() iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		if err := r.pin(); err != nil {
			panic(err)
		}
		defer r.unpin()
		var buffer []float32
		for i := range r.count {
			row := r.float32s(i)
			if r.scalar != abi.ScalarF32 {
				buffer = appendFloats(buffer[:0], r.bytes(i), r.scalar)
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
	if i < 0 || r.count != Unknown && i >= r.count {
		err := fmt.Errorf("there are %d rows", r.count)
		return floats, errors.New("read rows", errors.ErrInvalidArgument, i, err)
	}
	if err := r.pin(); err != nil {
		return floats, err
	}
	defer r.unpin()
	return appendFloats(floats, r.bytes(i), r.scalar), nil
}

// Copy copies the rows, as 32-bit floats. The result is the caller's; its rows share one allocation.
func (r Rows) Copy() ([][]float32, error) {
	if err := r.pin(); err != nil {
		return nil, err
	}
	defer r.unpin()
	floats := make([]float32, 0, r.count*r.columns)
	rows := make([][]float32, r.count)
	for i := range rows {
		floats = appendFloats(floats, r.bytes(i), r.scalar)
		rows[i] = floats[i*r.columns : (i+1)*r.columns : (i+1)*r.columns]
	}
	return rows, nil
}

// part is rows from up to but without to.
func (r Rows) part(from, to int) Rows {
	r.data += uintptr(from * r.stride)
	r.count = to - from
	return r
}

// pin keeps the arena from being rewound or freed while its memory is read.
func (r Rows) pin() error {
	const verb = "read rows"
	if r.arena == nil {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errUnasked)
	}
	if r.arena.onDevice() {
		return errors.New(verb, errors.ErrDevice, errors.NoItem, errOnDevice)
	}
	return r.arena.pin(verb, r.generation)
}

func (r Rows) unpin() { r.arena.unpin() }

func (a *Arena) pin(verb string, generation uint64) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if generation != a.current {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errStale)
	}
	if !a.handle.Refer() {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("arena"))
	}
	a.pins++
	return nil
}

func (a *Arena) unpin() {
	a.mutex.Lock()
	a.pins--
	a.mutex.Unlock()
	a.handle.Unrefer()
}

// bytes is row i in place. The rows must be pinned.
func (r Rows) bytes(i int) []byte {
	return abi.Memory(r.data+uintptr(i*r.stride), uintptr(r.columns)*width(r.scalar))
}
