package uform

import (
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// Tape is a batch of ragged items as Apache Arrow lays them out: all bytes end to end, and one more offset than items.
// Item i is Data[Offsets[i]:Offsets[i+1]]. Offsets never decrease and need not start at zero. The zero Tape has no items.
//
// [Strings] and [Bytes] make one from slices. Those who have Arrow buffers already fill it in: the offsets of a
// LargeString or LargeBinary array as they are, those of a String or Binary array through [Narrow].
//
// A blocking call reads a Tape in place and is done with it when it returns. A deferred call copies it, so the caller may
// change it at once. Goroutines may share a Tape that none of them changes.
type Tape struct {
	Data    []byte
	Offsets []int64

	// own says that nobody else has the memory of Data, so that appending may go on in it.
	own bool
}

// Strings is a tape of texts, copied.
func Strings(texts []string) Tape { return newTape(texts) }

// Bytes is a tape of items, copied.
func Bytes(items [][]byte) Tape { return newTape(items) }

func newTape[Item string | []byte](items []Item) Tape {
	size := 0
	for _, item := range items {
		size += len(item)
	}
	t := Tape{Data: make([]byte, 0, size), Offsets: make([]int64, 1, len(items)+1), own: true}
	for _, item := range items {
		t.Data = append(t.Data, item...)
		t.Offsets = append(t.Offsets, int64(len(t.Data)))
	}
	return t
}

// Narrow is a tape over data with the 32-bit offsets of an Arrow String or Binary array. The offsets are copied, data is not.
func Narrow(data []byte, offsets []int32) Tape {
	wide := make([]int64, len(offsets))
	for i, offset := range offsets {
		wide[i] = int64(offset)
	}
	return Tape{Data: data, Offsets: wide}
}

// Len is the number of items.
func (t Tape) Len() int { return max(len(t.Offsets)-1, 0) }

// size is the bytes of all items together.
func (t Tape) size() int { return spanned(t.Offsets, len(t.Data)) }

// spanned is how many elements lie between the first offset and the last, none or all of them where the offsets are wrong.
func spanned(offsets []int64, elements int) int {
	if len(offsets) == 0 {
		return 0
	}
	return int(min(max(offsets[len(offsets)-1]-offsets[0], 0), int64(elements)))
}

// Append adds an item, copied. A tape over a caller's memory is copied first; after that one Tape can be filled and reset again
// and again without allocating.
func (t *Tape) Append(item []byte) {
	t.claim()
	t.Data = append(t.Data, item...)
	t.Offsets = append(t.Offsets, int64(len(t.Data)))
}

// AppendString adds a text, as Append does.
func (t *Tape) AppendString(text string) {
	t.claim()
	t.Data = append(t.Data, text...)
	t.Offsets = append(t.Offsets, int64(len(t.Data)))
}

// claim makes the memory the tape's own, with nothing behind the last item. A tape whose offsets are wrong stays wrong, for the
// verb that gets it to refuse.
func (t *Tape) claim() {
	if !t.own && t.check("", "") == nil {
		*t = t.clone()
	}
	t.own = true
	if len(t.Offsets) == 0 {
		t.Offsets = append(t.Offsets, 0)
	}
	if last := t.Offsets[len(t.Offsets)-1]; last >= 0 && last <= int64(len(t.Data)) {
		t.Data = t.Data[:last]
	}
}

// Reset removes every item. It keeps the memory for the next ones, unless that is a caller's.
func (t *Tape) Reset() {
	if !t.own {
		*t = Tape{}
	}
	t.Data, t.Offsets = t.Data[:0], t.Offsets[:0]
}

// check finds the first item whose bounds are wrong.
func (t Tape) check(verb, what string) error { return checkOffsets(verb, what, t.Offsets, len(t.Data)) }

// checkOffsets finds the first item whose bounds are wrong, of those in a number of elements.
func checkOffsets(verb, what string, offsets []int64, elements int) error {
	fault := func(item int, format string, values ...any) error {
		return errors.New(verb, errors.ErrInvalidArgument, item, fmt.Errorf(what+": "+format, values...))
	}
	if len(offsets) == 0 {
		return nil
	}
	before := offsets[0]
	if before < 0 {
		return fault(0, "the first offset is %d", before)
	}
	if before > int64(elements) {
		return fault(0, "offset %d lies past the %d elements of data", before, elements)
	}
	for i, offset := range offsets[1:] {
		if offset < before {
			return fault(i, "offsets decrease from %d to %d", before, offset)
		}
		if offset > int64(elements) {
			return fault(i, "offset %d lies past the %d elements of data", offset, elements)
		}
		before = offset
	}
	return nil
}

// clone is a copy of the tape's items in memory of its own.
func (t Tape) clone() Tape {
	if len(t.Offsets) == 0 {
		return Tape{}
	}
	first, last := t.Offsets[0], t.Offsets[len(t.Offsets)-1]
	own := Tape{Data: append([]byte(nil), t.Data[first:last]...), Offsets: make([]int64, len(t.Offsets))}
	for i, offset := range t.Offsets {
		own.Offsets[i] = offset - first
	}
	return own
}

// view is the tape as the library reads it.
func (t Tape) view() abi.TapeView {
	if t.Len() == 0 {
		return abi.TapeView{}
	}
	return abi.Tape(t.Data, abi.Offsets(t.Offsets))
}

// tokens is how many tokens the items have, a token a byte, when none may have more than context.
func (t Tape) tokens(context int) int {
	tokens := 0
	for i := range t.Len() {
		tokens += int(min(t.Offsets[i+1]-t.Offsets[i], int64(context)))
	}
	return tokens
}

// whole is a context that nothing is longer than.
const whole = math.MaxInt
