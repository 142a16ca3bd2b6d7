package uform_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// poolKinds are what a pool's executors may be: without threads of their own, with some, and with
// the caller beside them.
var poolKinds = map[string]*uform.ExecutorOptions{"held": nil, "threads": {Threads: 1}, "both": {Threads: 2, WithCaller: true}}

// everyPool runs a test on pools of one executor, which it may close, and then requires that they
// close.
func everyPool(t *testing.T, test func(*testing.T, fixture, *uform.Pool)) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		for kind, options := range poolKinds {
			t.Run(kind, func(t *testing.T) {
				pool, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: 1, Executor: options})
				require.NoError(t, err)
				test(t, f, pool)
				require.NoError(t, pool.Close())
			})
		}
	})
}

func TestAPoolOfAClosedModel(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		model, err := mini.Load(background, f.library, nil)
		require.NoError(t, err)
		require.NoError(t, model.Close())
		_, err = uform.NewPool(model, nil)
		require.ErrorIs(t, err, uform.ErrClosed)
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
	})
}

// Inside its own work a pool cannot be closed, as Close would wait for the work. It is an error,
// and the pool stays open.
func TestClosingAPoolInsideItsWork(t *testing.T) {
	everyPool(t, func(t *testing.T, _ fixture, pool *uform.Pool) {
		var refusals []error
		handler := func(int, int) error {
			refusals = append(refusals, pool.Close())
			return nil
		}
		require.NoError(t, pool.Do(background, func(on uform.On, into *uform.Arena) error {
			refusals = append(refusals, pool.Close())
			_, err := on.TextEncode(background, uform.Strings(someTexts), into, &uform.TextOptions{Progress: handler})
			return err
		}))
		_, err := pool.TextEncode(background, uform.Strings(someTexts), &uform.TextOptions{Progress: handler})
		require.NoError(t, err)
		require.Greater(t, len(refusals), 2)
		for _, refusal := range refusals {
			require.ErrorIs(t, refusal, uform.ErrContended)
		}
		_, err = pool.Embed(background, someTexts)
		require.NoError(t, err)
	})
}

// A pool is closed when Close returns, for the first and for every other, and not before its work
// is done.
func TestEveryCloseOfAPoolWaits(t *testing.T) {
	everyPool(t, func(t *testing.T, _ fixture, pool *uform.Pool) {
		entered, leave, over := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			over <- pool.Do(background, func(uform.On, *uform.Arena) error {
				close(entered)
				<-leave
				return nil
			})
		}()
		<-entered
		closed := make(chan error, 4)
		for range cap(closed) {
			go func() { closed <- pool.Close() }()
		}
		for {
			// A context that has ended would be the reason, and not that the pool is closed.
			ctx, cancel := context.WithTimeout(background, time.Millisecond)
			_, err := pool.Embed(ctx, nil)
			cancel()
			if errors.Is(err, uform.ErrClosed) {
				break
			}
			if err != nil {
				require.ErrorIs(t, err, uform.ErrCancelled)
			}
		}
		require.Empty(t, closed)
		close(leave)
		require.NoError(t, <-over)
		for range cap(closed) {
			require.NoError(t, <-closed)
		}
	})
}

