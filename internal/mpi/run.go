package mpi

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/errors"
)

// window is how many scalars are on their way at once. MPI sees only these: callers' slices are
// copied through them, so that a call which is given up leaves MPI with memory that nobody else
// reads or frees.
const window = 1 << 20

// Run is this process's place in a run. One goroutine after another may use it.
type Run struct {
	session      *session
	index, count int
	comm         handle
	peers        []peer
	// whole has room for a window of all processes, part for this one's share of it.
	whole, part []float32
	pinner      runtime.Pinner

	mutex  sync.Mutex
	calls  uint64 // that were finished
	met    bool   // the others can be spoken to
	parted bool   // and were told farewell
	broken error
	closed bool
}

// Index is this process, from zero.
func (r *Run) Index() int { return r.index }

// Count is how many processes there are.
func (r *Run) Count() int { return r.count }

// Library is the path of the MPI library, and what it calls itself.
func (r *Run) Library() (path, version string) { return r.session.path, r.session.version }

func newRun(s *session) *Run {
	r := &Run{session: s, index: s.launch.place, count: s.launch.total}
	share := (window + r.count - 1) / r.count
	r.whole, r.part = make([]float32, share*r.count), make([]float32, share)
	words := make([]byte, 3*wordSize*r.count)
	// MPI writes into these after the calls that were given them.
	r.pinner.Pin(&r.comm)
	r.pinner.Pin(&r.whole[0])
	r.pinner.Pin(&r.part[0])
	r.pinner.Pin(&words[0])
	take := func() (part []byte) {
		part, words = words[:wordSize:wordSize], words[wordSize:]
		return part
	}
	for i := range r.count {
		if i != r.index {
			r.peers = append(r.peers, peer{index: i, heard: take(), said: take(), farewell: take()})
		}
	}
	return r
}

// meet makes a communicator of this run's own, so that its messages are nobody else's, and begins
// to listen.
func (r *Run) meet(ctx context.Context) error {
	var request handle
	err := r.call("MPI_Comm_idup", func(l *library) int32 { return l.duplicate(l.world, &r.comm, &request) })
	if err == nil {
		err = r.await(ctx, &request, "the processes to meet")
	}
	if err == nil {
		err = r.call("MPI_Comm_set_errhandler", func(l *library) int32 { return l.setErrors(r.communicator(), l.errorsReturn) })
	}
	r.met = err == nil
	for i := range r.peers {
		if err == nil {
			err = r.listen(&r.peers[i])
		}
	}
	return err
}

func (r *Run) communicator() uintptr { return r.session.value(&r.comm) }

// AllReduce replaces values by their sums over all processes, each of which calls it with as many
// values. Every process gets the same bits: each sum is made by one process, and sent to the
// others. Whole numbers are summed exactly as far as float32 is.
func (r *Run) AllReduce(ctx context.Context, values []float32) error {
	return r.collective(ctx, word{kind: reducing, length: uint64(len(values))}, func() error {
		for len(values) > 0 {
			n := min(len(values), window)
			each := (n + r.count - 1) / r.count
			clear(r.whole[copy(r.whole, values[:n]) : each*r.count])
			if err := r.sum(ctx, each); err != nil {
				return err
			}
			if err := r.share(ctx, each); err != nil {
				return err
			}
			values = values[copy(values[:n], r.whole):]
		}
		return nil
	})
}

// AllGather writes the parts of all processes to all, in the order of their indices: len(all) is
// Count()·len(mine). Every process calls it with a part of the same length. Bits are moved as they
// are.
func (r *Run) AllGather(ctx context.Context, mine, all []float32) error {
	if len(all) != r.count*len(mine) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		return r.fail(errors.ErrInvalidArgument, nil, "AllGather of %d processes' %d values each into %d", r.count, len(mine), len(all))
	}
	return r.collective(ctx, word{kind: gathering, length: uint64(len(mine))}, func() error {
		for begin := 0; begin < len(mine); {
			n := min(len(mine)-begin, len(r.part))
			copy(r.part, mine[begin:begin+n])
			if err := r.share(ctx, n); err != nil {
				return err
			}
			for i := range r.count {
				copy(all[i*len(mine)+begin:][:n], r.whole[i*n:])
			}
			begin += n
		}
		return nil
	})
}

