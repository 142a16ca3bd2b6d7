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

// tape is a ragged input with checked boundaries. It reads the caller's memory in place.
type tape struct {
	bounds []uintptr
	data   []byte
}

func (t *tape) count() int { return max(0, len(t.bounds)-1) }

func (t *tape) item(i int) []byte { return t.data[t.bounds[i]:t.bounds[i+1]:t.bounds[i+1]] }

func (t *tape) length(i int) int { return int(t.bounds[i+1] - t.bounds[i]) }

// items returns the number of elements of all items together.
func (t *tape) items() uint64 {
	if len(t.bounds) == 0 {
		return 0
	}
	return uint64(t.bounds[len(t.bounds)-1] - t.bounds[0])
}

// checkTape checks a tape as far as possible without reading it.
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

// room returns how many elements of a size fit between an address and the end of memory, and into a
// slice.
func room(address, size uintptr) uintptr { return min(math.MaxInt, math.MaxUint-address) / size }

// open reads the boundaries of a tape of bytes that checkTape accepted.
func (c *call) open(name string, view abi.TapeView, count uintptr) (tape, *fault) {
	bounds, f := c.bounds(name, view, count, 1)
	if f != nil || bounds == nil {
		return tape{}, f
	}
	return tape{bounds: bounds, data: view.Bytes(bounds[count])}, nil
}

// bounds reads the boundaries of a tape whose elements have the given size. It returns nil for a
// tape without items.
func (c *call) bounds(name string, view abi.TapeView, count, size uintptr) ([]uintptr, *fault) {
	if count == 0 {
		return nil, nil
	}
	if f := c.outside(name, abi.Address(abi.Elements(view.Offsets, 1)), (count+1)*wordBytes); f != nil {
		return nil, f
	}
	bounds := view.Bounds(count)
	for i, begin := range bounds[:count] {
		if bounds[i+1] < begin {
			return nil, refuse(abi.StatusInvalidArgument, "the offsets of the %s decrease", name).at(i)
		}
	}
	first, last := bounds[0], bounds[count]
	if last > room(uintptr(view.Data), size) {
		return nil, refuse(abi.StatusInvalidArgument, "the offsets of the %s exceed the address space", name)
	}
	return bounds, c.outside(name, uintptr(view.Data)+first*size, (last-first)*size)
}

// numbers reads an array of one number for each item, such as question types. It returns nil where
// the array is NULL.
func numbers[T ~uint32 | ~int32](c *call, name string, first *T, count uintptr) ([]T, *fault) {
	if first == nil || count == 0 {
		return nil, nil
	}
	const size = 4
	address := abi.Address(abi.Elements(first, 1))
	if count > room(address, size) {
		return nil, noRoom
	}
	return abi.Elements(first, count), c.outside(name, address, count*size)
}

// outside refuses an input that lies in the arena, since the call is about to rewind the arena.
func (c *call) outside(name string, address, size uintptr) *fault {
	if c.arena == nil {
		return nil
	}
	c.library.mutex.Lock()
	defer c.library.mutex.Unlock()
	begin, length := abi.Address(c.arena.memory), uintptr(len(c.arena.memory))
	if address < begin+length && begin < address+size {
		return refuse(abi.StatusInvalidArgument, "the %s lie in the arena that the call rewinds: copy them out first", name)
	}
	return nil
}

// checkCompletion refuses a completion that is unknown, or that needs an executor where none is
// named.
func checkCompletion(completion abi.Completion, executor abi.Executor) *fault {
	switch {
	case completion != abi.CompletionBlocking && completion != abi.CompletionDeferring:
		return refuse(abi.StatusInvalidArgument, "the completion is neither blocking nor deferring")
	case completion == abi.CompletionDeferring && executor == 0:
		return refuse(abi.StatusInvalidArgument, "only an executor can defer a call: name one")
	}
	return nil
}

// checkTexts refuses texts that are not UTF-8. All of them are checked before anything is cut or
// computed.
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
				return refuse(abi.StatusInvalidArgument, "the item has a duplicate choice").at(i)
			}
			seen[choice] = true
		}
	}
	return nil
}

// A slice takes items until it has this many tokens or items, and at least one item. Slices do not
// depend on the goroutine that computes them. They are as large as the model takes at once, and
// small enough to keep several threads busy with a few dozen sentences. A file costs more to decode
// than to compute, so each file is a slice: files are decoded in parallel.
const (
	sliceTokens = 512
	sliceItems  = 64
	sliceFiles  = 1
)

// fewTokens is the number of tokens up to which a second goroutine is not worth waking.
const fewTokens = 32

// cut cuts a batch into slices of up to most items. length returns the tokens of an item.
func (c *call) cut(count, most int, length func(item int) int) {
	tokens, items := 0, 0
	for i := range count {
		own := length(i)
		if items > 0 && (tokens+own > sliceTokens || items == most) {
			c.cuts = append(c.cuts, i)
			tokens, items = 0, 0
		}
		tokens += own
		items++
		c.divisible = c.divisible || tokens >= fewTokens && c.model != nil && c.model.description.Layers > 0
	}
	if items > 0 {
		c.cuts = append(c.cuts, count)
	}
}
