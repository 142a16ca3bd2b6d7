package lending

import (
	stderrors "errors"
	"math/bits"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

var (
	errStale    = stderrors.New("a later call rewound the arena: copy what is to be kept, or give that call another arena")
	errUnasked  = stderrors.New("the call was not asked for this output")
	errOnDevice = stderrors.New("the rows are device memory: use Data with device code, or an executor over host threads")
)

// Rows is the view of an output, one row of scalars for each item. It is a small value to copy
// freely. The public type arena.Rows is defined from it and reads the rows.
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
		arena: l.arena, generation: l.current, data: uintptr(view.Data),
		stride: int(view.Stride), columns: int(view.Columns), count: count, scalar: view.Scalar,
	}
	l.arena.note(l.current, rows.data, max(count, 0)*rows.stride)
	return rows
}

// Arena is the arena that the rows lie in, nil for an output that was not asked for.
func (r Rows) Arena() *Arena { return r.arena }

// Data is the address of the first row.
func (r Rows) Data() uintptr { return r.data }

// Stride is the distance between the starts of two rows, in bytes.
func (r Rows) Stride() int { return r.stride }

// Columns is the number of scalars in a row.
func (r Rows) Columns() int { return r.columns }

// Len is the number of rows, negative where it is unknown.
func (r Rows) Len() int { return r.count }

// Scalar is the kind of the scalars.
func (r Rows) Scalar() abi.Scalar { return r.scalar }

// Part is the rows from one index up to, but without, another.
func (r Rows) Part(from, to int) Rows {
	r.data += uintptr(from * r.stride)
	r.count = to - from
	return r
}

// Asked is an error for an output that the call was not asked for.
func (r Rows) Asked(verb string) error {
	if r.arena == nil {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errUnasked)
	}
	return nil
}

// Pin keeps the arena from being rewound or freed until Unpin. It fails for stale rows and those of
// a closed arena. The rows must have been asked for.
func (r Rows) Pin(verb string) error { return r.arena.pin(verb, r.generation) }

// PinHost pins rows that the host is to read. It fails also for rows that were not asked for, and
// those in device memory.
func (r Rows) PinHost() error {
	const verb = "read rows"
	if err := r.Asked(verb); err != nil {
		return err
	}
	if r.arena.OnDevice() {
		return errors.New(verb, errors.ErrDevice, errors.NoItem, errOnDevice)
	}
	return r.Pin(verb)
}

// Unpin ends a Pin.
func (r Rows) Unpin() { r.arena.unpin() }

// RowsTape is the view of a ragged output: item i has the rows from its offset up to the next one.
// The public type arena.RowsTape is defined from it and reads the rows.
type RowsTape struct {
	rows    Rows
	offsets uintptr
	items   int
}

// wordBytes is the size of an offset.
const wordBytes = bits.UintSize / 8

// RowsTape is the view of a ragged output that the lease's call left, with a number of items and of
// rows in all. A negative number of rows means that it is unknown: then the last offset has it,
// unless that is device memory.
func (l Lease) RowsTape(view abi.RowsTapeView, items, rows int) RowsTape {
	if rows < 0 && !l.arena.OnDevice() {
		rows = 0
		if view.Offsets != nil {
			rows = int(abi.Elements((*uintptr)(view.Offsets), uintptr(items)+1)[items])
		}
	}
	t := RowsTape{rows: l.Rows(view.Rows, rows), offsets: uintptr(view.Offsets), items: items}
	l.arena.note(l.current, t.offsets, (items+1)*wordBytes)
	return t
}

// Rows are the rows of all items, end to end.
func (t RowsTape) Rows() Rows { return t.rows }

// Offsets is the address of Len+1 row offsets.
func (t RowsTape) Offsets() uintptr { return t.offsets }

// Len is the number of items.
func (t RowsTape) Len() int { return t.items }

// Bounds are the Len+1 row offsets in place. The rows must be pinned.
func (t RowsTape) Bounds() []uintptr {
	return abi.Elements((*uintptr)(abi.Pointer(t.offsets)), uintptr(t.items)+1)
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
