package deferred

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
)

// Handler hears how many of a call's units are finished: items for encoding and choosing, bytes for loading. The count never
// falls, but it may repeat, as it does inside a long item; the total may be zero. An error
// stops the call at the next slice; the call then fails as cancelled, with that error as its cause.
//
// A handler runs on any goroutine, but on one at a time for a call. It must return soon and must not call
// [runtime.Goexit], as a test's FailNow does. Closing a handle that the call names, or waiting for the call, is
// refused inside it. A handler that makes calls of its own, with handlers in turn, must not close there what a call further
// out names, nor take from a pool that is waiting for it: nobody can see that such a wait has no end.
type Handler func(finished, total int) error

// PanicError is a panic of a [Handler]. It stops the call like an error does, and is raised
// again where the call's result is taken. Where nobody waits for a deferred call, it is raised
// nowhere: the call fails as cancelled, with the PanicError as the cause that an observer of
// the library is told. It is a plain value: goroutines may share one that none of them changes.
type PanicError struct {
	// Value is what the handler panicked with.
	Value any
	// Stack is the handler's stack at that moment, formatted by package runtime/debug.
	Stack []byte
}

// Error is the panic's value and the handler's stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("uform: progress handler panicked: %v\n\n%s", e.Value, e.Stack)
}

// Unwrap is the panic's value where that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Reporter carries the progress reports of one call to its context and its handler. Goroutines may share it.
type Reporter struct {
	ctx     context.Context
	handler Handler
	state   uintptr

	mutex   sync.Mutex
	running uint64
	cause   error
	panic   *PanicError
}

// NewReporter prepares the reports of a call. It is nil where there is nothing to report to: without a handler, and
// with a context that nobody can cancel.
func NewReporter(ctx context.Context, handler Handler) *Reporter {
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

// Inside tells whether the calling goroutine runs the handler.
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
func (r *Reporter) Panic() *PanicError {
	if r == nil {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.panic
}

// report is what the library runs, on any thread. It must come back by returning: nothing of it may unwind into C.
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
		raised, _ := err.(*PanicError)
		r.stop(err, raised)
		return false
	}
	return true
}

func (r *Reporter) handle(finished, total int) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
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
func (r *Reporter) stop(cause error, raised *PanicError) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.cause == nil {
		r.cause, r.panic = cause, raised
	}
}
