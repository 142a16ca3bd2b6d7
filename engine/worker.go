package engine

import (
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// spins is how often a spinning worker polls for a job before it sleeps. The bound is about a
// millisecond; with the yield after each poll it lets a process with one processor make progress.
const spins = 1 << 12

// worker is a goroutine that an executor owns.
type worker struct {
	executor  *executor
	workspace *workspace
	jobs      chan job
}

// job asks a worker to lead a call, or, if lead is nil, to help with the call of its executor's
// workgroup.
type job struct {
	lead *call
}

func newWorker(e *executor, space *workspace) *worker {
	// One place is enough. An executor runs one call at a time, so it sends one lead at a time, and
	// a worker that helps soon takes what else is there.
	return &worker{executor: e, workspace: space, jobs: make(chan job, 1)}
}

// live runs jobs until the executor is freed.
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
				j.lead.returned <- struct{}{} // the blocking caller owns the call from here on
			}
		default:
			w.executor.workgroup.help(w.workspace)
		}
	}
}

// next waits for a job as the executor's mood says.
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

// workspace is the memory that one goroutine computes in. It grows to what its largest slice needed
// and stays there, so that a steady loop allocates nothing.
type workspace struct {
	scratch    model.Scratch
	folder     folder.Scratch
	tokens     []int32 // of a slice's texts, end to end
	texts      [][]byte
	choices    [][]byte
	embeddings []float32 // rows that still have to be converted to another kind
	states     []float32
	pictures
	audioScratch
	source   source
	batch    model.Patches
	training train.Workspace
}

// teammate is the scratch that a goroutine computes a call in.
type teammate interface {
	Join(team *trunk.Team)
	Help()
}

// scratchOf returns the scratch for the call's model.
func (w *workspace) scratchOf(c *call) teammate {
	if c.model != nil && c.model.folder != nil {
		return &w.folder
	}
	return &w.scratch
}

// bytes returns the size of the workspace.
func (w *workspace) bytes() uint64 {
	const header = 3 * wordBytes
	return w.scratch.Bytes() + w.folder.Bytes() + 4*uint64(cap(w.tokens)) + uint64(w.training.Bytes()) +
		header*uint64(cap(w.texts)+cap(w.choices)) +
		4*uint64(cap(w.embeddings)+cap(w.states)+cap(w.square)+cap(w.vectors)+cap(w.samples)+cap(w.decoded))
}

// forget drops the references to a call's inputs.
func (w *workspace) forget() {
	clear(w.texts)
	clear(w.choices)
	clear(w.parts)
	w.texts, w.choices, w.parts, w.tokens = w.texts[:0], w.choices[:0], w.parts[:0], w.tokens[:0]
	w.source, w.batch = source{}, model.Patches{}
}

// grown returns a slice of count elements: buffer itself if it is large enough. The contents are
// arbitrary.
func grown[T any](buffer []T, count int) []T {
	if cap(buffer) < count {
		return make([]T, count)
	}
	return buffer[:count]
}
