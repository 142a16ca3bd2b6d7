package uform_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// ways are the three receivers with one signature, so that every test of a verb runs on all of
// them.
var ways = map[string]func(fixture) func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error){
	"bare": func(f fixture) func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error) {
		return func(ctx context.Context, texts uform.Tape, options *uform.TextOptions) (uform.Encoded, error) {
			return f.model.TextEncode(ctx, texts, f.arena, options)
		}
	},
	"on": func(f fixture) func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error) {
		return func(ctx context.Context, texts uform.Tape, options *uform.TextOptions) (uform.Encoded, error) {
			return f.model.On(f.executor).TextEncode(ctx, texts, f.arena, options)
		}
	},
	"deferred": func(f fixture) func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error) {
		return func(ctx context.Context, texts uform.Tape, options *uform.TextOptions) (uform.Encoded, error) {
			call, err := f.model.Deferred(f.executor).TextEncode(ctx, texts, f.arena, options)
			if err != nil {
				return uform.Encoded{}, err
			}
			return call.Wait(background)
		}
	},
}

// everyWay runs a test on each receiver, on an executor with and without threads of its own.
func everyWay(t *testing.T, test func(*testing.T, fixture, func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error))) {
	for name, way := range ways {
		for kind, options := range map[string]*uform.ExecutorOptions{"threads": {Threads: 2}, "held": heldOptions} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				f := newFixture(t, options)
				test(t, f, way(f))
			})
		}
	}
}

func TestTextEncode(t *testing.T) {
	everyWay(t, func(t *testing.T, f fixture, encode func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error)) {
		encoded, err := encode(background, uform.Strings(someTexts), &uform.TextOptions{Outputs: uform.Embeddings | uform.States})
		require.NoError(t, err)
		require.Empty(t, encoded.Cut)
		copied, err := encoded.Copy()
		require.NoError(t, err)
		require.Equal(t, vectors(t, f.model, someTexts...), copied.Embeddings)
		require.Len(t, copied.States, len(someTexts))
		for i, text := range someTexts {
			require.Len(t, copied.States[i], len(text))
		}

		encoded, err = encode(background, uform.Strings(nil), nil)
		require.NoError(t, err)
		require.Zero(t, encoded.Embeddings.Len())
		for range encoded.Embeddings.All() {
			require.Fail(t, "a row of nothing")
		}
		_, err = encoded.States.Copy()
		require.ErrorIs(t, err, uform.ErrInvalidArgument, "states were not asked for")
	})
}

func TestTextsThatAreCut(t *testing.T) {
	everyWay(t, func(t *testing.T, f fixture, encode func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error)) {
		description, err := f.model.Describe(background)
		require.NoError(t, err)
		long := make([]byte, description.Context+5)
		for i := range long {
			long[i] = 'a' + byte(i%26)
		}
		texts := uform.Bytes([][]byte{[]byte("short"), long})
		encoded, err := encode(background, texts, &uform.TextOptions{Outputs: uform.States})
		require.NoError(t, err)
		require.Equal(t, []uform.Cut{{Item: 1, Bytes: 5}}, encoded.Cut)
		require.Equal(t, 5+description.Context, encoded.States.Rows().Len())

		_, err = encode(background, texts, &uform.TextOptions{Whole: true})
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
		require.ErrorContains(t, err, "item 1")
	})
}

func TestCancellation(t *testing.T) {
	everyWay(t, func(t *testing.T, f fixture, encode func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error)) {
		reason := fmt.Errorf("changed my mind")
		texts := uform.Strings(make([]string, 1000))

		t.Run("before", func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(background)
			cancel(reason)
			_, err := encode(ctx, texts, nil)
			require.ErrorIs(t, err, uform.ErrCancelled)
			require.ErrorIs(t, err, reason)
		})
		t.Run("from the handler", func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(background)
			defer cancel(nil)
			_, err := encode(ctx, texts, &uform.TextOptions{Progress: func(finished, total int) error {
				require.Equal(t, 1000, total)
				cancel(reason)
				return nil
			}})
			require.ErrorIs(t, err, uform.ErrCancelled)
			require.ErrorIs(t, err, reason)
		})
		t.Run("during", func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(background)
			entered := make(chan struct{})
			var once sync.Once
			go func() {
				<-entered
				cancel(reason)
			}()
			_, err := encode(ctx, texts, &uform.TextOptions{Progress: func(int, int) error {
				once.Do(func() { close(entered) })
				<-ctx.Done()
				return nil
			}})
			require.ErrorIs(t, err, uform.ErrCancelled)
			require.ErrorIs(t, err, reason)
		})
		t.Run("by the handler", func(t *testing.T) {
			_, err := encode(background, texts, &uform.TextOptions{Progress: func(int, int) error { return reason }})
			require.ErrorIs(t, err, uform.ErrCancelled)
			require.ErrorIs(t, err, reason)
		})
		t.Run("too late", func(t *testing.T) {
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			_, err := encode(ctx, texts, &uform.TextOptions{Progress: func(finished, total int) error {
				if finished == total {
					cancel()
				}
				return nil
			}})
			require.NoError(t, err, "a call that succeeds despite a late cancel returns its result")
		})
		t.Run("after", func(t *testing.T) {
			ctx, cancel := context.WithCancel(background)
			encoded, err := encode(ctx, texts, nil)
			require.NoError(t, err)
			cancel()
			require.NoError(t, encoded.Embeddings.Err(), "what is final stays")
		})
		t.Run("by a panic", func(t *testing.T) {
			func() {
				defer func() {
					raised, ok := recover().(*uform.PanicError)
					require.True(t, ok)
					require.Equal(t, "oh", raised.Value)
				}()
				_, _ = encode(background, texts, &uform.TextOptions{Progress: func(int, int) error { panic("oh") }})
				require.Fail(t, "no panic")
			}()
		})
		_, err := encode(background, texts, nil)
		require.NoError(t, err, "everything stays usable")
	})
}

