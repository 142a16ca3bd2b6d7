package inflight_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/inflight"
)

func TestWaitTakesTheResultFromManyGoroutines(t *testing.T) {
	l := newLibrary()
	call := l.submit(nil)
	require.ErrorIs(t, call.Status(), errors.ErrDeferred)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			result, err := call.Wait(context.Background())
			require.NoError(t, err)
			require.Equal(t, "result of success", result)
		})
	}
	l.finish(call.outcome, abi.StatusSuccess)
	group.Wait()
	<-call.Done()
	require.NoError(t, call.Status())
	require.EqualValues(t, 1, call.settled.Load())
	require.EqualValues(t, 1, l.waits.Load(), "the library is asked to wait once")
}

func TestWaitGivesUpNotTheCall(t *testing.T) {
	l := newLibrary()
	call := l.submit(nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := fmt.Errorf("out of patience")
	cancel(reason)
	_, err := call.Wait(ctx)
	require.ErrorIs(t, err, errors.ErrDeferred)
	require.ErrorIs(t, err, reason)
	require.Zero(t, call.settled.Load())

	l.finish(call.outcome, abi.StatusSuccess)
	<-call.Done()
	result, err := call.Wait(ctx)
	require.NoError(t, err, "a final call is answered whatever the context says")
	require.Equal(t, "result of success", result)
}

func TestStatusOfAFailedCall(t *testing.T) {
	l := newLibrary()
	call := l.submit(nil)
	l.finish(call.outcome, abi.Status(-77))
	require.ErrorIs(t, call.Status(), errors.Status(-77), "before anybody has waited")
	<-call.Done()
}

func TestAlreadyFinalAtSubmission(t *testing.T) {
	l := newLibrary()
	call := l.submit(func(s *inflight.Submission) {
		l.finish(s.Outcome, abi.StatusSuccess)
	})
	require.EqualValues(t, 1, call.settled.Load())
	select {
	case <-call.Done():
	default:
		require.Fail(t, "final, yet not done")
	}
}

// A held call advances when somebody asks for it, and not before.
func TestHeldCalls(t *testing.T) {
	hold := func(s *inflight.Submission) { s.Holder = holding() }
	waitBegun := func(l *library) {
		for l.waits.Load() == 0 {
			runtime.Gosched()
		}
	}
	t.Run("Done", func(t *testing.T) {
		l := newLibrary()
		call := l.submit(hold)
		require.ErrorIs(t, call.Status(), errors.ErrDeferred)
		require.Zero(t, l.waits.Load(), "a poll does not advance the call")
		done := call.Done()
		waitBegun(l)
		l.finish(call.outcome, abi.StatusSuccess)
		<-done
		require.EqualValues(t, 1, l.waits.Load())
	})
	t.Run("dropped", func(t *testing.T) {
		l := newLibrary()
		call := l.submit(hold)
		outcome, settled := call.outcome, call.settled
		call.Call, call.pending = nil, nil
		for l.waits.Load() == 0 {
			runtime.GC()
		}
		l.finish(outcome, abi.StatusSuccess)
		for settled.Load() == 0 {
			runtime.Gosched()
		}
	})
	t.Run("run by somebody else", func(t *testing.T) {
		l := newLibrary()
		call := l.submit(hold)
		require.False(t, call.pending.SettleFinal())
		l.finish(call.outcome, abi.StatusSuccess)
		require.True(t, call.pending.SettleFinal())
		require.True(t, call.pending.SettleFinal())
		require.EqualValues(t, 1, call.settled.Load())
	})
}

// A handle may be closed between the moment that a call is known and the moment that it is
// submitted.
func TestAdvancingTooEarlyWaits(t *testing.T) {
	for name, submit := range map[string]bool{"submitted": true, "refused": false} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary()
			outcome := &abi.Outcome{Status: abi.StatusUnknown}
			settled := make(chan struct{})
			call, pending := inflight.Prepare(inflight.Submission{
				Verb: "test", Library: &l.Library, Outcome: outcome, Holder: holding(),
				Settle: func(*abi.Outcome) { close(settled) },
			}, func(*abi.Outcome) (string, error) { return "", nil })
			pending.Advance()
			require.False(t, pending.SettleFinal(), "an outcome that nobody has written is not final")
			if !submit {
				pending.Abandon()
				require.Zero(t, l.waits.Load())
				return
			}
			outcome.Store(abi.StatusDeferred)
			pending.Start()
			l.finish(outcome, abi.StatusSuccess)
			<-settled
			<-call.Done()
		})
	}
}

func TestALibraryThatTellsIsNotPolled(t *testing.T) {
	l := newLibrary()
	notified := make(chan func(), 1)
	l.OnFinal = func(_ *abi.Outcome, notify func()) { notified <- notify }
	call := l.submit(nil)
	notify := <-notified
	l.finish(call.outcome, abi.StatusSuccess)
	select {
	case <-call.Done():
		require.Fail(t, "settled without being told")
	default:
	}
	notify()
	<-call.Done()
}

// Bug: a goroutine in C for each call burns a thread for each, and 10,000 of them end the process.
func TestTenThousandInFlight(t *testing.T) {
	const calls = 10_000
	l := newLibrary()
	before := runtime.NumGoroutine()
	all := make([]submitted, calls)
	for i := range all {
		all[i] = l.submit(nil)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before+2, "one waiter for all")
	for i := range all {
		time.AfterFunc(time.Duration(i%50)*time.Millisecond, func() { l.finish(all[i].outcome, abi.StatusSuccess) })
	}
	for i := range all {
		_, err := all[i].Wait(context.Background())
		require.NoError(t, err)
		require.EqualValues(t, 1, all[i].settled.Load())
	}
	require.EqualValues(t, calls, l.waits.Load())
}

// The waiter ends when nothing is in flight, and the next call starts another.
func TestTheWaiterEnds(t *testing.T) {
	l := newLibrary()
	before := runtime.NumGoroutine()
	for range 3 {
		call := l.submit(nil)
		l.finish(call.outcome, abi.StatusSuccess)
		<-call.Done()
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	}
}

// holding is an executor without threads that made way for a call.
func holding() *inflight.Holder {
	holder := new(inflight.Holder)
	holder.Reserve()
	return holder
}
