package deferred

import (
	"context"
	stderrors "errors"
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

var errInside = stderrors.New("called from the call's own progress handler, which it would wait for")

// Call is a submitted call whose result is a Result. Goroutines may share it; each of them can wait.
//
// A Call keeps its model, executor and arena alive. It needs no closing: dropped before it is final it finishes on its
// own, and its arena is free again then. Where an executor only holds the call, the garbage collector finds out that it was dropped. It
// cannot where the call's handler or context leads to the Call, so a held call that has either runs on its own after the collector has
// run twice, dropped or not. A handler is told of a dropped call as of any other; its panic is lost, as nobody waits.
type Call[Result any] struct {
	pending *Pending
	taken   *taken[Result]
}

// taken is apart from the Call so that a call in flight does not keep its Call alive.
type taken[Result any] struct {
	result Result
	err    error
}

// Prepare makes the Call of a call that is about to be submitted, and what follows it. [Pending.Start] or
// [Pending.Abandon] must come next. result runs once, when the call is final, after the library has let go of the box and
// before submission.Settle; it takes the result out of the box.
func Prepare[Result any](submission Submission, result func(*abi.Outcome) (Result, error)) (*Call[Result], *Pending) {
	out := new(taken[Result])
	settle := submission.Settle
	submission.Settle = func(outcome *abi.Outcome) {
		out.result, out.err = result(outcome)
		settle(outcome)
	}
	c := &Call[Result]{pending: newPending(submission), taken: out}
	if submission.Holder != nil {
		runtime.AddCleanup(c, (*Pending).drop, c.pending)
	}
	return c, c.pending
}

// Done is closed once the call is final, however it ended. It never blocks; on an executor without threads of its own
// it starts the call.
func (c *Call[Result]) Done() <-chan struct{} {
	c.pending.Advance()
	return c.pending.Done()
}

// Status is nil once the call succeeded, [errors.ErrDeferred] while it is not final, and its failure otherwise. A call whose
// progress handler panicked is [errors.ErrCancelled], whatever the library makes of it, so that it is nil only where Wait answers a
// result. It never blocks, never panics, and does not advance the call. It calls uform_outcome_status.
func (c *Call[Result]) Status() error {
	select {
	case <-c.pending.Done():
		return c.taken.err
	default:
	}
	switch status := c.pending.Status(); {
	case status == abi.StatusDeferred:
		return errors.ErrDeferred
	case c.pending.Reporter.Panic() != nil:
		return errors.ErrCancelled
	case status != abi.StatusSuccess:
		return errors.Status(status)
	}
	return nil
}

// Wait blocks until the call is final, and answers its result, as often as it is called. If the
// call's progress handler panicked, so does Wait, with a [*PanicError].
//
// If ctx ends first, Wait gives up, not the call: the error is [errors.ErrDeferred] and wraps the cause of ctx. Inside
// the call's own progress handler Wait is refused with [errors.ErrContended]. It calls uform_outcome_wait.
func (c *Call[Result]) Wait(ctx context.Context) (Result, error) {
	var none Result
	if c.pending.Inside() {
		return none, errors.New("wait for "+c.pending.Verb, errors.ErrContended, errors.NoItem, errInside)
	}
	done := c.Done()
	select {
	case <-done:
	default:
		select {
		case <-done:
		case <-ctx.Done():
			return none, errors.New("wait for "+c.pending.Verb, errors.ErrDeferred, errors.NoItem, context.Cause(ctx))
		}
	}
	if raised := c.pending.Reporter.Panic(); raised != nil {
		panic(raised)
	}
	return c.taken.result, c.taken.err
}
