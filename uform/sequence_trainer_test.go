package uform_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
	"github.com/unum-cloud/uform-go/uform"
)

// Runs of training in a sequence: their steps and saves have the executors and arenas of the other
// calls.

type expectedTrainer struct {
	trainer *uform.Trainer
	closed  bool
	steps   uint64
	held    *expectedCall
}

func (e *expectedTrainer) isClosed() bool { return e.closed }

// trainee is the checkpoint that runs start from. It is small: other tests check what a step
// computes.
var trainee = sync.OnceValue(func() []byte {
	checkpoint, err := modeltest.Checkpoint(rand.New(rand.NewPCG(7, 7)), &model.Config{
		Modalities: []string{"text"}, Context: 12, Width: 8, Layers: 1, Heads: 2, Hidden: 9, Columns: 6,
	})
	if err != nil {
		panic(err)
	}
	return checkpoint
})

// lessons are examples that a step learns from.
var lessons = uform.Examples{Contents: uform.Strings([]string{"a", "cat", "Katze", "a cat"})}

func (m *machine) NewTrainer(t *rapid.T) {
	if len(stillOpen(m.trainers)) >= 2 {
		t.Skip("enough")
	}
	executor := mostlyOpen(t, m.executors, "executor")
	trainer, err := m.library.NewTrainerBytes(background, trainee(), executor.executor, nil)
	if executor.closed {
		require.ErrorIs(t, err, uform.ErrClosed)
		return
	}
	require.NoError(t, err)
	m.run(executor.held)
	m.trainers = append(m.trainers, &expectedTrainer{trainer: trainer})
}

// trainerRefusal returns why a call that names these is refused, nil if it is not. The arena may be
// nil.
func (m *machine) trainerRefusal(trainer *expectedTrainer, executor *expectedExecutor, arena *expectedArena) error {
	switch {
	case trainer.closed, executor.closed, arena != nil && arena.closed:
		return uform.ErrClosed
	case arena != nil && (arena.lent != nil || len(arena.pins) > 0):
		return uform.ErrContended
	case m.onDevice && arena != nil && executor != arena.maker:
		return uform.ErrDevice
	case trainer.held != nil:
		return uform.ErrContended
	}
	return nil
}

func (m *machine) Step(t *rapid.T) {
	trainer, executor := mostlyOpen(t, m.trainers, "trainer"), mostlyOpen(t, m.executors, "executor")
	var arena *expectedArena
	var into *uform.Arena
	if rapid.Bool().Draw(t, "embeddings") {
		arena = mostlyOpen(t, m.arenas, "arena")
		into = arena.arena
	}
	stepped, err := trainer.trainer.On(executor.executor).Step(background, lessons, into, nil)
	if want := m.trainerRefusal(trainer, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.NoError(t, err)
	m.run(executor.held)
	trainer.steps++
	require.Equal(t, trainer.steps, stepped.Step)
	require.EqualValues(t, lessons.Contents.Len(), stepped.Items)
	if arena != nil {
		arena.generation++
		require.Equal(t, lessons.Contents.Len(), stepped.Embeddings.Len())
	}
}

func (m *machine) SubmitStep(t *rapid.T) {
	trainer, executor := mostlyOpen(t, m.trainers, "trainer"), mostlyOpen(t, m.executors, "executor")
	call, err := trainer.trainer.Deferred(executor.executor).Step(background, lessons, nil, nil)
	if want := m.trainerRefusal(trainer, executor, nil); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	if executor.held != nil {
		require.ErrorIs(t, err, uform.ErrContended)
		return
	}
	require.NoError(t, err)
	c := &expectedCall{
		wait: func() (uform.Rows, error) {
			stepped, err := call.Wait(background)
			return stepped.Embeddings, err
		},
		status: call.Status, executor: executor, trainer: trainer,
	}
	executor.held, trainer.held = c, c
	m.calls = append(m.calls, c)
	if m.onDevice {
		<-call.Done()
		m.run(c)
	}
}

// Save leaves a file that a model is loaded from.
func (m *machine) Save(t *rapid.T) {
	rarely(t)
	trainer, executor := mostlyOpen(t, m.trainers, "trainer"), mostlyOpen(t, m.executors, "executor")
	path := filepath.Join(m.folder, "saved.safetensors")
	err := trainer.trainer.On(executor.executor).Save(background, path, nil)
	if want := m.trainerRefusal(trainer, executor, nil); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.NoError(t, err)
	m.run(executor.held)
	options := new(uform.LoadOptions)
	if m.onDevice {
		options.Executor = executor.executor
	}
	saved, err := m.library.Load(background, path, options)
	require.NoError(t, err)
	require.NoError(t, saved.Close())
	require.NoError(t, os.Remove(path))
}

func (m *machine) CloseTrainer(t *rapid.T) {
	rarely(t)
	trainer := mostlyOpen(t, m.trainers, "trainer")
	require.NoError(t, trainer.trainer.Close())
	m.run(trainer.held)
	trainer.closed = true
}