// Calls and pins that work leaves behind do not block the next call.
func TestWhatIsLeftInAPool(t *testing.T) {
	reason := errors.New("the work's own")
	texts := uform.Strings(someTexts)
	t.Run("a deferred call", func(t *testing.T) {
		everyPool(t, func(t *testing.T, f fixture, pool *uform.Pool) {
			var call *deferred.Call[uform.Encoded]
			require.NoError(t, pool.Do(background, func(on uform.On, into *uform.Arena) (err error) {
				call, err = f.model.Deferred(on.Executor()).TextEncode(background, texts, into, nil)
				return err
			}))
			require.NoError(t, call.Status(), "it is final")
			_, err := pool.Embed(background, someTexts)
			require.NoError(t, err)
		})
	})
	t.Run("a deferred call elsewhere", func(t *testing.T) {
		everyPool(t, func(t *testing.T, f fixture, pool *uform.Pool) {
			var call *deferred.Call[uform.Encoded]
			require.NoError(t, pool.Do(background, func(_ uform.On, into *uform.Arena) (err error) {
				call, err = f.model.Deferred(f.executor).TextEncode(background, texts, into, nil)
				return err
			}))
			require.NoError(t, call.Status(), "it is final, though only the arena is the pool's")
			_, err := pool.Embed(background, someTexts)
			require.NoError(t, err)
		})
	})
	t.Run("a pin", func(t *testing.T) {
		everyPool(t, func(t *testing.T, f fixture, pool *uform.Pool) {
			var pin *arena.Pin
			left := func(work error) func(uform.On, *uform.Arena) error {
				return func(on uform.On, into *uform.Arena) error {
					encoded, err := on.TextEncode(background, texts, into, nil)
					require.NoError(t, err)
					pin, err = encoded.Embeddings.Pin()
					require.NoError(t, err)
					return work
				}
			}
			err := pool.Do(background, left(nil))
			require.ErrorIs(t, err, uform.ErrContended)
			require.ErrorContains(t, err, "pinned")
			_, err = pool.Embed(background, []string{"another"})
			require.NoError(t, err)
			row, err := pin.Float32s(0)
			require.NoError(t, err)
			require.Equal(t, vectors(t, f.model, someTexts...)[0], row, "what is pinned stays")
			pin.Release()

			err = pool.Do(background, left(reason))
			require.ErrorIs(t, err, uform.ErrContended)
			require.ErrorIs(t, err, reason)
			require.PanicsWithValue(t, "oh", func() {
				_ = pool.Do(background, func(on uform.On, into *uform.Arena) error {
					_ = left(nil)(on, into)
					panic("oh")
				})
			})
			_, err = pool.Embed(background, someTexts)
			require.NoError(t, err)
		})
	})
	t.Run("a blocking call", func(t *testing.T) {
		everyPool(t, func(t *testing.T, _ fixture, pool *uform.Pool) {
			entered, leave, over := make(chan struct{}), make(chan struct{}), make(chan error)
			var once sync.Once
			err := pool.Do(background, func(on uform.On, into *uform.Arena) error {
				go func() {
					_, err := on.TextEncode(background, texts, into, &uform.TextOptions{Progress: func(int, int) error {
						once.Do(func() { close(entered) })
						<-leave
						return nil
					}})
					over <- err
				}()
				<-entered
				return nil
			})
			require.ErrorIs(t, err, uform.ErrContended)
			require.ErrorContains(t, err, "blocking call")
			_, err = pool.Embed(background, someTexts)
			require.NoError(t, err)
			close(leave)
			require.NoError(t, <-over)
		})
	})
}

// A pool that cannot replace what was left in use reports both errors, and works again as soon as
// that is free.
func TestAPoolThatCannotReplace(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		fails := false
		library := changed(f.library, func(table *abi.Library) {
			initialise := table.ExecutorInit
			table.ExecutorInit = func(arguments *abi.ExecutorInit) {
				if fails {
					arguments.Outcome.Status = abi.StatusOutOfMemory
					return
				}
				initialise(arguments)
			}
		})
		model, err := mini.Load(background, library, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, model.Close()) }()
		pool, err := uform.NewPool(model, &uform.PoolOptions{Executors: 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, pool.Close()) }()
		fails = true
		var pin *arena.Pin
		err = pool.Do(background, func(on uform.On, into *uform.Arena) error {
			encoded, err := on.TextEncode(background, uform.Strings(someTexts), into, nil)
			require.NoError(t, err)
			pin, err = encoded.Embeddings.Pin()
			return err
		})
		require.ErrorIs(t, err, uform.ErrContended)
		require.ErrorIs(t, err, uform.ErrOutOfMemory)
		_, err = pool.Embed(background, someTexts)
		require.ErrorIs(t, err, uform.ErrContended)
		pin.Release()
		_, err = pool.Embed(background, someTexts)
		require.NoError(t, err)
	})
}
