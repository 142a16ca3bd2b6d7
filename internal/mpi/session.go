package mpi

import (
	"context"
	stderrors "errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/native"
)

// patience is how long a process waits for others to begin or to end a run.
const patience = 2 * time.Minute

// session is this process's MPI, from its beginning to its end.
type session struct {
	*library
	launch *launch
	// calls serializes all calls: MPI is begun so that threads may call one after another.
	calls sync.Mutex
	// end makes the thread that began MPI end it, which MPI wants of that thread, and ended tells
	// how that went.
	end   chan struct{}
	ended chan error
}

// process is what there can be one of. Runs that were broken are kept, because MPI may hold their
// buffers for ever.
var process struct {
	sync.Mutex
	session *session
	open    map[*Run]struct{}
	broken  []*Run
	// over is why no run can be joined any more.
	over error
}

// Join joins the run of all processes that one launcher has started, as the process index of count.
// It loads MPI and begins it, once in the life of a process, and waits for the others to do the
// same, at most two minutes.
//
// The error wraps [errors.ErrInvalidArgument] where index and count are not what the launcher says,
// or none has started this process; [errors.ErrUnsupported] where there is no usable MPI of the
// launcher's, or this build loads no shared libraries; [errors.ErrPeer] where the others do not
// come, or this process has been in a run that broke or ended.
func Join(index, count int) (*Run, error) {
	by, err := launched()
	if err == nil {
		err = by.agree(index, count)
	}
	if err != nil {
		return nil, err
	}
	if !native.Supported {
		return nil, native.Unsupported()
	}
	process.Lock()
	defer process.Unlock()
	if process.over != nil {
		return nil, process.over
	}
	if process.session == nil {
		library, err := by.find()
		if err != nil {
			return nil, err
		}
		begun, err := begin(library, by)
		if err != nil {
			process.over = err
			return nil, err
		}
		process.session = begun
		process.open = map[*Run]struct{}{}
	}
	run := newRun(process.session)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run.meet(ctx); err != nil {
		process.over = err
		process.broken = append(process.broken, run)
		return nil, err
	}
	process.open[run] = struct{}{}
	return run, nil
}

// begin begins MPI on a thread of its own.
func begin(library *library, by *launch) (*session, error) {
	s := &session{library: library, launch: by, end: make(chan struct{}), ended: make(chan error, 1)}
	begun := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this goroutine
		if err := s.initialize(); err != nil {
			begun <- err
			return
		}
		begun <- nil
		<-s.end
		s.calls.Lock()
		defer s.calls.Unlock()
		s.ended <- s.check("MPI_Finalize", s.finalize())
	}()
	select {
	case err := <-begun:
		return s, err
	case <-time.After(patience):
		return nil, fmt.Errorf("MPI did not begin within %v: other processes of the run may not have started: %w", patience, errors.ErrPeer)
	}
}

// initialize begins MPI, and makes sure that it is the launcher's.
func (s *session) initialize() error {
	var before int32
	if err := s.check("MPI_Initialized", s.initialized(&before)); err != nil {
		return fmt.Errorf("%v: %w", err, errors.ErrUnsupported)
	}
	if before != 0 {
		return fmt.Errorf("something else in this process has begun MPI, and who did must be the one to call it: %w", errors.ErrUnsupported)
	}
	defer native.KeepSignals()()
	defer lenient()()
	var provided int32
	if err := s.check("MPI_Init_thread", s.initThread(nil, nil, s.serialized, &provided)); err != nil {
		return fmt.Errorf("MPI cannot begin: %v: %w", err, errors.ErrPeer)
	}
	if provided < s.serialized {
		return fmt.Errorf("%s may only be called by the thread that began it (level %d): %w", s.version, provided, errors.ErrUnsupported)
	}
	var rank, size int32
	err := stderrors.Join(
		s.check("MPI_Comm_set_errhandler", s.setErrors(s.world, s.errorsReturn)),
		s.check("MPI_Comm_rank", s.rank(s.world, &rank)),
		s.check("MPI_Comm_size", s.size(s.world, &size)))
	if err != nil {
		return fmt.Errorf("%v: %w", err, errors.ErrPeer)
	}
	if int(rank) != s.launch.place || int(size) != s.launch.total {
		return fmt.Errorf("%s (%s) calls this process %d of %d, its launcher calls it %d of %d: name the launcher's own library in %s: %w",
			s.path, s.version, rank, size, s.launch.place, s.launch.total, Variable, errors.ErrUnsupported)
	}
	return nil
}

// lenient keeps UCX, the library of networks on which some MPI stand, from copying straight out of
// another process's memory, unless the environment says when it may: it ends this process without a
// word when it finds the other one dead. The answer gives the environment back.
func lenient() (restore func()) {
	const variable = "UCX_RNDV_THRESH"
	if _, set := os.LookupEnv(variable); set || os.Setenv(variable, "inf") != nil {
		return func() {}
	}
	return func() { os.Unsetenv(variable) }
}

// leave forgets a run, and ends MPI after the last one. A run that failed leaves MPI as it is:
// ending it would wait for all processes.
func (s *session) leave(run *Run, failed bool) error {
	process.Lock()
	defer process.Unlock()
	delete(process.open, run)
	if failed {
		process.broken = append(process.broken, run)
		process.over = fmt.Errorf("a run of this process broke, and MPI with it: start all of its processes again: %w", errors.ErrPeer)
		return nil
	}
	if len(process.open) > 0 || process.over != nil {
		return nil
	}
	process.over = fmt.Errorf("MPI has ended with this process's last run, and cannot begin again: join the next run before the last is closed: %w",
		errors.ErrPeer)
	close(s.end)
	select {
	case err := <-s.ended:
		if err != nil {
			process.broken = append(process.broken, run)
			return fmt.Errorf("%v: %w", err, errors.ErrPeer)
		}
		return nil
	case <-time.After(patience):
		process.broken = append(process.broken, run) // MPI may still hold its buffers
		return fmt.Errorf("MPI did not end within %v: %w", patience, errors.ErrPeer)
	}
}
