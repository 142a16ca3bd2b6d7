package uform_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Found by a reader of the documentation: opening a library twice gave two, whose handles did not go together.
func TestHandlesOfOneLibraryOpenedTwiceGoTogether(t *testing.T) {
	first, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	second, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	executor, err := first.NewExecutor(heldOptions)
	require.NoError(t, err)
	defer executor.Close()
	arena, err := second.NewArena(executor)
	require.NoError(t, err)
	defer arena.Close()
	model, err := mini.Load(background, second, &uform.LoadOptions{Executor: executor})
	require.NoError(t, err)
	defer model.Close()
	_, err = model.On(executor).TextEncode(background, uform.Strings(someTexts), arena, nil)
	require.NoError(t, err)
}

// Found by a reviewer: a blocking call runs the call that its executor holds first, whose handler closes what the blocking call names.
func TestAHeldCallsHandlerClosesWhatDrivesIt(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		executor, err := f.library.NewExecutor(heldOptions)
		require.NoError(t, err)
		defer executor.Close()
		driving, err := f.library.NewArena(executor)
		require.NoError(t, err)
		defer driving.Close()
		other, err := mini.Load(background, f.library, nil)
		require.NoError(t, err)
		defer other.Close()

		var refusals []error
		call, err := f.model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), f.arena, &uform.TextOptions{
			Progress: func(finished, total int) error {
				refusals = append(refusals, driving.Close(), other.Close())
				return nil
			},
		})
		require.NoError(t, err)
		_, err = other.On(executor).TextEncode(background, uform.Strings(someTexts), driving, nil)
		require.NoError(t, err)
		_, err = call.Wait(background)
		require.NoError(t, err)
		require.NotEmpty(t, refusals)
		for _, refusal := range refusals {
			require.ErrorIs(t, refusal, uform.ErrContended)
		}
	})
}

func TestNilHandles(t *testing.T) {
	var model *uform.Model
	var executor *uform.Executor
	var arena *uform.Arena
	var pool *uform.Pool
	require.NoError(t, model.Close())
	require.NoError(t, executor.Close())
	require.NoError(t, arena.Close())
	require.NoError(t, pool.Close())
	require.Nil(t, model.Library())
	f := newFixture(t, nil)
	texts := uform.Strings(someTexts)
	calls := map[string]func() error{
		"model":              func() error { _, err := model.TextEncode(background, texts, f.arena, nil); return err },
		"embedding":          func() error { _, err := model.Embed(background, someTexts); return err },
		"description":        func() error { _, err := model.Describe(background); return err },
		"on nothing":         func() error { _, err := f.model.On(nil).TextEncode(background, texts, f.arena, nil); return err },
		"deferred nowhere":   func() error { _, err := f.model.Deferred(nil).TextEncode(background, texts, f.arena, nil); return err },
		"no arena":           func() error { _, err := f.model.TextEncode(background, texts, nil, nil); return err },
		"executor":           func() error { return executor.Drain() },
		"executor described": func() error { _, err := executor.Describe(); return err },
		"arena described":    func() error { _, err := arena.Describe(); return err },
		"pool":               func() error { _, err := pool.Embed(background, someTexts); return err },
		"pool choosing":      func() error { _, err := pool.TextChoose(background, texts, texts, nil); return err },
		"pool doing": func() error {
			return pool.Do(background, func(uform.On, *uform.Arena) error { return nil })
		},
		"unknown outputs": func() error {
			_, err := f.model.TextEncode(background, texts, f.arena, &uform.TextOptions{Outputs: 0x80 | uform.Embeddings})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, call(), uform.ErrInvalidArgument) })
	}
}

func TestPoolDoes(t *testing.T) {
	f := newFixture(t, nil)
	pool, err := uform.NewPool(f.model, nil)
	require.NoError(t, err)
	defer pool.Close()
	var got [][]float32
	require.NoError(t, pool.Do(context.Background(), func(on uform.On, into *uform.Arena) error {
		encoded, err := on.ImageEncode(background, uform.Bytes(sampleFiles(t, "images", "rgb.jpg")), into, nil)
		if err != nil {
			return err
		}
		got, err = encoded.Embeddings.Copy()
		return err
	}))
	require.Len(t, got, 2)
}
