package uform_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// A handler that panics at the last report comes too late to stop the library, which reports
// success. For its caller the call has failed: it panics where the result is taken, its Status is
// cancelled, and an observer counts it as cancelled.
func TestAPanicAtTheLastReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mini.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	reason := errors.New("oh")
	last := func(finished, total int) error {
		if finished == total {
			panic(reason)
		}
		return nil
	}
	raised := func(t *testing.T, call func()) {
		t.Helper()
		defer func() {
			raised, panicked := recover().(*uform.PanicError)
			require.True(t, panicked)
			require.ErrorIs(t, raised, reason)
		}()
		call()
		require.Fail(t, "no panic")
	}
	texts, options := uform.Strings(someTexts), &uform.TextOptions{Progress: last}
	everyLibrary(t, func(t *testing.T, f fixture) {
		held, err := f.library.NewExecutor(heldOptions)
		require.NoError(t, err)
		defer func() { require.NoError(t, held.Close()) }()
		observer := new(uform.Observer)
		f.library.Observe(observer)
		defer f.library.Observe(nil)
		counted := uint64(0)
		cancelled := func() {
			t.Helper()
			counted++
			counters := observer.Counters()
			require.Equal(t, []uint64{counted, counted, counted}, []uint64{counters.Calls, counters.Failed, counters.Cancelled})
			require.Zero(t, counters.OutputBytes)
		}
		raised(t, func() { _, _ = f.model.TextEncode(background, texts, f.arena, options) })
		cancelled()
		raised(t, func() { _, _ = f.model.On(f.executor).TextEncode(background, texts, f.arena, options) })
		cancelled()
		for _, executor := range []*uform.Executor{f.executor, held} {
			call, err := f.model.Deferred(executor).TextEncode(background, texts, f.arena, options)
			require.NoError(t, err)
			for status := call.Status(); !errors.Is(status, uform.ErrCancelled); status = call.Status() {
				require.ErrorIs(t, status, uform.ErrDeferred, "never a success, not even for a moment")
				if executor == held {
					call.Done()
				}
			}
			<-call.Done()
			require.ErrorIs(t, call.Status(), uform.ErrCancelled)
			require.ErrorIs(t, call.Status(), reason)
			for range 2 {
				raised(t, func() { _, _ = call.Wait(context.Background()) })
			}
			cancelled()
		}
		raised(t, func() { _, _ = f.library.Load(background, path, &uform.LoadOptions{Progress: last}) })
		cancelled()
		raised(t, func() {
			_, _ = f.library.NewTrainer(background, path, f.executor, &uform.TrainerOptions{Progress: last})
		})
		cancelled()
		f.library.Observe(nil)
		require.Equal(t, vectors(t, f.model, someTexts...), func() [][]float32 {
			encoded, err := f.model.On(f.executor).TextEncode(background, texts, f.arena, nil)
			require.NoError(t, err, "everything is usable as before")
			copied, err := encoded.Embeddings.Copy()
			require.NoError(t, err)
			return copied
		}())
	})
}
