package arena

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Arena is memory for the outputs of calls, one call at a time. Goroutines may share it; a call
// that finds it in use by another call, or pinned by a reader, fails as contended.
//
// An arena of host pages may outlive the executor that it was made for. One that is dropped without
// Close is freed by the garbage collector.
type Arena lending.Arena

// Close frees the arena and every output in it, and returns when that is done. It waits for a call
// that holds the arena, without a limit, and starts it where its executor only holds it. A pinned
// arena is closed at once and freed when the last pin is released. Closing again is safe, and waits
// in the same way. Inside the progress handler of a call that names the arena, Close is refused
// with [errors.ErrContended]. A nil Arena is closed already. It calls uform_arena_free.
func (a *Arena) Close() error { return (*lending.Arena)(a).Close() }

// Description is where an arena's outputs live.
type Description struct {
	// Residency is host pages or the memory of one device.
	Residency abi.Residency
	// Device is the index into what Library.Devices lists, or -1 for host pages.
	Device int
}

// Describe returns where the arena's outputs live. It calls uform_arena_describe.
func (a *Arena) Describe() (Description, error) {
	description, err := (*lending.Arena)(a).Describe()
	return Description{Residency: description.Residency, Device: int(description.Device)}, err
}
