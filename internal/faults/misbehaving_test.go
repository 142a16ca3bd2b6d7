package faults_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
)

// A status that the header does not name is an error with its number, for every verb and receiver,
// and equals no other error. A library that returns without writing an outcome is an error too,
// although a zeroed outcome would read as success.
func TestOddAnswers(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		control := loadertest.NeedControl(t)
		b := newBench(t, openNative(t), nil)
		all, alone := served(t, b.model)
		known := []error{
			uform.ErrInvalidArgument, uform.ErrOutOfMemory, uform.ErrContended, uform.ErrDevice, uform.ErrUnsupported, uform.ErrMalformed,
			uform.ErrShapeMismatch, uform.ErrCancelled, uform.ErrIO, uform.ErrLibraryMissing, uform.ErrDeferred,
		}
		for _, verb := range all {
			for receiver, on := range receivers {
				t.Run(verb.name+", "+receiver, func(t *testing.T) {
					run := func() (answer, error) { return verb.run(background, on(b.model, b.executor), b.arena, nil) }
					for _, status := range []int64{77, -77, math.MaxInt32, math.MinInt32} {
						control.Ask("odd_status", status, nil)
						_, err := run()
						require.ErrorIs(t, err, errors.Status(status))
						for _, other := range known {
							require.NotErrorIs(t, err, other)
						}
						got, err := run()
						require.NoError(t, err, "after status %d", status)
						require.Equal(t, alone[verb.name], got)
					}
					control.Ask("write_nothing", 1, nil)
					_, err := run()
					require.Error(t, err)
					require.ErrorIs(t, err, errors.ErrUnknown)
					got, err := run()
					require.NoError(t, err)
					require.Equal(t, alone[verb.name], got)
				})
			}
		}
	})
}

// A library that does not finish a call: a wait under a context returns when the context ends.
// Closing a handle that the call names waits until the call is final, since the library may still
// write to it; a program may close it on another goroutine. A handle that is being closed refuses
// new calls at once. When the call is final, every wait returns.
func TestACallThatNeverEnds(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		control := loadertest.NeedControl(t)
		b := newBench(t, openNative(t), &uform.ExecutorOptions{Threads: 1})
		want := b.texts(t)
		control.Ask("hold_executor", 1, nil)
		call, err := b.model.Deferred(b.executor).TextEncode(background, uform.Strings(someTexts), b.arena, nil)
		require.NoError(t, err)
		for control.Ask("is_holding", 0, nil) == 0 {
			time.Sleep(time.Millisecond)
		}
		ctx, giveUp := context.WithCancel(background)
		giveUp()
		_, err = call.Wait(ctx)
		require.ErrorIs(t, err, uform.ErrDeferred)
		require.ErrorIs(t, err, context.Canceled)

		closed := map[string]chan error{}
		for name, close := range map[string]func() error{"arena": b.arena.Close, "executor": b.executor.Close, "model": b.model.Close} {
			done := make(chan error, 1)
			closed[name] = done
			go func() { done <- close() }()
		}
		refused := func() bool {
			_, err := b.model.On(b.executor).TextEncode(background, uform.Strings(someTexts), b.arena, nil)
			return err != nil && strings.Contains(err.Error(), "closed")
		}
		for !refused() {
			time.Sleep(time.Millisecond)
		}
		require.ErrorIs(t, call.Status(), uform.ErrDeferred)
		for name, done := range closed {
			select {
			case err := <-done:
				require.Fail(t, "closed under a call", "%s: %v", name, err)
			default:
			}
		}

		control.Ask("hold_executor", 0, nil)
		_, err = call.Wait(background)
		require.NoError(t, err)
		for name, done := range closed {
			require.NoError(t, <-done, name)
		}
		again := newBench(t, b.library, nil)
		require.Equal(t, want, again.texts(t))
	})
}

// A blocking call that the library does not finish blocks its goroutine. A context that ends has no
// effect until the library reports progress. Other goroutines, and the engine, continue.
func TestABlockingCallThatNeverEnds(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		control := loadertest.NeedControl(t)
		stuck := newBench(t, openNative(t), &uform.ExecutorOptions{Threads: 1})
		want := stuck.texts(t)
		control.Ask("hold_executor", 1, nil)
		ctx, cancel := context.WithCancel(background)
		var group sync.WaitGroup
		var err error
		group.Go(func() {
			_, err = stuck.model.On(stuck.executor).TextEncode(ctx, uform.Strings(someTexts), stuck.arena, nil)
		})
		for control.Ask("is_holding", 0, nil) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		embedded, e := uform.Open(&uform.OpenOptions{Embedded: true})
		require.NoError(t, e)
		require.Len(t, newBench(t, embedded, nil).texts(t), len(someTexts))
		control.Ask("hold_executor", 0, nil)
		group.Wait()
		require.ErrorIs(t, err, uform.ErrCancelled)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, want, stuck.texts(t))
	})
}
