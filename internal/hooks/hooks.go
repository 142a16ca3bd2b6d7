// Package hooks lets tests change and observe what the embedded engine keeps to itself. Programs
// have no use for it, so it is not a part of engine.Options.
package hooks

import (
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
)

// Engine are the hooks of one library of the engine. The zero value has none.
type Engine struct {
	// PoisonRewound overwrites the memory of an arena, up to its capacity, with bytes of 0xFF when
	// a call rewinds it. Outputs read too late are then NaN, instead of right by accident.
	PoisonRewound bool

	// ArenaGrown is called each time an arena allocates, with how many bytes it holds then. It runs
	// on the goroutine that leads the call, and must not call into the library.
	ArenaGrown func(arena abi.Arena, bytes int)

	// WorkerSleeps is called each time a goroutine that an executor owns goes to sleep, with how
	// often that one has looked for work since it had some. It runs on that goroutine, and must not
	// call into the library.
	WorkerSleeps func(executor abi.Executor, looks int)

	// Compute runs in the place of the computation of each slice of a call, of some items, on the
	// goroutine that would compute it, so that what a call costs besides can be measured. The
	// outputs are then arbitrary.
	Compute func(items int)
}

var (
	making  sync.Mutex
	current atomic.Pointer[Engine]
)

// With is the library that create makes, with hooks. A library that another goroutine makes
// meanwhile has them too.
func With(hooks Engine, create func() *abi.Library) *abi.Library {
	making.Lock()
	defer making.Unlock()
	current.Store(&hooks)
	defer current.Store(nil)
	return create()
}

// Current are the hooks that the engine gives to a library that it makes.
func Current() Engine {
	if hooks := current.Load(); hooks != nil {
		return *hooks
	}
	return Engine{}
}
