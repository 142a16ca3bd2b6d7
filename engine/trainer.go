package engine

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

// trainer is a training run. One call at a time has it, on any executor: weights, gradients and
// moments lie in host pages, and belong to the trainer.
type trainer struct {
	claims
	run   trainingRun
	media *media
	peers int

	taken bool // guarded by the library's mutex
}

// trainingRun is what the engine uses of a [train.Trainer].
type trainingRun interface {
	Config() *model.Config
	Use(spread train.Spread, space *train.Workspace)
	Step(ctx context.Context, batch *train.Batch, options *train.StepOptions) (*train.Stats, error)
	Save(path string, progress func(done, total uint64) bool) error
	Close() error
}

// trainerInitCall is a call of trainer_init.
type trainerInitCall struct {
	call
	arguments  abi.TrainerInit
	checkpoint []byte
	inMemory   bool
	made       *trainer
}

// trainerInit implements [abi.Library.TrainerInit].
func (l *library) trainerInit(arguments *abi.TrainerInit) {
	if arguments != nil {
		c := l.newTrainerInitCall(arguments)
		c.submit(abi.CompletionBlocking, c.check())
	}
}

// trainerInitBytes implements [abi.Extensions.TrainerInitBytes].
func (l *library) trainerInitBytes(arguments *abi.TrainerInit, checkpoint []byte) {
	if arguments != nil {
		c := l.newTrainerInitCall(arguments)
		c.checkpoint, c.inMemory = checkpoint, true
		c.submit(abi.CompletionBlocking, c.check())
	}
}

// trainerInitVRAM implements [abi.Library.TrainerInitVRAM]. No executor of this library has GPU
// memory to train in.
func (l *library) trainerInitVRAM(arguments *abi.TrainerInit) {
	if arguments != nil {
		c := l.newTrainerInitCall(arguments)
		f := c.check()
		if f == nil {
			f = refuse(abi.StatusUnsupported, "the embedded engine trains in host pages only: use trainer_init, or load a library with GPUs")
		}
		c.submit(abi.CompletionBlocking, f)
	}
}

func (l *library) newTrainerInitCall(arguments *abi.TrainerInit) *trainerInitCall {
	if arguments.Trainer != nil {
		*arguments.Trainer = 0
	}
	c := &trainerInitCall{
		call:      call{library: l, outcome: arguments.Outcome, returned: make(chan struct{}, 1)},
		arguments: *arguments,
	}
	c.work = c
	return c
}

// check refuses what can be refused before the file is opened.
func (c *trainerInitCall) check() (f *fault) {
	a := &c.arguments
	if c.executor, f = claim[*executor](c.library, "executor", uintptr(a.Executor)); f != nil {
		c.executor = nil
		return f
	}
	count := max(1, a.ProcessesCount)
	switch {
	case a.Trainer == nil:
		return refuse(abi.StatusInvalidArgument, "no place for the new trainer's handle: set trainer")
	case a.Path == nil && !c.inMemory:
		return refuse(abi.StatusInvalidArgument, "the path is NULL")
	case a.Reserved != 0:
		return reservedSet
	case a.ProcessIndex >= count:
		return refuse(abi.StatusInvalidArgument, "process index %d is out of range: there are %d processes", a.ProcessIndex, count)
	case !isSetting(a.LearningRate) || !isSetting(a.WeightDecay):
		return refuse(abi.StatusInvalidArgument, "learning rate %v or weight decay %v is out of range", a.LearningRate, a.WeightDecay)
	}
	if f = c.progress.connect(a.Progress, a.ProgressState); f != nil {
		return f
	}
	if a.Rendezvous != nil {
		return refuse(abi.StatusUnsupported, "processes connect through MPI, which needs no rendezvous: set it to NULL, and start them with mpirun")
	}
	return nil
}

// isSetting reports whether an optimizer setting is in range. Zero stands for its default.
func isSetting(v float64) bool { return v >= 0 && v <= 1000 }

// prepare does all of the work: an init has no slices.
func (c *trainerInitCall) prepare() (f *fault) {
	if !c.inMemory {
		path := abi.Text(c.arguments.Path)
		if isFolder(path) {
			return noTraining
		}
		mapping, unmapped := mapCheckpoint(path)
		if unmapped != nil {
			return unmapped
		}
		files := mappedFiles{mapping}
		defer files.close()
		defer shield(&files, debug.SetPanicOnFault(true), &f)
		c.checkpoint = mapping.Bytes()
	}
	total := uintptr(len(c.checkpoint))
	if !c.progress.begin(total) {
		return cancelled
	}
	run, err := c.newRun()
	if err != nil {
		return faultOf(err)
	}
	t := &trainer{run: run, peers: int(max(1, c.arguments.ProcessesCount))}
	if t.media, err = newMedia(*run.Config(), c.library.options.Limits); err != nil {
		_ = run.Close()
		return faultOf(err)
	}
	c.library.mutex.Lock()
	t.id = c.library.handles.add(t)
	c.library.mutex.Unlock()
	if t.id == 0 {
		_ = run.Close()
		return tooMany()
	}
	c.made = t
	c.progress.reach(total, total)
	return nil
}

// noTraining is the fault of a run that would begin with a folder.
var noTraining = refuse(abi.StatusUnsupported,
	"the path is a folder, whose model is not trained: `go run ./examples/distill` teaches a byte model what it says")

func (c *trainerInitCall) newRun() (run trainingRun, err error) {
	a := &c.arguments
	options := &train.Options{Optimizer: model.Training{LearningRate: a.LearningRate, WeightDecay: a.WeightDecay}}
	if a.ProcessesCount > 1 {
		reducer, err := c.library.options.Reducer(int(a.ProcessIndex), int(a.ProcessesCount))
		if err != nil {
			return nil, fmt.Errorf("process %d of %d cannot join the others: %w", a.ProcessIndex, a.ProcessesCount, err)
		}
		options.Reducer = reducer
		// Truncation of the file meanwhile is a panic that becomes a fault. The other processes
		// must learn of it too, or they would wait.
		defer func() {
			if run == nil {
				_ = reducer.Close() // the present error is more useful
			}
		}()
	}
	return startRun(c.checkpoint, options)
}

func (c *trainerInitCall) slice(*workspace, int, int) *fault { return nil }

func (c *trainerInitCall) publish() { *c.arguments.Trainer = abi.Trainer(c.made.id) }

func (c *trainerInitCall) recycle() {}

// trainerFree implements [abi.Library.TrainerFree].
func (l *library) trainerFree(id abi.Trainer) {
	if t := retire[*trainer](l, uintptr(id)); t != nil {
		_ = t.run.Close() // the other processes fail at their next step
	}
}

// claimTrainer claims the handles that every verb of a trainer names. Both are required.
func (c *call) claimTrainer(executorID abi.Executor, trainerID abi.Trainer) (f *fault) {
	t, f := claim[*trainer](c.library, "trainer", uintptr(trainerID))
	if f != nil {
		return f
	}
	c.trainer = t
	e, f := claim[*executor](c.library, "executor", uintptr(executorID))
	if f == nil {
		c.executor = e
	}
	return f
}

// mostItems bounds the items of a step, whose indices have 32 bits.
const mostItems = math.MaxInt32
