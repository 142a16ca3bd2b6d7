package uform_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func ExampleTrainer() {
	ctx := context.Background()
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		log.Fatal(err)
	}
	executor, err := library.NewExecutor(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer executor.Close()
	trainer, err := library.NewTrainerBytes(ctx, mini.Checkpoint(), executor, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()
	// Neighbours match.
	examples := uform.Examples{Contents: uform.Strings([]string{"car", "automobile", "street", "road", "forest", "woods"})}
	var first, last uform.Stepped
	for step := range 30 {
		rate := 0.003 * float64(30-step) / 30
		if last, err = trainer.On(executor).Step(ctx, examples, nil, &uform.StepOptions{LearningRate: rate}); err != nil {
			log.Fatal(err)
		}
		if step == 0 {
			first = last
		}
	}
	fmt.Println(last.Step, "steps; the loss fell by more than half:", last.Loss < first.Loss/2)
	// Output: 30 steps; the loss fell by more than half: true
}

// training is a fixture's trainer.
func (f fixture) training(t testing.TB) *uform.Trainer {
	t.Helper()
	trainer, err := f.library.NewTrainerBytes(background, mini.Checkpoint(), f.executor, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, trainer.Close()) })
	return trainer
}

var couples = uform.Examples{Contents: uform.Strings([]string{"car", "automobile", "street", "road"})}

