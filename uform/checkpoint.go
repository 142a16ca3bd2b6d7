package uform

import (
	stderrors "errors"
	"fmt"
	"strings"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/inflight"
	"github.com/unum-cloud/uform-go/platform"
)

// checkpoint is what a model or a run starts from: the file at a path, or bytes in memory. Where a library that reads no bytes gets those
// through a private file, path is that file's, and no error names it.
type checkpoint struct {
	path     string
	bytes    []byte
	inMemory bool
}

var errNoBytes = stderrors.New("there are no bytes")

// check refuses what no library needs to see.
func (c checkpoint) check(verb string) error {
	switch {
	case c.inMemory && len(c.bytes) == 0:
		return errors.New(verb, errors.ErrMalformed, errors.NoItem, errNoBytes)
	case c.inMemory:
		return nil
	}
	return checkPath(verb, c.path)
}

// onDisk makes sure that there is a path, until release.
func (c *checkpoint) onDisk(verb string) (release func() error, err error) {
	if !c.inMemory {
		return func() error { return nil }, nil
	}
	if c.path, release, err = platform.PrivateFile(c.bytes, "checkpoint.safetensors"); err != nil {
		return nil, errors.New(verb, errors.ErrIO, errors.NoItem, err)
	}
	return release, nil
}

// failure is why a call failed that was to start something from the checkpoint; nil if it did not.
func (c checkpoint) failure(verb string, outcome *abi.Outcome, reporter *inflight.Reporter) error {
	err := errors.Of(verb, outcome)
	if err == nil {
		return nil
	}
	failure := err.(*errors.Error)
	if cause := reporter.Cause(); cause != nil && failure.Status == errors.ErrCancelled {
		failure.Cause = cause
	}
	switch {
	case c.inMemory:
		if message := failure.Cause; message != nil && c.path != "" && strings.Contains(message.Error(), c.path) {
			failure.Cause = stderrors.New(strings.ReplaceAll(message.Error(), c.path, "the checkpoint"))
		}
	case failure.Status == errors.ErrIO, failure.Status == errors.ErrMalformed:
		failure.Cause = ofPath(c.path, failure)
	}
	return failure
}

// ofPath is the cause of a failure with the path that it is of. Why a file cannot be read is told in the system's words, where they can
// still be learned.
func ofPath(path string, failure *errors.Error) error {
	if failure.Status == errors.ErrIO {
		file, _, err := platform.OpenRegular(path)
		if err != nil {
			return err
		}
		file.Close()
	}
	if failure.Cause == nil {
		return fmt.Errorf("%q", path)
	}
	return fmt.Errorf("%q: %w", path, failure.Cause)
}

func checkPath(verb, path string) error {
	var err error
	switch {
	case path == "":
		err = fmt.Errorf("the path is empty")
	case strings.ContainsRune(path, 0):
		err = fmt.Errorf("the path %q holds a NUL", path)
	default:
		return nil
	}
	return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, err)
}
