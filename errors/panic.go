package errors

import "fmt"

// PanicError is a panic of a progress handler. It stops the call as an error does, and is raised
// again where the call's result is taken. If nobody waits for a deferred call, it is not raised:
// the call fails as cancelled, and an observer of the library gets the PanicError as the cause.
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