func TestTrainerMisuse(t *testing.T) {
	f := newFixture(t, heldOptions)
	trainer := f.training(t)
	other := newFixture(t, heldOptions)
	closed := f.training(t)
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close())
	gone, err := f.library.NewExecutor(nil)
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	ended, cancel := context.WithCancel(background)
	cancel()
	step := func(trainer *uform.Trainer, executor *uform.Executor, into *uform.Arena) func() error {
		return func() error {
			_, err := trainer.On(executor).Step(background, couples, into, nil)
			return err
		}
	}
	learn := func(examples uform.Examples) func() error {
		return func() error { _, err := trainer.On(f.executor).Step(background, examples, nil, nil); return err }
	}
	save := func(trainer *uform.Trainer, path string) func() error {
		return func() error { return trainer.On(f.executor).Save(background, path, nil) }
	}
	pinned := ownArena(t, f)
	held, err := f.model.TextEncode(background, uform.Strings(someTexts), pinned, nil)
	require.NoError(t, err)
	pin, err := held.Embeddings.Pin()
	require.NoError(t, err)
	defer pin.Release()
	start := func(executor *uform.Executor, options *uform.TrainerOptions) func() error {
		return func() error {
			_, err := f.library.NewTrainerBytes(background, mini.Checkpoint(), executor, options)
			return err
		}
	}
	for name, test := range map[string]struct {
		call   func() error
		status error
	}{
		"a nil trainer":         {step(nil, f.executor, nil), uform.ErrInvalidArgument},
		"a closed trainer":      {step(closed, f.executor, nil), uform.ErrClosed},
		"no executor":           {step(trainer, nil, nil), uform.ErrInvalidArgument},
		"a closed executor":     {step(trainer, gone, nil), uform.ErrClosed},
		"another's executor":    {step(trainer, other.executor, nil), uform.ErrInvalidArgument},
		"another's arena":       {step(trainer, f.executor, other.arena), uform.ErrInvalidArgument},
		"starting on nothing":   {start(nil, nil), uform.ErrInvalidArgument},
		"starting on another's": {start(other.executor, nil), uform.ErrInvalidArgument},
		"starting on a closed":  {start(gone, nil), uform.ErrInvalidArgument},
		"process 1 of one":      {start(f.executor, &uform.TrainerOptions{Process: 1}), uform.ErrInvalidArgument},
		"process 2 of 2":        {start(f.executor, &uform.TrainerOptions{Process: 2, Processes: 2}), uform.ErrInvalidArgument},
		"a rate below zero":     {start(f.executor, &uform.TrainerOptions{LearningRate: -1}), uform.ErrInvalidArgument},
		"a rendezvous":          {start(f.executor, &uform.TrainerOptions{Rendezvous: "host:1"}), uform.ErrUnsupported},
		"a NUL":                 {start(f.executor, &uform.TrainerOptions{Rendezvous: "a\x00b"}), uform.ErrInvalidArgument},
		"an ended context": {func() error {
			_, err := trainer.On(f.executor).Step(ended, couples, nil, nil)
			return err
		}, uform.ErrCancelled},
		"a pinned arena":        {step(trainer, f.executor, pinned), uform.ErrContended},
		"a path of nothing":     {save(trainer, ""), uform.ErrInvalidArgument},
		"a path with a NUL":     {save(trainer, "a\x00b"), uform.ErrInvalidArgument},
		"a path of a folder":    {save(trainer, t.TempDir()), uform.ErrIO},
		"saving what is closed": {save(closed, "x"), uform.ErrClosed},
		"saving nothing":        {save(nil, "x"), uform.ErrInvalidArgument},
		"a file that is not there": {func() error {
			_, err := f.library.NewTrainer(background, filepath.Join(t.TempDir(), "none"), f.executor, nil)
			return err
		}, uform.ErrIO},
		"nothing to start from": {func() error {
			_, err := f.library.NewTrainer(background, "", f.executor, nil)
			return err
		}, uform.ErrInvalidArgument},
		"no checkpoint": {func() error {
			_, err := f.library.NewTrainerBytes(background, []byte("something else"), f.executor, nil)
			return err
		}, uform.ErrMalformed},
		"too few modalities":     {learn(uform.Examples{Contents: lessons.Contents, Modalities: []uform.Modality{uform.Text}}), uform.ErrInvalidArgument},
		"no modality":            {learn(uform.Examples{Contents: lessons.Contents, Modalities: []uform.Modality{0, 0, 0, 99}}), uform.ErrInvalidArgument},
		"too few groups":         {learn(uform.Examples{Contents: lessons.Contents, Groups: []uint32{1}}), uform.ErrInvalidArgument},
		"no two that match":      {learn(uform.Examples{Contents: lessons.Contents, Groups: []uint32{1, 2, 3, 4}}), uform.ErrInvalidArgument},
		"no UTF-8":               {learn(uform.Examples{Contents: uform.Strings([]string{"a", "\xff"})}), uform.ErrMalformed},
		"a tape that ends early": {learn(uform.Examples{Contents: uform.Tape{Data: []byte("a"), Offsets: []int64{0, 9}}}), uform.ErrInvalidArgument},
		"bounds that decrease":   {learn(uform.Examples{Contents: uform.Tape{Data: []byte("ab"), Offsets: []int64{2, 1}}}), uform.ErrInvalidArgument},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, test.call(), test.status) })
	}
	stepped, err := trainer.On(f.executor).Step(background, couples, f.arena, nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, stepped.Step, "nothing of that was a step")
	var none *uform.Trainer
	require.NoError(t, none.Close())
	require.Nil(t, none.Library())
	require.Same(t, f.library, trainer.Library())
}

