package uform

import (
	"fmt"
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// Tape is a batch of ragged items as Apache Arrow lays them out: all bytes end to end, and one more
// offset than items. Item i is Data[Offsets[i]:Offsets[i+1]]. Offsets never decrease and need not
// start at zero. The zero Tape has no items.
//
// [Strings] and [Bytes] make one from slices. From Arrow buffers, set Data and Offsets to those of
// a LargeString or LargeBinary array as they are; for a String or Binary array use [Narrow].
//
// A blocking call reads a Tape in place and is done with it when it returns. A deferred call copies
// it, so the caller may change it at once. Goroutines may share a Tape that none of them changes.
//
// A copy of a Tape value has the same items in the same memory. Appending to one of the two does
// not change the other: the memory is copied first where both use it. After [Tape.Reset] of one the
// other must not be used.
type Tape struct {
	Data    []byte
	Offsets []int64

	// owner is the Tape whose memory this is, so that appending may go on in it, and data and
	// offsets are where that memory begins. A copy is not its own owner.
	owner   *Tape
	data    *byte
	offsets *int64
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
	t := Tape{Data: make([]byte, 0, size), Offsets: make([]int64, 1, len(items)+1)}
	for _, item := range items {
		t.Data = append(t.Data, item...)
		t.Offsets = append(t.Offsets, int64(len(t.Data)))
	}
	return t
}

// Narrow is a tape over data with the 32-bit offsets of an Arrow String or Binary array. The
// offsets are copied, data is not.
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

// spanned is how many elements lie between the first offset and the last, none or all of them where
// the offsets are wrong.
func spanned(offsets []int64, elements int) int {
	if len(offsets) == 0 {
		return 0
	}
	return int(min(max(offsets[len(offsets)-1]-offsets[0], 0), int64(elements)))
}

// Append adds an item, copied. A tape over memory that a caller or another Tape has is copied
// first; after that one Tape can be filled and reset again and again without allocating. To a tape
// whose offsets are wrong nothing is added: it stays wrong, for the verb that gets it to refuse.
func (t *Tape) Append(item []byte) {
	if t.claim() {
		t.Data = append(t.Data, item...)
		t.end()
	}
}

// AppendString adds a text, as Append does.
func (t *Tape) AppendString(text string) {
	if t.claim() {
		t.Data = append(t.Data, text...)
		t.end()
	}
}

// end ends an item, and remembers which memory is the tape's own.
func (t *Tape) end() {
	t.Offsets = append(t.Offsets, int64(len(t.Data)))
	t.owner, t.data, t.offsets = t, firstOf(t.Data), firstOf(t.Offsets)
}

// owns reports whether the memory is the tape's own: neither is it a copy of another Tape, nor was
// a field assigned since.
func (t *Tape) owns() bool {
	return t.owner == t && t.data == firstOf(t.Data) && t.offsets == firstOf(t.Offsets)
}

// firstOf is where a slice's memory begins, nil for one without any.
func firstOf[E any](s []E) *E {
	if cap(s) == 0 {
		return nil
	}
	return &s[:1][0]
}

// claim makes the memory the tape's own, with nothing behind the last item. It returns false for a
// tape whose offsets are wrong.
func (t *Tape) claim() bool {
	if !t.owns() {
		if t.check("", "") != nil {
			return false
		}
		*t = t.clone()
	}
	if len(t.Offsets) == 0 {
		t.Offsets = append(t.Offsets, 0)
	}
	// Appending leaves every other mistake that is made with an own tape's offsets where it is.
	last := t.Offsets[len(t.Offsets)-1]
	if last < 0 || last > int64(len(t.Data)) {
		return false
	}
	t.Data = t.Data[:last]
	return true
}

// Reset removes every item. It keeps the memory for the next ones, unless that is a caller's or
// another Tape's. Copies of the tape must not be used after it.
func (t *Tape) Reset() {
	if !t.owns() {
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
	return Tape{Data: slices.Clone(t.within()), Offsets: rebased(t.Offsets)}
}

// within is what the offsets reach of the data. The offsets must be right.
func (t Tape) within() []byte { return within(t.Data, t.Offsets) }

// within is what right offsets reach of elements.
func within[Element any](elements []Element, offsets []int64) []Element {
	if len(offsets) == 0 {
		return nil
	}
	return elements[offsets[0]:offsets[len(offsets)-1]]
}

// rebased are the offsets for a copy of what they reach.
func rebased(offsets []int64) []int64 {
	moved := make([]int64, len(offsets))
	for i, offset := range offsets {
		moved[i] = offset - offsets[0]
	}
	return moved
}

// view is the tape as the library reads it.
func (t Tape) view() abi.TapeView {
	if t.Len() == 0 {
		return abi.TapeView{}
	}
	return abi.Tape(t.Data, abi.Offsets(t.Offsets))
}

// tokens is how many tokens the items have where a token is a byte, when none may have more than
// context.
func (t Tape) tokens(context int) int {
	tokens := 0
	for i := range t.Len() {
		tokens += int(min(t.Offsets[i+1]-t.Offsets[i], int64(context)))
	}
	return tokens
}

// whole is a context that nothing is longer than.
const whole = math.MaxInt
