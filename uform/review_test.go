package uform_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Opening a library twice once gave two libraries, whose handles could not be used together.
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

// A blocking call first runs the call that its executor holds, whose handler closes what the
// blocking call names.
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
