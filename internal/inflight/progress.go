package inflight

import (
	"context"
	"runtime/debug"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// Reporter carries the progress reports of one call to its context and its handler. Goroutines may
// share it.
type Reporter struct {
	ctx     context.Context
	handler func(finished, total int) error
	state   uintptr

	mutex   sync.Mutex
	running uint64
	cause   error
	panic   *errors.PanicError
}

// NewReporter prepares the reports of a call. It is nil where there is nothing to report to:
// without a handler, and with a context that nobody can cancel.
func NewReporter(ctx context.Context, handler func(finished, total int) error) *Reporter {
	if handler == nil && ctx.Done() == nil {
		return nil
	}
	r := &Reporter{ctx: ctx, handler: handler}
	r.state = abi.HoldProgress(r.report)
	return r
}

// State is what goes into the argument struct's ProgressState.
func (r *Reporter) State() uintptr { return r.state }

// Release ends the reports. The call must be final.
func (r *Reporter) Release() {
	if r != nil {
		abi.ReleaseProgress(r.state)
	}
}

// Inside reports whether the calling goroutine runs the handler.
func (r *Reporter) Inside() bool {
	if r == nil {
		return false
	}
	r.mutex.Lock()
	running := r.running
	r.mutex.Unlock()
	return running != 0 && running == goroutine()
}

// Advance does nothing: a blocking call advances on its own.
func (r *Reporter) Advance() {}

// Cause is why the reporter stopped the call, nil if it did not.
func (r *Reporter) Cause() error {
	if r == nil {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.cause
}

// Panic is what the handler panicked with, nil if it did not.
func (r *Reporter) Panic() *errors.PanicError {
	if r == nil {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.panic
}

// report is what the library runs, on any thread. It must come back by returning: nothing of it may
// unwind into C.
func (r *Reporter) report(finished, total uintptr) bool {
	if r.ctx.Err() != nil {
		r.stop(context.Cause(r.ctx), nil)
		return false
	}
	if r.handler == nil {
		return true
	}
	r.enter(goroutine())
	defer r.enter(0)
	if err := r.handle(int(finished), int(total)); err != nil {
		raised, _ := err.(*errors.PanicError)
		r.stop(err, raised)
		return false
	}
	return true
}

func (r *Reporter) handle(finished, total int) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &errors.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return r.handler(finished, total)
}

func (r *Reporter) enter(goroutine uint64) {
	r.mutex.Lock()
	r.running = goroutine
	r.mutex.Unlock()
}

// stop keeps the first reason: a library may report once more before it stops.
func (r *Reporter) stop(cause error, raised *errors.PanicError) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.cause == nil {
		r.cause, r.panic = cause, raised
	}
}