func TestClosingFromAHandlerIsRefused(t *testing.T) {
	everyWay(t, func(t *testing.T, f fixture, encode func(context.Context, uform.Tape, *uform.TextOptions) (uform.Encoded, error)) {
		var refusals []error
		_, err := encode(background, uform.Strings(someTexts), &uform.TextOptions{Progress: func(finished, total int) error {
			refusals = []error{f.model.Close(), f.arena.Close()}
			return nil
		}})
		require.NoError(t, err)
		require.Len(t, refusals, 2)
		for _, refusal := range refusals {
			require.ErrorIs(t, refusal, uform.ErrContended)
		}
	})
}

func TestReceiversTellTheirHandles(t *testing.T) {
	f := newFixture(t, nil)
	on, deferred := f.model.On(f.executor), f.model.Deferred(f.executor)
	require.Same(t, f.model, on.Model())
	require.Same(t, f.executor, on.Executor())
	require.Same(t, f.model, deferred.Model())
	require.Same(t, f.executor, deferred.Executor())

	bare, err := f.model.Describe(background)
	require.NoError(t, err)
	blocking, err := on.Describe(background)
	require.NoError(t, err)
	call, err := deferred.Describe(background)
	require.NoError(t, err)
	waited, err := call.Wait(background)
	require.NoError(t, err)
	require.Equal(t, bare, blocking)
	require.Equal(t, bare, waited)
	require.Equal(t, []uform.Modality{uform.Text, uform.Image, uform.Video, uform.Audio}, bare.Modalities)
	require.Equal(t, 16000, bare.SampleRate)
}

func TestADeferredCallOwnsItsInputs(t *testing.T) {
	f := newFixture(t, heldOptions)
	texts := uform.Strings(someTexts)
	call, err := f.model.Deferred(f.executor).TextEncode(background, texts, f.arena, nil)
	require.NoError(t, err)
	clear(texts.Data)
	clear(texts.Offsets)
	encoded, err := call.Wait(background)
	require.NoError(t, err)
	copied, err := encoded.Embeddings.Copy()
	require.NoError(t, err)
	require.Equal(t, vectors(t, f.model, someTexts...), copied)
}

func TestAHeldCallIsRunByWhatComesNext(t *testing.T) {
	next := map[string]func(*testing.T, fixture){
		"drain": func(t *testing.T, f fixture) { require.NoError(t, f.executor.Drain()) },
		"a blocking call": func(t *testing.T, f fixture) {
			_, err := f.model.On(f.executor).Describe(background)
			require.NoError(t, err)
		},
		"closing the executor": func(t *testing.T, f fixture) { require.NoError(t, f.executor.Close()) },
		"closing the model":    func(t *testing.T, f fixture) { require.NoError(t, f.model.Close()) },
	}
	for name, run := range next {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, heldOptions)
			call, err := f.model.Deferred(f.executor).TextEncode(background, uform.Strings(someTexts), f.arena, nil)
			require.NoError(t, err)
			require.ErrorIs(t, call.Status(), uform.ErrDeferred)
			_, err = f.model.Deferred(f.executor).Describe(background)
			require.ErrorIs(t, err, uform.ErrContended, "an executor never queues")
			run(t, f)
			require.NoError(t, call.Status())
			lease, err := f.arena.Begin("test")
			require.NoError(t, err, "the arena is free again")
			lease.Refuse()
			lease.End()
			encoded, err := call.Wait(background)
			require.NoError(t, err)
			require.Equal(t, len(someTexts), encoded.Embeddings.Len())
		})
	}
}
