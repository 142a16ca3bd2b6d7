package deferred

import (
	"context"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/inflight"
)

// Call is a submitted call whose result is a Result. Goroutines may share it; each of them can
// wait.
//
// A Call keeps its model, executor and arena alive. It needs no closing: if it is dropped before it
// is final, it finishes on its own, and then its arena is free again.
//
// An executor without threads of its own holds the call until a goroutine asks for it. A held call
// that is dropped runs after the garbage collector has noticed that. The collector cannot notice it
// if the call's handler or context refers to the Call; so a held call that has a handler or a
// context runs after the second garbage collection, dropped or not. The handler then gets the
// reports as usual; a panic in it is lost, because nobody waits.
type Call[Result any] inflight.Call[Result]

// Done returns a channel that is closed once the call is final, however it ended. It never blocks.
// If the executor holds the call, Done starts it.
func (c *Call[Result]) Done() <-chan struct{} { return c.inFlight().Done() }

// Status returns nil once the call succeeded, [errors.ErrDeferred] while it is not final, and its
// failure otherwise. A call whose progress handler panicked is [errors.ErrCancelled], even if the
// library reports success, so Status is nil only where Wait returns a result. It never blocks,
// never panics, and does not start a held call. It calls uform_outcome_status.
func (c *Call[Result]) Status() error { return c.inFlight().Status() }

// Wait blocks until the call is final and returns its result, as often as it is called. If the
// call's progress handler panicked, Wait panics with a [*PanicError].
//
// If ctx ends first, Wait gives up and the call goes on: the error is [errors.ErrDeferred] and
// wraps the cause of ctx. Inside the call's own progress handler Wait fails with
// [errors.ErrContended]. It calls uform_outcome_wait.
func (c *Call[Result]) Wait(ctx context.Context) (Result, error) { return c.inFlight().Wait(ctx) }

func (c *Call[Result]) inFlight() *inflight.Call[Result] { return (*inflight.Call[Result])(c) }

// Handler receives how many of a call's units are finished: items for encoding and choosing, bytes
// for loading and saving. The count never falls, but it may repeat, as it does inside a long item;
// the total may be zero. An error stops the call at the next slice; the call then fails as
// cancelled, with that error as its cause.
//
// A handler runs on any goroutine, but on one at a time for each call. It must return soon and must
// not call [runtime.Goexit], as FailNow of a test does. Inside the handler, closing a handle that
// the call names, and waiting for the call, fail. A handler may make other calls, which may have
// handlers too. Those inner handlers must not close what the outer call names, and must not use a
// pool that waits for the outer call: such a wait never ends, and it is not detected.
type Handler func(finished, total int) error

// PanicError is a panic of a [Handler]. It has the panic's Value and the handler's Stack: see
// [errors.PanicError].
type PanicError = errors.PanicError
