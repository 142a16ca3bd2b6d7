package inflight

import (
	"context"
	stderrors "errors"
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

var errInside = stderrors.New("called from the call's own progress handler, which it would wait for")

// Call is a submitted call whose result is a Result. Goroutines may share it. The public type
// deferred.Call is defined from it and documents its methods.
type Call[Result any] struct {
	pending *Pending
	taken   *taken[Result]
}

// taken is apart from the Call so that a call in flight does not keep its Call alive.
type taken[Result any] struct {
	result Result
	err    error
}

// Prepare makes the Call of a call that is about to be submitted, and the Pending that follows it.
// [Pending.Start] or [Pending.Abandon] must come next. result runs once, when the call is final,
// after the library has released the box and before submission.Settle; it takes the result out of
// the box.
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

// Done is closed once the call is final. It starts a held call.
func (c *Call[Result]) Done() <-chan struct{} {
	c.pending.Advance()
	return c.pending.Done()
}

// Status is how the call stands, read without blocking.
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

// Wait blocks until the call is final and returns its result, or raises its handler's panic.
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
