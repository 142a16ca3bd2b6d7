package uform_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func TestClosedHandles(t *testing.T) {
	f := newFixture(t, nil)
	texts := uform.Strings(someTexts)
	encode := func() error {
		_, err := f.model.On(f.executor).TextEncode(background, texts, f.arena, nil)
		return err
	}
	require.NoError(t, encode())
	require.NoError(t, f.arena.Close())
	require.ErrorIs(t, encode(), uform.ErrClosed)
	_, err := f.arena.Describe()
	require.ErrorIs(t, err, uform.ErrClosed)

	f.arena, err = f.library.NewArena(nil)
	require.NoError(t, err)
	require.NoError(t, f.executor.Close())
	require.ErrorIs(t, encode(), uform.ErrClosed)
	require.ErrorIs(t, f.executor.Drain(), uform.ErrClosed)
	_, err = f.executor.Describe()
	require.ErrorIs(t, err, uform.ErrClosed)
	_, err = f.library.NewArena(f.executor)
	require.ErrorIs(t, err, uform.ErrClosed)
	_, err = mini.Load(background, f.library, &uform.LoadOptions{Executor: f.executor})
	require.ErrorIs(t, err, uform.ErrClosed)

	_, err = f.model.TextEncode(background, texts, f.arena, nil)
	require.NoError(t, err, "a model outlives the executor")
	require.NoError(t, f.model.Close())
	_, err = f.model.TextEncode(background, texts, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrClosed)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = f.model.Embed(background, someTexts)
	require.ErrorIs(t, err, uform.ErrClosed)
	for _, closing := range []interface{ Close() error }{f.model, f.executor, f.arena} {
		require.NoError(t, closing.Close(), "closing twice is safe")
	}
}

func TestForeignHandles(t *testing.T) {
	here, there := newFixture(t, nil), newFixture(t, nil)
	texts := uform.Strings(someTexts)
	_, err := here.model.On(there.executor).TextEncode(background, texts, here.arena, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = here.model.On(here.executor).TextEncode(background, texts, there.arena, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = here.library.NewArena(there.executor)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = mini.Load(background, here.library, &uform.LoadOptions{Executor: there.executor})
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
}

func TestMissingHandles(t *testing.T) {
	f := newFixture(t, nil)
	texts := uform.Strings(someTexts)
	_, err := f.model.TextEncode(background, texts, nil, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	require.ErrorContains(t, err, "arena is nil")
	_, err = f.model.Deferred(nil).TextEncode(background, texts, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	require.ErrorContains(t, err, "executor is nil")
	_, err = uform.On{}.TextEncode(background, texts, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	require.ErrorContains(t, err, "model is nil")
	_, err = uform.NewPool(nil, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
}

// counted returns an engine that counts frees.
type counted struct {
	*abi.Library
	models, executors, arenas atomic.Int64
}

func newCounted() *counted {
	c := &counted{Library: engine.New()}
	freeModel, freeExecutor, freeArena := c.ModelFree, c.ExecutorFree, c.ArenaFree
	c.ModelFree = func(m abi.Model) { freeModel(m); c.models.Add(1) }
	c.ExecutorFree = func(e abi.Executor) { freeExecutor(e); c.executors.Add(1) }
	c.ArenaFree = func(a abi.Arena) { freeArena(a); c.arenas.Add(1) }
	return c
}

// Bug 13: a cleanup that keeps its own object alive never runs.
func TestBug13DroppedHandlesAreFreed(t *testing.T) {
	const handles = 1000
	c := newCounted()
	library := uform.OpenTable(c.Library)
	checkpoint := mini.Checkpoint()
	before := runtime.NumGoroutine()
	func() {
		for i := range handles {
			executor, err := library.NewExecutor(heldOptions)
			require.NoError(t, err)
			_, err = library.NewArena(executor)
			require.NoError(t, err)
			_, err = library.LoadBytes(background, checkpoint, nil)
			require.NoError(t, err)
			if i%100 == 0 {
				runtime.GC()
			}
		}
	}()
	for c.models.Load() < handles || c.executors.Load() < handles || c.arenas.Load() < handles {
		runtime.GC()
	}
	require.EqualValues(t, handles, c.models.Load())
	require.EqualValues(t, handles, c.executors.Load())
	require.EqualValues(t, handles, c.arenas.Load())
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

// A dropped call finishes by itself, and keeps the handles that it names alive until then.
func TestDroppedCallsFinish(t *testing.T) {
	for kind, options := range map[string]*uform.ExecutorOptions{"threads": {Threads: 1}, "held": heldOptions} {
		t.Run(kind, func(t *testing.T) {
			c := newCounted()
			func() {
				library := uform.OpenTable(c.Library)
				model, err := mini.Load(background, library, nil)
				require.NoError(t, err)
				executor, err := library.NewExecutor(options)
				require.NoError(t, err)
				arena, err := library.NewArena(executor)
				require.NoError(t, err)
				_, err = model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), arena, nil)
				require.NoError(t, err)
			}()
			for c.models.Load() == 0 || c.executors.Load() == 0 || c.arenas.Load() == 0 {
				runtime.GC()
			}
		})
	}
}
