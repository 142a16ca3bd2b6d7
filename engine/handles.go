package engine

import "math/bits"

// An id is three fields in one word, from the top: the library's tag, the slot's generation, the
// slot. The tag is never zero, so neither is an id; a handle of another library differs in its tag,
// a freed one in its generation.
const (
	wide           = bits.UintSize / 64 // 1 where a word has 64 bits, 0 where it has 32
	slotBits       = 14 + 10*wide
	generationBits = 12 + 12*wide
	tagBits        = bits.UintSize - slotBits - generationBits

	slotMask       = 1<<slotBits - 1
	generationMask = 1<<generationBits - 1
	tagMask        = 1<<tagBits - 1
)

// restingSlots is how many freed slots there are before the oldest of them is used again. It delays
// the reuse of a slot's generation, which matters where generations have few bits.
const restingSlots = 256

// none ends the list of freed slots.
const none = -1

// handles maps ids to objects. Its library's mutex guards it.
type handles struct {
	tag     uintptr
	slots   []slot
	most    int // bound of the number of slots
	resting int
	oldest  int // first and last of the list of freed slots
	newest  int
}

type slot struct {
	generation uintptr
	object     any // nil while the slot is free
	next       int
}

func newHandles(tag uintptr) handles {
	return handles{tag: max(1, tag&tagMask), most: slotMask + 1, oldest: none, newest: none}
}

// add gives object an id; the id is zero when there are no more.
func (h *handles) add(object any) uintptr {
	index := h.oldest
	if h.resting < restingSlots && len(h.slots) < h.most {
		index = len(h.slots)
		h.slots = append(h.slots, slot{})
	} else if index == none {
		return 0
	} else {
		h.resting--
		if h.oldest = h.slots[index].next; h.oldest == none {
			h.newest = none
		}
	}
	s := &h.slots[index]
	s.object = object
	return h.tag<<(slotBits+generationBits) | s.generation<<slotBits | uintptr(index)
}

// remove makes an id stale. It must come from add, and not be removed yet.
func (h *handles) remove(id uintptr) {
	index := int(id & slotMask)
	s := &h.slots[index]
	*s = slot{generation: (s.generation + 1) & generationMask, next: none}
	if h.newest == none {
		h.oldest = index
	} else {
		h.slots[h.newest].next = index
	}
	h.newest = index
	h.resting++
}

// find returns the object of an id, if there is one of the type.
func find[T any](h *handles, id uintptr) (object T, found bool) {
	index := int(id & slotMask)
	if id>>(slotBits+generationBits) != h.tag || index >= len(h.slots) {
		return object, false
	}
	s := &h.slots[index]
	if s.generation != id>>slotBits&generationMask {
		return object, false
	}
	object, found = s.object.(T)
	return object, found
}
