package lending

import (
	stderrors "errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
)

// Arena is memory for the outputs of calls, one call at a time. Goroutines may share it. The public
// type arena.Arena is defined from it.
type Arena struct {
	library     *abi.Library
	handle      *handle.Handle[abi.Arena]
	description abi.ArenaDescription

	mutex   sync.Mutex
	lent    bool
	pins    int
	holder  Settler
	last    uint64 // the latest generation given to a call
	current uint64 // the generation whose views may be read
	filled  uint64 // the generation that outputs belong to
	outputs []extent
	peak    int    // the most bytes that the outputs of one generation took
	grown   uint64 // the generation that took them
}

// extent is a range of addresses that an output takes.
type extent struct{ begin, end uintptr }

// Settler is a deferred call that may be final although nobody has noticed. Goroutines may share
// one.
type Settler interface {
	// SettleFinal settles the call if it is final, and reports whether it is settled now.
	SettleFinal() bool
	// Finish starts the call where its executor only holds it, and returns when it is settled.
	Finish()
}

var (
	errLent   = stderrors.New("another call holds the arena: give each call in flight its own")
	errPinned = stderrors.New("the arena is being read: end the loop or release the pin first")
	errNil    = stderrors.New("the arena is nil")
	errInside = stderrors.New("called from the progress handler of a call that names the arena")
)

// New makes an arena where executor computes; nil means host pages for calls on the calling
// goroutine. It calls uform_arena_init and uform_arena_describe.
func New(library *abi.Library, executor *handle.Handle[abi.Executor]) (*Arena, error) {
	const verb = "make arena"
	var made struct {
		outcome   abi.Outcome
		arguments abi.ArenaInit
		_         [abi.ReservedTail]byte
		arena     abi.Arena
	}
	made.arguments.Arena, made.arguments.Outcome = &made.arena, &made.outcome
	if executor != nil {
		if !executor.BeginCall() {
			return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("executor"))
		}
		defer executor.EndCall()
		made.arguments.Executor = executor.Value()
	}
	made.outcome.Status = abi.StatusUnknown
	library.ArenaInit(&made.arguments)
	if err := errors.Of(verb, &made.outcome); err != nil {
		return nil, err
	}

	a := &Arena{library: library}
	free := library.ArenaFree
	var err error
	if a.description, err = describe(library, made.arena); err != nil {
		free(made.arena)
		return nil, err
	}
	if executor != nil && a.OnDevice() {
		// A GPU arena is freed on its maker's stream, so its maker lives until then.
		if !executor.Refer() {
			free(made.arena)
			return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("executor"))
		}
		free = func(arena abi.Arena) {
			library.ArenaFree(arena)
			executor.Unrefer()
		}
	}
	a.handle = handle.New(made.arena, free)
	runtime.AddCleanup(a, (*handle.Handle[abi.Arena]).Drop, a.handle)
	return a, nil
}

// Close frees the arena, as arena.Arena's Close documents.
func (a *Arena) Close() error {
	if a == nil {
		return nil
	}
	if !a.handle.Close() {
		return errors.New("close arena", errors.ErrContended, errors.NoItem, errInside)
	}
	return nil
}

// Describe asks the library where the arena's outputs live.
func (a *Arena) Describe() (abi.ArenaDescription, error) {
	const verb = "describe arena"
	if a == nil {
		return abi.ArenaDescription{}, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNil)
	}
	if !a.handle.BeginCall() {
		return abi.ArenaDescription{}, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("arena"))
	}
	defer a.handle.EndCall()
	return describe(a.library, a.handle.Value())
}

// Library is the table that the arena belongs to.
func (a *Arena) Library() *abi.Library { return a.library }

// Device is the index of the device that the outputs live on, -1 for host pages.
func (a *Arena) Device() int32 { return a.description.Device }

// OnDevice reports whether the outputs live in device memory.
func (a *Arena) OnDevice() bool { return a.description.Residency != abi.ResidencyRAM }

// Holds reports whether any of memory lies in the outputs that the arena holds: a call would
// overwrite them while it reads its inputs. An arena holds the outputs of its last call alone, and
// none if that failed or the arena is closed.
func (a *Arena) Holds(memory []byte) bool {
	if len(memory) == 0 {
		return false
	}
	begin := abi.Address(memory)
	end := begin + uintptr(len(memory))
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.filled != a.current || a.handle.Closed() {
		return false
	}
	for _, output := range a.outputs {
		if begin < output.end && output.begin < end {
			return true
		}
	}
	return false
}

func describe(library *abi.Library, arena abi.Arena) (abi.ArenaDescription, error) {
	var asked struct {
		outcome     abi.Outcome
		arguments   abi.ArenaDescribe
		_           [abi.ReservedTail]byte
		description abi.ArenaDescription
	}
	asked.arguments = abi.ArenaDescribe{Arena: arena, Outcome: &asked.outcome, Description: &asked.description}
	asked.outcome.Status = abi.StatusUnknown
	library.ArenaDescribe(&asked.arguments)
	return asked.description, errors.Of("describe arena", &asked.outcome)
}

func closed(what string) error { return fmt.Errorf("the %s is %w", what, errors.ErrClosed) }