// collective runs one call, after all processes have told each other that they make it.
func (r *Run) collective(ctx context.Context, w word, run func() error) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.broken != nil {
		return r.broken
	}
	if w.length == 0 {
		return nil
	}
	w.call = r.calls
	if ctx.Err() != nil {
		return r.fail(errors.ErrPeer, context.Cause(ctx), "gave up before %s: %v", w.doing(), context.Cause(ctx))
	}
	if err := r.exchange(ctx, w); err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	r.calls++
	return nil
}

// sum leaves in part this process's share of the sums of all processes' wholes.
func (r *Run) sum(ctx context.Context, each int) error {
	var request handle
	err := r.call("MPI_Ireduce_scatter_block", func(l *library) int32 {
		return l.reduceScatter(&r.whole[0], &r.part[0], int32(each), l.float, l.dialect.sum, r.communicator(), &request)
	})
	if err != nil {
		return err
	}
	return r.await(ctx, &request, "the sum")
}

// share leaves in whole the parts of all processes.
func (r *Run) share(ctx context.Context, each int) error {
	var request handle
	err := r.call("MPI_Iallgather", func(l *library) int32 {
		return l.gather(&r.part[0], int32(each), l.float, &r.whole[0], int32(each), l.float, r.communicator(), &request)
	})
	if err != nil {
		return err
	}
	return r.await(ctx, &request, "the parts of all")
}

// call calls MPI, in turn with other runs of this process. Its failure breaks the run.
func (r *Run) call(function string, call func(*library) int32) error {
	r.session.calls.Lock()
	code := call(r.session.library)
	err := r.session.check(function, code)
	r.session.calls.Unlock()
	if err != nil {
		return r.fail(errors.ErrPeer, err, "%v", err)
	}
	return nil
}

// await tests a request until it is done, or the context is.
func (r *Run) await(ctx context.Context, request *handle, what string) error {
	// All others have come, and data is on its way: only the processor is given to those who may
	// have it.
	for pause := newPause(50 * time.Millisecond); ; pause.wait() {
		done, err := r.done(request)
		if err != nil || done {
			return err
		}
		if ctx.Err() != nil {
			return r.fail(errors.ErrPeer, context.Cause(ctx), "gave up waiting for %s: %v", what, context.Cause(ctx))
		}
		if err := r.present(); err != nil {
			return err
		}
	}
}

// done tests a request once.
func (r *Run) done(request *handle) (bool, error) {
	var done int32
	var status [64]byte // more than any implementation's
	err := r.call("MPI_Test", func(l *library) int32 { return l.test(request, &done, &status[0]) })
	return done != 0, err
}

// fail breaks the run by a fault of this process's own.
func (r *Run) fail(status errors.Status, cause error, format string, values ...any) error {
	text := fmt.Sprintf(format, values...)
	return r.breaks(&failure{status, text, cause}, word{kind: failing, origin: uint32(r.index), text: text})
}

// breaks breaks the run, and tells the others, who may wait for this process. The first failure
// stays.
func (r *Run) breaks(f *failure, farewell word) error {
	if r.broken == nil {
		f.text = fmt.Sprintf("process %d of %d: %s", r.index, r.count, f.text)
		r.broken = f
		if r.met && !r.parted {
			farewell.call = r.calls
			r.tell(farewell)
		}
	}
	return r.broken
}

// Close leaves the run. Where the run is whole, it waits until all processes have closed it, at
// most two minutes, and the process's last run ends MPI; the error, which wraps [errors.ErrPeer],
// says who did not come or came with a failure of its own. A broken run is left at once, and MPI
// never ended. Closing twice is safe.
func (r *Run) Close() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.broken != nil {
		return r.session.leave(r, true)
	}
	if err := r.depart(); err != nil {
		_ = r.session.leave(r, true) // nothing is waited for, so nothing fails
		return err
	}
	r.broken = &failure{status: errors.ErrInvalidArgument, text: "the run is closed", cause: errors.ErrClosed}
	if err := r.session.leave(r, false); err != nil {
		return err
	}
	r.pinner.Unpin()
	return nil
}
