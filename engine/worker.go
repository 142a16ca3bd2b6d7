package engine

import (
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

// spins is how often a spinning worker looks for a job before it goes to sleep after all. The bound, about a
// millisecond's worth, and the yield after each look let a process with one processor go on.
const spins = 1 << 12

// worker is a goroutine that an executor owns.
type worker struct {
	executor  *executor
	workspace *workspace
	jobs      chan job
}

// job asks a worker to lead a call, or, where that is nil, to look whether its executor's crew has one to help with.
type job struct {
	lead *call
}

func newWorker(e *executor, space *workspace) *worker {
	// One place is enough. An executor runs one call at a time, so it asks for one lead at a time, and a worker that helps
	// takes what else is there soon.
	return &worker{executor: e, workspace: space, jobs: make(chan job, 1)}
}

// live serves jobs until the executor is freed.
func (w *worker) live() {
	defer w.executor.gone.Done()
	for {
		j, more := w.next()
		switch {
		case !more:
			return
		case j.lead != nil:
			j.lead.run(w.workspace, w.executor.workers[1:])
			if j.lead.done == nil {
				j.lead.returned <- struct{}{} // to the blocking caller, which has the call now
			}
		default:
			w.executor.crew.help(w.workspace)
		}
	}
}

// next waits for a job in the executor's mood.
func (w *worker) next() (job, bool) {
	looks := 0
	if w.executor.mood == abi.MoodSpinning {
		for ; looks < spins; looks++ {
			select {
			case j, more := <-w.jobs:
				return j, more
			default:
				runtime.Gosched()
			}
		}
	}
	if w.executor.sleeps != nil {
		w.executor.sleeps(abi.Executor(w.executor.id), looks)
	}
	j, more := <-w.jobs
	return j, more
}

// workspace is what one goroutine computes in. It grows to what its largest slice needed and stays there, so that a
// steady loop allocates nothing.
type workspace struct {
	scratch    model.Scratch
	texts      [][]byte
	choices    [][]byte
	embeddings []float32 // rows that still have to be converted to another kind
	states     []float32
	pictures
	listening
	source   source
	batch    model.Patches
	training train.Workspace
}

// bytes is how much memory the workspace holds.
func (w *workspace) bytes() uint64 {
	const header = 3 * wordBytes
	return w.scratch.Bytes() + uint64(w.training.Bytes()) +
		header*uint64(cap(w.texts)+cap(w.choices)) +
		4*uint64(cap(w.embeddings)+cap(w.states)+cap(w.square)+cap(w.vectors)+cap(w.samples)+cap(w.heard))
}

// forget drops the references to a call's inputs.
func (w *workspace) forget() {
	clear(w.texts)
	clear(w.choices)
	clear(w.parts)
	w.texts, w.choices, w.parts = w.texts[:0], w.choices[:0], w.parts[:0]
	w.source, w.batch = source{}, model.Patches{}
}

// grown is a slice of count elements: buffer itself where it is large enough. Contents are arbitrary.
func grown[T any](buffer []T, count int) []T {
	if cap(buffer) < count {
		return make([]T, count)
	}
	return buffer[:count]
}