// A refused step leaves earlier outputs valid; a step that begins makes them stale.
func TestStepsAndEarlierOutputs(t *testing.T) {
	f := newFixture(t, heldOptions)
	on := f.training(t).On(f.executor)
	stepped, err := on.Step(background, couples, f.arena, nil)
	require.NoError(t, err)
	pin, err := stepped.Embeddings.Pin()
	require.NoError(t, err)
	_, err = on.Step(background, couples, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrContended)
	pin.Release()
	_, err = on.Step(background, couples, f.arena, &uform.StepOptions{LearningRate: -1})
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = stepped.Embeddings.Copy()
	require.NoError(t, err)
	_, err = on.Step(background, uform.Examples{Contents: uform.Strings([]string{"alone"})}, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = stepped.Embeddings.Copy()
	require.ErrorIs(t, err, uform.ErrInvalidArgument, "the arena was rewound")
}

// A trainer cannot be closed inside the handler of its own call, and can be closed right after it.
func TestClosingATrainerInsideItsHandler(t *testing.T) {
	f := newFixture(t, heldOptions)
	trainer := f.training(t)
	var inside error
	_, err := trainer.On(f.executor).Step(background, couples, nil, &uform.StepOptions{Progress: func(int, int) error {
		inside = trainer.Close()
		return nil
	}})
	require.NoError(t, err)
	require.ErrorIs(t, inside, uform.ErrContended)
	require.NoError(t, trainer.Close())
}

// A context that ends cancels a save, and the path holds what it held.
func TestCancelledSave(t *testing.T) {
	f := newFixture(t, heldOptions)
	on := f.training(t).On(f.executor)
	path := filepath.Join(t.TempDir(), "run.safetensors")
	require.NoError(t, os.WriteFile(path, []byte("what it held"), 0o600))
	ctx, cancel := context.WithCancel(background)
	err := on.Save(ctx, path, &uform.SaveOptions{Progress: func(int, int) error {
		cancel()
		return nil
	}})
	require.ErrorIs(t, err, uform.ErrCancelled)
	require.ErrorIs(t, err, context.Canceled)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "what it held", string(content))
	require.NoError(t, on.Save(background, path, nil))
	model, err := f.library.Load(background, path, nil)
	require.NoError(t, err)
	require.NoError(t, model.Close())
}

// A trainer that nothing refers to is freed.
func TestDroppedTrainersAreFreed(t *testing.T) {
	table := engine.New()
	freed := make(chan abi.Trainer, 1)
	free := table.TrainerFree
	table.TrainerFree = func(trainer abi.Trainer) {
		free(trainer)
		freed <- trainer
	}
	library := uform.OpenTable(table)
	executor, err := library.NewExecutor(heldOptions)
	require.NoError(t, err)
	defer executor.Close()
	func() {
		trainer, err := library.NewTrainerBytes(background, mini.Checkpoint(), executor, nil)
		require.NoError(t, err)
		_, err = trainer.On(executor).Step(background, couples, nil, nil)
		require.NoError(t, err)
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	require.Fail(t, "the trainer was not freed")
}

// Deferred calls that nobody waits for are over when the trainer is closed, on an executor that
// only holds them too.
func TestClosingRunsHeldSteps(t *testing.T) {
	f := newFixture(t, heldOptions)
	trainer := f.training(t)
	call, err := trainer.Deferred(f.executor).Step(background, couples, f.arena, nil)
	require.NoError(t, err)
	require.ErrorIs(t, call.Status(), uform.ErrDeferred)
	require.NoError(t, trainer.Close())
	require.NoError(t, call.Status())
	stepped, err := call.Wait(background)
	require.NoError(t, err)
	require.Equal(t, 4, stepped.Embeddings.Len())
}

// An observer receives the calls of training as of every verb.
func TestObserverSeesTraining(t *testing.T) {
	f := newFixture(t, heldOptions)
	trainer := f.training(t)
	var observer uform.Observer
	f.library.Observe(&observer)
	defer f.library.Observe(nil)
	_, err := trainer.On(f.executor).Step(background, couples, f.arena, nil)
	require.NoError(t, err)
	_, err = trainer.On(f.executor).Step(background, couples, nil, nil)
	require.NoError(t, err)
	require.NoError(t, trainer.On(f.executor).Save(background, filepath.Join(t.TempDir(), "run"), nil))
	counters := observer.Counters()
	require.EqualValues(t, 3, counters.Calls)
	require.Zero(t, counters.Failed)
	require.EqualValues(t, 2*len(couples.Contents.Data), counters.InputBytes)
	require.Positive(t, counters.OutputBytes)
}
