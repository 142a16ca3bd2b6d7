package engine

import (
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/abi"
)

const wordBytes = bits.UintSize / 8

var (
	reservedSet = refuse(abi.StatusInvalidArgument, "a reserved field is not zero")
	noRoom      = refuse(abi.StatusInvalidArgument, "the count exceeds the address space")
)

// tape is a ragged input whose boundaries were checked. It reads the caller's memory in place.
type tape struct {
	bounds []uintptr
	data   []byte
}

func (t *tape) count() int { return max(0, len(t.bounds)-1) }

func (t *tape) item(i int) []byte { return t.data[t.bounds[i]:t.bounds[i+1]:t.bounds[i+1]] }

func (t *tape) length(i int) int { return int(t.bounds[i+1] - t.bounds[i]) }

// items is how many elements there are in all.
func (t *tape) items() uint64 {
	if len(t.bounds) == 0 {
		return 0
	}
	return uint64(t.bounds[len(t.bounds)-1] - t.bounds[0])
}

// checkTape says what can be said of a tape without reading it.
func checkTape(name string, view abi.TapeView, count uintptr) *fault {
	switch {
	case count == 0:
		return nil
	case view.Data == nil:
		return refuse(abi.StatusInvalidArgument, "%s have no data, though count is not zero", name)
	case view.Offsets == nil:
		return refuse(abi.StatusInvalidArgument, "%s have no offsets, though count is not zero", name)
	case count >= room(abi.Address(abi.Elements(view.Offsets, 1)), wordBytes):
		return noRoom
	}
	return nil
}

// room is how many elements of a size fit between an address and the end of memory, and a slice.
func room(address, size uintptr) uintptr { return min(math.MaxInt, math.MaxUint-address) / size }

// open reads the boundaries of a tape that checkTape let pass.
func (c *call) open(name string, view abi.TapeView, count uintptr) (t tape, f *fault) {
	if count == 0 {
		return tape{}, nil
	}
	if f := c.outside(name, abi.Address(abi.Elements(view.Offsets, 1)), (count+1)*wordBytes); f != nil {
		return tape{}, f
	}
	t.bounds = view.Bounds(count)
	for i, begin := range t.bounds[:count] {
		if t.bounds[i+1] < begin {
			return tape{}, refuse(abi.StatusInvalidArgument, "the offsets of the %s decrease", name).at(i)
		}
	}
	first, last := t.bounds[0], t.bounds[count]
	if last > room(uintptr(view.Data), 1) {
		return tape{}, refuse(abi.StatusInvalidArgument, "the offsets of the %s exceed the address space", name)
	}
	t.data = view.Bytes(last)
	return t, c.outside(name, uintptr(view.Data)+first, last-first)
}

// outside refuses an input that lies in the arena, since the call is about to rewind that.
func (c *call) outside(name string, address, size uintptr) *fault {
	c.library.mutex.Lock()
	defer c.library.mutex.Unlock()
	begin, length := abi.Address(c.arena.memory), uintptr(len(c.arena.memory))
	if address < begin+length && begin < address+size {
		return refuse(abi.StatusInvalidArgument, "the %s lie in the arena that the call rewinds: copy them out first", name)
	}
	return nil
}

// checkCompletion refuses what no call can be asked for.
func checkCompletion(completion abi.Completion, executor abi.Executor, outcome *abi.Outcome) *fault {
	switch {
	case completion != abi.CompletionBlocking && completion != abi.CompletionDeferring:
		return refuse(abi.StatusInvalidArgument, "the completion is neither blocking nor deferring")
	case completion == abi.CompletionDeferring && executor == 0 && outcome != nil:
		return refuse(abi.StatusInvalidArgument, "only an executor can defer a call: name one")
	}
	return nil
}

// checkTexts refuses texts that are not UTF-8. All of them are checked before anything is cut or computed.
func checkTexts(texts *tape) *fault {
	for i := range texts.count() {
		if !utf8.Valid(texts.item(i)) {
			return refuse(abi.StatusMalformed, "the text is not valid UTF-8").at(i)
		}
	}
	return nil
}

// checkChoices refuses items whose choices are not a set of at least one byte.
func checkChoices(choices *tape) *fault {
	for i := range choices.count() {
		if choices.length(i) == 0 {
			return refuse(abi.StatusInvalidArgument, "the item has no choices").at(i)
		}
		var seen [256]bool
		for _, choice := range choices.item(i) {
			if seen[choice] {
				return refuse(abi.StatusInvalidArgument, "the item has a choice twice").at(i)
			}
			seen[choice] = true
		}
	}
	return nil
}

// A slice takes items until it has so many tokens or items, and at least one item. Slices are the same whoever computes
// them, as large as the model takes at once, and small enough to keep several threads busy with a few dozen sentences.
const (
	sliceTokens = 512
	sliceItems  = 64
)

// cut cuts a batch of texts into slices; no text takes more tokens than the model's context.
func (c *call) cut(texts *tape, context int) {
	tokens, items := 0, 0
	for i := range texts.count() {
		length := min(texts.length(i), context)
		if items > 0 && (tokens+length > sliceTokens || items == sliceItems) {
			c.cuts = append(c.cuts, i)
			tokens, items = 0, 0
		}
		tokens += length
		items++
	}
	if items > 0 {
		c.cuts = append(c.cuts, texts.count())
	}
}
