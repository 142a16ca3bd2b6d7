package mpi

import "github.com/unum-cloud/uform-go/errors"

// failure is why a run is broken. Its status comes before its cause, which may have one of its own.
type failure struct {
	status errors.Status
	text   string
	cause  error
}

func (f *failure) Error() string { return f.text + ": " + f.status.Error() }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.status}
	}
	return []error{f.status, f.cause}
}
