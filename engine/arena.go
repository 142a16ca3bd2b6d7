package engine

import (
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/platform"
)

// arena is a block of host pages that holds the outputs of one call at a time.
type arena struct {
	claims
	library *library

	// Guarded by the library's mutex. Only the call that took the arena replaces its memory.
	taken   bool
	pages   *platform.Mapping
	memory  []byte
	growths int
}

// poison fills rewound memory in tests: it reads as NaN in a float, and is never a valid offset.
const poison = 0xFF

// rewind invalidates the outputs of earlier calls. Only the call that took the arena calls it.
func (a *arena) rewind() {
	if a.library.hooks.PoisonRewound {
		for i := range a.memory {
			a.memory[i] = poison
		}
	}
}

// reserve makes room for size bytes of outputs, and grows the arena if it is too small. The old
// pages are released first: their content was rewound, so old and new pages are never held
// together.
func (a *arena) reserve(size uint64) *fault {
	if size <= uint64(len(a.memory)) {
		return nil
	}
	a.replace(nil)
	if size > math.MaxInt {
		return refuse(abi.StatusOutOfMemory, "the outputs exceed the address space")
	}
	pages, err := a.library.mapPages(int(size))
	if err != nil {
		return refuse(abi.StatusOutOfMemory, "the system has no more pages for the outputs")
	}
	a.replace(pages)
	if grown := a.library.hooks.ArenaGrown; grown != nil {
		grown(abi.Arena(a.id), len(a.memory))
	}
	return nil
}

// replace releases the pages and stores pages, which may be nil, in their place.
func (a *arena) replace(pages *platform.Mapping) {
	var memory []byte
	if pages != nil {
		memory = pages.Bytes()
	}
	a.library.mutex.Lock()
	before := a.pages
	a.pages, a.memory = pages, memory
	if pages != nil {
		a.growths++
	}
	a.library.mutex.Unlock()
	// Unmapping fails only for an address that is not a mapping's own, which cannot occur here.
	_ = before.Close()
}

// arenaInit implements [abi.Library.ArenaInit].
func (l *library) arenaInit(arguments *abi.ArenaInit) {
	if arguments == nil {
		return
	}
	var f *fault
	if arguments.Arena == nil {
		f = refuse(abi.StatusInvalidArgument, "no place for the new arena's handle: set arena")
	} else {
		*arguments.Arena, f = l.newArena(arguments.Executor)
	}
	end(arguments.Outcome, f)
}

func (l *library) newArena(executorID abi.Executor) (abi.Arena, *fault) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if executorID != 0 { // every executor computes in host pages, so any of them is accepted
		if _, found := find[*executor](&l.handles, uintptr(executorID)); !found {
			return 0, stale("executor")
		}
	}
	a := &arena{library: l}
	if a.id = l.handles.add(a); a.id == 0 {
		return 0, tooMany()
	}
	return abi.Arena(a.id), nil
}

// arenaDescribe implements [abi.Library.ArenaDescribe].
func (l *library) arenaDescribe(arguments *abi.ArenaDescribe) {
	if arguments == nil {
		return
	}
	l.mutex.Lock()
	_, found := find[*arena](&l.handles, uintptr(arguments.Arena))
	l.mutex.Unlock()
	var f *fault
	switch {
	case arguments.Arena == 0:
		f = missing("arena")
	case !found:
		f = stale("arena")
	case arguments.Description == nil:
		f = refuse(abi.StatusInvalidArgument, "no place for the description: set description")
	default:
		*arguments.Description = abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}
	}
	end(arguments.Outcome, f)
}

// arenaFree implements [abi.Library.ArenaFree].
func (l *library) arenaFree(id abi.Arena) {
	if a := retire[*arena](l, uintptr(id)); a != nil {
		a.replace(nil)
	}
}
