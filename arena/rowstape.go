package arena

import (
	"fmt"
	"iter"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// RowsTape is ragged rows, packed in an arena: item i has the rows from its offset up to the next
// one, such as the states of a text, one for each byte. It is a small value to copy freely. It can
// be read as long as [Rows] can.
type RowsTape lending.RowsTape

// Unknown is a number of rows that only the library knows.
const Unknown = -1

func (t RowsTape) lent() lending.RowsTape { return lending.RowsTape(t) }

// Len is the number of items.
func (t RowsTape) Len() int { return t.lent().Len() }

// Rows are the rows of all items, end to end. Where they are device memory, their number may be
// [Unknown].
func (t RowsTape) Rows() Rows { return Rows(t.lent().Rows()) }

// Offsets is the address of Len+1 row offsets of pointer size, for device code or a foreign
// library.
func (t RowsTape) Offsets() uintptr { return t.lent().Offsets() }

// Err is nil if the rows can be read, and otherwise the error of [Rows.Err].
func (t RowsTape) Err() error { return t.Rows().Err() }

// Item is the rows of item i, which may be none.
func (t RowsTape) Item(i int) (Rows, error) {
	if i < 0 || i >= t.Len() {
		err := fmt.Errorf("there are %d items", t.Len())
		return Rows{}, errors.New("read rows", errors.ErrInvalidArgument, i, err)
	}
	if err := t.lent().Rows().PinHost(); err != nil {
		return Rows{}, err
	}
	defer t.lent().Rows().Unpin()
	return t.item(i), nil
}

// All ranges over the items and their rows. The arena is pinned until the loop ends. Like
// [Rows.All], it panics where [RowsTape.Err] is not nil.
func (t RowsTape) All() iter.Seq2[int, Rows] {
	return func(yield func(int, Rows) bool) {
		if err := t.lent().Rows().PinHost(); err != nil {
			panic(err)
		}
		defer t.lent().Rows().Unpin()
		for i := range t.Len() {
			if !yield(i, t.item(i)) {
				return
			}
		}
	}
}

// item is the rows of item i, whose offsets are in pinned memory.
func (t RowsTape) item(i int) Rows {
	offsets := t.lent().Bounds()
	return Rows(t.lent().Rows().Part(int(offsets[i]), int(offsets[i+1])))
}

// Copy copies the rows of each item, as 32-bit floats. The result is the caller's; its rows share
// one allocation.
func (t RowsTape) Copy() ([][][]float32, error) {
	rows, err := t.Rows().Copy()
	if err != nil {
		return nil, err
	}
	if err := t.lent().Rows().PinHost(); err != nil {
		return nil, err
	}
	defer t.lent().Rows().Unpin()
	items := make([][][]float32, t.Len())
	offsets := t.lent().Bounds()
	for i := range items {
		items[i] = rows[offsets[i]:offsets[i+1]:offsets[i+1]]
	}
	return items, nil
}
