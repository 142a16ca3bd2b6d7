package uform

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Trainer is a training run: the weights of a model, with the state of the optimizer, in the memory
// of its executor. It runs one call at a time: another one fails with [ErrContended]. Goroutines
// may share a Trainer, but only one of them can have a call on it at a time.
//
// It has two receivers, [Trainer.On] and [Trainer.Deferred]. It has no verbs of its own, because a
// trainer always needs an executor.
type Trainer struct {
	library *Library
	handle  *handle.Handle[abi.Trainer]
}

// TrainerOptions say how a run is started. The zero value is one process with the optimizer
// settings that the checkpoint names, or the library's own.
type TrainerOptions struct {
	// LearningRate and WeightDecay are the optimizer's; 0 is the default.
	LearningRate, WeightDecay float64
	// Seed is the seed of everything random in the run. Nothing is random in the embedded engine.
	Seed uint64
	// Process is the index of this process, Processes their number; 0 processes means one. For the
	// embedded engine they must be what [Launched] returns.
	Process, Processes int
	// Rendezvous is the host:port where the processes meet, for a library that needs one. It must
	// be empty for the embedded engine, whose processes meet through MPI.
	Rendezvous string
	// Progress receives reports of the start in bytes.
	Progress Handler
}

const startingTrainer = "start trainer"

// NewTrainer starts a run from a checkpoint at path, or resumes it where [TrainerOn.Save] wrote the
// file. Weights, gradients and moments are in the memory of executor, which must not be nil; they
// take sixteen bytes for each weight.
//
// A path that cannot be read, or is no regular file, is [ErrIO], a file that is no checkpoint
// [ErrMalformed], a library that trains no models, or joins no processes, [ErrUnsupported], and so
// is a folder of somebody else's model. It calls uform_trainer_init, or uform_trainer_init_vram for
// an executor over GPU streams.
func (l *Library) NewTrainer(ctx context.Context, path string, executor *Executor, options *TrainerOptions) (*Trainer, error) {
	return l.newTrainer(ctx, checkpoint{path: path}, executor, options)
}

// NewTrainerBytes is [Library.NewTrainer] with a checkpoint in memory, which is not needed any more
// once it returns. A shared library gets it through a private file.
func (l *Library) NewTrainerBytes(ctx context.Context, bytes []byte, executor *Executor, options *TrainerOptions) (*Trainer, error) {
	return l.newTrainer(ctx, checkpoint{bytes: bytes, inMemory: true}, executor, options)
}

func (l *Library) newTrainer(ctx context.Context, from checkpoint, executor *Executor, options *TrainerOptions) (trainer *Trainer, err error) {
	observed := l.observe(ctx, startingTrainer, new(span), func() (items, bytes int) { return 1, len(from.bytes) })
	defer func() { observed.end(lending.Lease{}, err) }()
	if options == nil {
		options = new(TrainerOptions)
	}
	refuse := func(status errors.Status, cause error) (*Trainer, error) {
		return nil, errors.New(startingTrainer, status, errors.NoItem, cause)
	}
	switch {
	case executor == nil:
		return refuse(errors.ErrInvalidArgument, errNoExecutor)
	case options.Process < 0 || options.Processes < 0 || options.Processes > math.MaxInt32 || options.Process >= max(1, options.Processes):
		return refuse(errors.ErrInvalidArgument, fmt.Errorf("process %d of %d", options.Process, options.Processes))
	case strings.ContainsRune(options.Rendezvous, 0):
		return refuse(errors.ErrInvalidArgument, fmt.Errorf("the rendezvous %q holds a NUL", options.Rendezvous))
	}
	b := newAsking[abi.TrainerInit, abi.Trainer]()
	s := &start[abi.TrainerInit, abi.Trainer]{
		library: l, verb: startingTrainer, from: from, executor: executor, progress: options.Progress, box: b,
		place: func(f frame, path *byte) {
			b.arguments = abi.TrainerInit{
				Trainer: &b.answer, Path: path, Executor: f.executor, Outcome: f.outcome,
				ProcessIndex: uint32(options.Process), ProcessesCount: uint32(options.Processes),
				LearningRate: options.LearningRate, WeightDecay: options.WeightDecay, Seed: options.Seed,
				Progress: f.progress, ProgressState: f.progressState,
			}
			if options.Rendezvous != "" {
				b.arguments.Rendezvous = abi.CText(options.Rendezvous)
			}
		},
		entry: l.table.TrainerInit, inMemory: l.table.TrainerInitBytes, free: l.table.TrainerFree,
		noFolder: errNoTraining,
	}
	if executor.onDevice {
		s.entry = l.table.TrainerInitVRAM
	}
	value, raised, err := s.run(ctx)
	if raised != nil {
		panic(raised)
	}
	if err != nil {
		return nil, err
	}
	t := &Trainer{library: l, handle: handle.New(value, l.table.TrainerFree)}
	runtime.AddCleanup(t, (*handle.Handle[abi.Trainer]).Drop, t.handle)
	return t, nil
}

// On is the receiver that runs verbs on executor and blocks until they are final.
func (t *Trainer) On(executor *Executor) TrainerOn {
	return TrainerOn{trainerReceiver{trainer: t, executor: executor}}
}

// Deferred is the receiver that submits verbs to executor and returns calls to wait for.
func (t *Trainer) Deferred(executor *Executor) TrainerDeferred {
	return TrainerDeferred{trainerReceiver{trainer: t, executor: executor}}
}

// Library is the library that the run is in.
func (t *Trainer) Library() *Library {
	if t == nil {
		return nil
	}
	return t.library
}

// Close ends the run and frees it, without saving, and returns when that is done. It waits for
// calls in flight, and runs those that their executors only hold. The embedded engine's last
// trainer of many processes waits, two minutes at most, until all of them have closed theirs: see
// [Launched]. Closing again is safe, and waits for the same. Inside the progress handler of a call
// of the trainer it is refused with [ErrContended]. A nil Trainer is closed already. It calls
// uform_trainer_free.
func (t *Trainer) Close() error {
	if t != nil && !t.handle.Close() {
		return errors.New("close trainer", errors.ErrContended, errors.NoItem, errInside)
	}
	return nil
}

// TrainerOn is a trainer with the executor that its verbs run on, blocking. It is a small value to
// copy freely, and goroutines may share it as they may share the executor. It keeps both alive, but
// not open.
type TrainerOn struct{ trainerReceiver }

// TrainerDeferred is a trainer with the executor that its verbs are submitted to. It is a small
// value to copy freely, and goroutines may share it as they may share the executor. It keeps both
// alive, but not open.
type TrainerDeferred struct{ trainerReceiver }

// Trainer is the trainer whose verbs run.
func (on TrainerOn) Trainer() *Trainer { return on.trainer }

// Executor is what they run on.
func (on TrainerOn) Executor() *Executor { return on.executor }

// Trainer is the trainer whose verbs are submitted.
func (d TrainerDeferred) Trainer() *Trainer { return d.trainer }

// Executor is what they are submitted to.
func (d TrainerDeferred) Executor() *Executor { return d.executor }
