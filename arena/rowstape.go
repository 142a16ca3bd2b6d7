package arena

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// RowsTape is ragged rows, packed in an arena: item i has the rows from its bound up to the next one, such as the states of a
// text, one for each byte. It is a small value to copy freely, and goroutines may share it. It is readable as long as
// [Rows] are.
type RowsTape struct {
	rows    Rows
	offsets uintptr
	items   int
}

// Unknown is a number of rows that only the library knows.
const Unknown = -1

// RowsTape is the view of a ragged output that the lease's call left, with a number of items and of rows in all. The last offset
// tells an unknown number of rows, unless it is device memory: then it stays unknown.
func (l Lease) RowsTape(view abi.RowsTapeView, items, rows int) RowsTape {
	if rows == Unknown && !l.arena.onDevice() {
		rows = 0
		if view.Offsets != nil {
			rows = int(*(*uintptr)(unsafe.Add(view.Offsets, items*int(unsafe.Sizeof(uintptr(0))))))
		}
	}
	t := RowsTape{rows: l.Rows(view.Rows, rows), offsets: uintptr(view.Offsets), items: items}
	l.arena.note(l.current, t.offsets, (items+1)*int(unsafe.Sizeof(uintptr(0))))
	return t
}

// Len is the number of items.
func (t RowsTape) Len() int { return t.items }

// Rows are the rows of all items, end to end. Where they are device memory, their number may be [Unknown].
func (t RowsTape) Rows() Rows { return t.rows }

// Offsets is the address of Len+1 row offsets of pointer size, for device code or a foreign library.
func (t RowsTape) Offsets() uintptr { return t.offsets }

// Err is why the rows cannot be read, as of [Rows.Err].
func (t RowsTape) Err() error { return t.rows.Err() }

// Item is the rows of item i, which may be none.
func (t RowsTape) Item(i int) (Rows, error) {
	if i < 0 || i >= t.items {
		err := fmt.Errorf("there are %d items", t.items)
		return Rows{}, errors.New("read rows", errors.ErrInvalidArgument, i, err)
	}
	if err := t.rows.pin(); err != nil {
		return Rows{}, err
	}
	defer t.rows.unpin()
	return t.item(i), nil
}

// All ranges over the items and their rows. The arena is pinned until the loop ends. It panics where [RowsTape.Err] is not nil, as
// [Rows.All] does.
func (t RowsTape) All() iter.Seq2[int, Rows] {
	return func(yield func(int, Rows) bool) {
		if err := t.rows.pin(); err != nil {
			panic(err)
		}
		defer t.rows.unpin()
		for i := range t.items {
			if !yield(i, t.item(i)) {
				return
			}
		}
	}
}

// item is the rows of item i, whose offsets are in pinned memory.
func (t RowsTape) item(i int) Rows {
	offsets := abi.Elements((*uintptr)(abi.Pointer(t.offsets)), uintptr(t.items)+1)
	return t.rows.part(int(offsets[i]), int(offsets[i+1]))
}

// Copy copies the rows of each item, as 32-bit floats. The result is the caller's; its rows share one allocation.
func (t RowsTape) Copy() ([][][]float32, error) {
	rows, err := t.rows.Copy()
	if err != nil {
		return nil, err
	}
	if err := t.rows.pin(); err != nil {
		return nil, err
	}
	defer t.rows.unpin()
	items := make([][][]float32, t.items)
	offsets := abi.Elements((*uintptr)(abi.Pointer(t.offsets)), uintptr(t.items)+1)
	for i := range items {
		items[i] = rows[offsets[i]:offsets[i+1]:offsets[i+1]]
	}
	return items, nil
}
