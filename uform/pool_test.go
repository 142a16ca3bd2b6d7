package uform_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

func TestPoolServesManyGoroutines(t *testing.T) {
	f := newFixture(t, nil)
	pool, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: 3})
	require.NoError(t, err)
	want := vectors(t, f.model, someTexts...)
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			got, err := pool.Embed(background, someTexts)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
	group.Wait()

	probabilities, err := pool.TextChoose(background, uform.Strings([]string{"a", "b"}), uform.Strings([]string{"yn", "abc"}), nil)
	require.NoError(t, err)
	require.Len(t, probabilities[0], 2)
	require.Len(t, probabilities[1], 3)
	require.InDelta(t, 1, probabilities[0][0]+probabilities[0][1], 1e-6)

	require.NoError(t, pool.Close())
	require.NoError(t, pool.Close())
	_, err = pool.Embed(background, someTexts)
	require.ErrorIs(t, err, uform.ErrClosed)
}

func TestPoolWaitsUnderTheContext(t *testing.T) {
	f := newFixture(t, nil)
	pool, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: 1})
	require.NoError(t, err)
	defer pool.Close()
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	over := make(chan error)
	go func() {
		_, err := pool.TextEncode(background, uform.Strings(someTexts), &uform.TextOptions{Progress: func(int, int) error {
			once.Do(func() {
				close(entered)
				<-leave
			})
			return nil
		}})
		over <- err
	}()
	<-entered
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err = pool.Embed(ctx, someTexts)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, uform.ErrCancelled)

	waiting := make(chan error)
	go func() {
		_, err := pool.Embed(background, someTexts)
		waiting <- err
	}()
	close(leave)
	require.NoError(t, <-over)
	require.NoError(t, <-waiting)
}

func TestAPanicGivesTheExecutorBack(t *testing.T) {
	f := newFixture(t, nil)
	pool, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: 1})
	require.NoError(t, err)
	defer pool.Close()
	require.Panics(t, func() {
		_, _ = pool.TextEncode(background, uform.Strings(someTexts), &uform.TextOptions{Progress: func(int, int) error { panic("oh") }})
	})
	_, err = pool.Embed(background, someTexts)
	require.NoError(t, err)
}

// A context that has ended is always reported, also if an executor is free or the pool is closed.
func TestPoolUnderAContextThatHasEnded(t *testing.T) {
	f := newFixture(t, nil)
	pool, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: 2})
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(background)
	reason := errors.New("enough")
	cancel(reason)
	long := strings.Repeat("long ", 10_000)
	refused := func() {
		t.Helper()
		for range 100 {
			err := pool.Do(ctx, func(uform.On, *uform.Arena) error {
				t.Error("the work ran")
				return nil
			})
			require.ErrorIs(t, err, uform.ErrCancelled)
			require.ErrorIs(t, err, reason)
			for _, text := range []string{"x", long, "\xff" + long} {
				_, err = pool.Embed(ctx, []string{text})
				require.ErrorIs(t, err, uform.ErrCancelled)
				_, err = f.model.Embed(ctx, []string{text})
				require.ErrorIs(t, err, uform.ErrCancelled)
			}
			_, err = pool.TextChoose(ctx, uform.Strings([]string{"a"}), uform.Strings([]string{"yn"}), nil)
			require.ErrorIs(t, err, uform.ErrCancelled)
			_, err = f.model.Deferred(f.executor).TextEncode(ctx, uform.Strings(someTexts), f.arena, nil)
			require.ErrorIs(t, err, uform.ErrCancelled)
		}
	}
	refused()
	require.NoError(t, pool.Close())
	refused()
	_, err = f.library.LoadBytes(ctx, nil, nil)
	require.ErrorIs(t, err, uform.ErrCancelled)
	_, err = f.library.LoadFS(ctx, fstest.MapFS{}, "none", nil)
	require.ErrorIs(t, err, uform.ErrCancelled)
	_, err = f.library.NewTrainerBytes(ctx, nil, f.executor, nil)
	require.ErrorIs(t, err, uform.ErrCancelled)
}
