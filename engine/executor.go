package engine

import (
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
)

// maxThreads bounds an executor. A larger number of workers is a mistake in the argument.
const maxThreads = 1024

// executor is a fixed set of workers with the working memory they compute in. At most one call has
// it. That call either occupies it, which means that a goroutine runs the call, or is held until
// one does.
type executor struct {
	claims
	exclusivity abi.CallerExclusivity
	mood        abi.Mood
	threads     int
	sleeps      func(executor abi.Executor, looks int) // hooks.Engine.WorkerSleeps

	// workers are the executor's own goroutines. They are all the threads of an exclusive executor,
	// and all but one of an inclusive executor, where the missing one is the goroutine that makes a
	// blocking call.
	workers []*worker
	// workspaces are one for each thread. The goroutines that occupy the executor compute in them.
	workspaces []*workspace
	workgroup  *workgroup
	gone       sync.WaitGroup // counts the workers that have not exited

	// Guarded by the library's mutex.
	busy    bool  // a call occupies the executor
	held    *call // non-nil only where there are no workers, and never while busy
	turn    uint  // counts the occupations that ended
	scratch uint64
}

func newExecutor(threads int, exclusivity abi.CallerExclusivity, mood abi.Mood) *executor {
	e := &executor{exclusivity: exclusivity, mood: mood, threads: threads, workgroup: newWorkgroup(mood)}
	for range threads {
		e.workspaces = append(e.workspaces, new(workspace))
	}
	own := e.workspaces
	if exclusivity == abi.CallerInclusive {
		own = own[1:]
	}
	for _, space := range own {
		e.workers = append(e.workers, newWorker(e, space))
	}
	return e
}

// start starts the workers, after the executor got its id.
func (e *executor) start() {
	for _, w := range e.workers {
		e.gone.Add(1)
		go w.live()
	}
}

// occupy takes an executor that is not busy, for a call to run. It returns the held call, which
// must run first, nil if there is none. The caller holds the mutex.
func (l *library) occupy(e *executor) *call {
	held := e.held
	e.held, e.busy = nil, true
	if held != nil {
		held.held = false
		delete(l.held, held)
	}
	return held
}

// hold leaves a call with an executor that has no threads to run it. The caller holds the mutex.
func (l *library) hold(e *executor, c *call) {
	e.held, c.held = c, true
	l.held[c] = struct{}{}
}

// vacate ends an occupation. The caller holds the mutex, and no worker computes.
func (e *executor) vacate() {
	e.busy = false
	e.turn++
	var bytes uint64
	for _, space := range e.workspaces {
		bytes += space.bytes()
	}
	e.scratch = max(e.scratch, bytes)
}

// advance runs a held call on this goroutine. The mutex is held before and after, but not while the
// call runs.
func (l *library) advance(c *call) {
	e := c.executor
	l.occupy(e)
	l.mutex.Unlock()
	c.run(e.workspaces[0], nil)
	l.mutex.Lock()
}

// executorInit implements [abi.Library.ExecutorInit].
func (l *library) executorInit(arguments *abi.ExecutorInit) {
	if arguments == nil {
		return
	}
	if arguments.Executor != nil {
		*arguments.Executor = 0
	}
	f := checkExecutorInit(arguments)
	if f == nil {
		threads := int(arguments.Threads)
		if threads == 0 {
			threads = runtime.GOMAXPROCS(0) // more could not run at once
		}
		e := newExecutor(min(threads, maxThreads), arguments.Exclusivity, arguments.Mood)
		l.mutex.Lock()
		e.id = l.handles.add(e)
		l.mutex.Unlock()
		if e.id == 0 {
			f = tooMany()
		} else {
			e.sleeps = l.hooks.WorkerSleeps
			e.start()
		}
		*arguments.Executor = abi.Executor(e.id)
	}
	end(arguments.Outcome, f)
}

func checkExecutorInit(arguments *abi.ExecutorInit) *fault {
	switch {
	case arguments.Executor == nil:
		return refuse(abi.StatusInvalidArgument, "no place for the new executor's handle: set executor")
	case arguments.Reserved != 0:
		return reservedSet
	case arguments.MemoryDomains&^1 != 0:
		return refuse(abi.StatusInvalidArgument, "this library sees one memory domain: set bit 0 alone, or none")
	case arguments.Threads > maxThreads:
		return refuse(abi.StatusInvalidArgument, "more than %d threads", maxThreads)
	case arguments.Exclusivity != abi.CallerInclusive && arguments.Exclusivity != abi.CallerExclusive:
		return refuse(abi.StatusInvalidArgument, "the exclusivity is neither inclusive nor exclusive")
	}
	return checkMood(arguments.Mood)
}

func checkMood(mood abi.Mood) *fault {
	if mood != abi.MoodParked && mood != abi.MoodSpinning {
		return refuse(abi.StatusInvalidArgument, "the mood is neither parked nor spinning")
	}
	return nil
}

// executorDrain implements [abi.Library.ExecutorDrain].
func (l *library) executorDrain(arguments *abi.ExecutorDrain) {
	if arguments == nil {
		return
	}
	e, f := claim[*executor](l, "executor", uintptr(arguments.Executor))
	if f == nil {
		l.mutex.Lock()
		if e.held != nil {
			l.advance(e.held)
		}
		// Only the present call is waited for; otherwise a busy executor would keep its drains for
		// ever.
		for turn := e.turn; e.busy && e.turn == turn; {
			l.changed.Wait()
		}
		e.named--
		l.changed.Broadcast()
		l.mutex.Unlock()
	}
	end(arguments.Outcome, f)
}

// executorDescribe implements [abi.Library.ExecutorDescribe].
func (l *library) executorDescribe(arguments *abi.ExecutorDescribe) {
	if arguments == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	e, found := find[*executor](&l.handles, uintptr(arguments.Executor))
	var f *fault
	switch {
	case arguments.Executor == 0:
		f = missing("executor")
	case !found:
		f = stale("executor")
	case arguments.Description == nil:
		f = refuse(abi.StatusInvalidArgument, "no place for the description: set description")
	default:
		*arguments.Description = abi.ExecutorDescription{
			Residency:          abi.ResidencyRAM,
			Device:             -1,
			Exclusivity:        e.exclusivity,
			Mood:               e.mood,
			Threads:            uint32(e.threads),
			MemoryDomainsCount: 1,
			ScratchBytes:       e.scratch,
		}
	}
	end(arguments.Outcome, f)
}

// executorFree implements [abi.Library.ExecutorFree].
func (l *library) executorFree(id abi.Executor) {
	if e := retire[*executor](l, uintptr(id)); e != nil {
		e.dismiss()
	}
}

// dismiss makes the workers exit. It does not wait for them: a notification of
// [abi.Extensions.OnFinal] may free the executor on one of its own workers.
func (e *executor) dismiss() {
	for _, w := range e.workers {
		close(w.jobs)
	}
}
