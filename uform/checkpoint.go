package uform

import (
	"context"
	stderrors "errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/inflight"
	"github.com/unum-cloud/uform-go/platform"
)

// checkpoint is what a model or a training run starts from: the file or folder at a path, bytes in
// memory, or a folder of a file system, whose name is the path. A library that reads no bytes gets
// them through a private file: then path is that file's, and no error names it.
type checkpoint struct {
	path     string
	bytes    []byte
	inMemory bool
	files    fs.FS // that has the folder
}

var (
	errNoBytes    = stderrors.New("there are no bytes")
	errNoFolders  = stderrors.New("it is a folder, which only the embedded engine loads: open the library with OpenOptions.Embedded, or set UFORM_LIBRARY=embedded")
	errNoTraining = stderrors.New("it is a folder, whose model is not trained: examples/distill teaches a byte model what it says")
)

// isFolder reports whether the model is one of a folder.
func (c checkpoint) isFolder() bool {
	if c.inMemory || c.files != nil {
		return c.files != nil
	}
	info, err := os.Stat(c.path)
	return err == nil && info.IsDir()
}

// check refuses what is wrong whatever the library.
func (c checkpoint) check(verb string) error {
	switch {
	case c.inMemory && len(c.bytes) == 0:
		return errors.New(verb, errors.ErrMalformed, errors.NoItem, errNoBytes)
	case c.inMemory, c.files != nil:
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

// failure is the error of a call that starts something from the checkpoint, nil on success.
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
	case c.isFolder():
		switch failure.Status {
		case errors.ErrIO, errors.ErrMalformed, errors.ErrUnsupported:
			failure.Cause = named(c.path, failure)
		}
	case failure.Status == errors.ErrIO, failure.Status == errors.ErrMalformed:
		failure.Cause = ofPath(c.path, failure)
	}
	return failure
}

// start is the call that makes a model, or a training run, from a checkpoint.
type start[Arguments any, Handle ~uintptr] struct {
	library  *Library
	verb     string
	from     checkpoint
	executor *Executor // nil for a model on the calling goroutine's thread
	progress Handler

	box *asking[Arguments, Handle]
	// place fills in the arguments from a frame and the path, nil for a checkpoint in memory.
	place func(f frame, path *byte)
	// entry calls the library with a path, inMemory with bytes and inFS with a folder of a file
	// system: nil where the library reads none.
	entry    func(*Arguments)
	inMemory func(*Arguments, []byte)
	inFS     func(*Arguments, fs.FS, string)
	free     func(Handle)
	// noFolder is why it does not start from a folder, nil where it does.
	noFolder error
}

// run makes the call and returns the new handle. raised is the panic of the progress handler, which
// the caller raises again; err is set then, too, for observers.
func (s *start[Arguments, Handle]) run(ctx context.Context) (made Handle, raised *errors.PanicError, err error) {
	refuse := func(status errors.Status, cause error) (Handle, *errors.PanicError, error) {
		return 0, nil, errors.New(s.verb, status, errors.NoItem, cause)
	}
	if ctx.Err() != nil {
		return refuse(errors.ErrCancelled, context.Cause(ctx))
	}
	if err := s.from.check(s.verb); err != nil {
		return 0, nil, err
	}
	if s.noFolder != nil && s.from.isFolder() {
		return refuse(errors.ErrUnsupported, fmt.Errorf("%q: %w", s.from.path, s.noFolder))
	}
	b := s.box
	f := frame{outcome: &b.outcome}
	if e := s.executor; e != nil {
		if e.library.table != s.library.table {
			return refuse(errors.ErrInvalidArgument, errForeign)
		}
		blocking := new(inflight.Blocking) // it names the executor alone
		if err := e.enter(ctx, s.verb, blocking, nil); err != nil {
			return 0, nil, err
		}
		defer e.leave(blocking)
		if !e.handle.BeginCall() {
			return refuse(errors.ErrInvalidArgument, closed("executor"))
		}
		defer e.handle.EndCall()
		f.executor = e.handle.Value()
	}
	reporter := inflight.NewReporter(ctx, s.progress)
	if reporter != nil {
		defer reporter.Release()
		f.progress, f.progressState = s.library.table.ProgressCallback, reporter.State()
		if e := s.executor; e != nil {
			e.handle.Track(reporter)
			defer e.handle.Untrack(reporter)
		}
	}
	switch {
	case s.from.files != nil:
		s.place(f, nil)
		s.inFS(&b.arguments, s.from.files, s.from.path)
	case s.from.inMemory && s.inMemory != nil:
		s.place(f, nil)
		s.inMemory(&b.arguments, s.from.bytes)
	default:
		release, err := s.from.onDisk(s.verb)
		if err != nil {
			return 0, nil, err
		}
		defer release()
		s.place(f, abi.CText(s.from.path))
		s.entry(&b.arguments)
	}
	if s.executor != nil {
		s.executor.settle()
	}
	if raised := reporter.Panic(); raised != nil {
		if b.outcome.Status == abi.StatusSuccess {
			s.free(b.answer)
		}
		return 0, raised, outcomeOf(s.verb, &b.outcome, reporter)
	}
	return b.answer, nil, s.from.failure(s.verb, &b.outcome, reporter)
}

// ofPath adds the path to the cause of a failure. If the file cannot be read, the cause is the
// operating system's error, as opening it again returns it.
func ofPath(path string, failure *errors.Error) error {
	if failure.Status == errors.ErrIO {
		file, _, err := platform.OpenRegular(path)
		if err != nil {
			return err
		}
		file.Close()
	}
	return named(path, failure)
}

// named is the cause of a failure with the path.
func named(path string, failure *errors.Error) error {
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
