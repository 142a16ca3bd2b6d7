package errors

import (
	stderrors "errors"
	"fmt"
	"strings"

	"github.com/unum-cloud/uform-go/abi"
)

// Status is a status of libuform as an error. Two statuses are the same error when their numbers
// are, so every number is its own sentinel, named here or not.
type Status abi.Status

// Error is the status in words, such as "invalid argument", or its number where it has no name.
func (status Status) Error() string {
	return strings.ReplaceAll(abi.Status(status).String(), "_", " ")
}

// ErrClosed is the cause of an error about a handle that was closed. The error's status is
// [ErrInvalidArgument].
var ErrClosed = stderrors.New("already closed")

// NoItem is the Item of an [Error] where no single item of the batch is at fault.
const NoItem = -1

// Error is the failure of a call.
type Error struct {
	// Verb is the operation, such as "encode texts".
	Verb string
	// Status is what the library returned, or what the binding found before it called the library.
	Status Status
	// Item is the index of the batch item at fault, or [NoItem].
	Item int
	// Cause is what is known beyond the status: a library's message, a context's cause, an
	// operating system's error. It may be nil.
	Cause error
}

// Error names the verb, the item, the status and the cause.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("uform: ")
	text.WriteString(e.Verb)
	if e.Item >= 0 {
		fmt.Fprintf(&text, ": item %d", e.Item)
	}
	text.WriteString(": ")
	text.WriteString(e.Status.Error())
	if e.Cause != nil {
		text.WriteString(": ")
		text.WriteString(e.Cause.Error())
	}
	return text.String()
}

// Unwrap makes both the status and the cause visible to [errors.Is] and [errors.As].
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Status}
	}
	return []error{e.Status, e.Cause}
}

// New returns the error of a call: the verb, the batch item at fault, the status, and the cause,
// which may be nil.
func New(verb string, status Status, item int, cause error) *Error {
	return &Error{Verb: verb, Status: status, Item: item, Cause: cause}
}

// Of returns the error that the outcome of a final call reports, nil on success.
func Of(verb string, outcome *abi.Outcome) error {
	if outcome.Status == abi.StatusSuccess {
		return nil
	}
	failure := New(verb, Status(outcome.Status), int(outcome.Item), nil)
	if message := abi.TextAt(outcome.Message); message != "" {
		failure.Cause = stderrors.New(message)
	}
	return failure
}

// StatusOf returns the status that err wraps, and whether it wraps one.
func StatusOf(err error) (Status, bool) {
	var status Status
	if stderrors.As(err, &status) {
		return status, true
	}
	return status, false
}
