package inflight_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/inflight"
)

// keeper is what a program makes of a call whose handler is to know it.
type keeper struct {
	call  submitted
	heard int
}

func (k *keeper) hear(int, int) error {
	k.heard++
	return nil
}

// loop submits a held call whose handler leads to its own Call, and drops both.
func loop(l *library) (*inflight.Holder, *abi.Outcome) {
	k, holder := new(keeper), holding()
	k.call = l.submit(func(s *inflight.Submission) {
		s.Holder, s.Keeps = holder, true
		s.Reporter = inflight.NewReporter(context.Background(), k.hear)
	})
	return holder, k.call.outcome
}

func TestADroppedCallThatLeadsToItselfIsRun(t *testing.T) {
	l := newLibrary()
	_, outcome := loop(l)
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	l.finish(outcome, abi.StatusSuccess)
}

// A held call that keeps nothing of its caller's is only run where its Call is dropped, however
// often the collector runs.
func TestAKeptCallIsHeld(t *testing.T) {
	l := newLibrary()
	call := l.submit(func(s *inflight.Submission) { s.Holder = holding() })
	for range 10 {
		runtime.GC()
	}
	require.Zero(t, l.waits.Load())
	runtime.KeepAlive(call)
	l.finish(call.outcome, abi.StatusSuccess)
	<-call.Done()
}

// While a blocking call is under way, which may be about to run it, a dropped call is left to it,
// and looked at again afterwards.
func TestADroppedCallDoesNotGetInTheWayOfABlockingOne(t *testing.T) {
	l := newLibrary()
	holder, outcome := loop(l)
	blocking := new(inflight.Blocking)
	require.NoError(t, holder.Enter(context.Background(), blocking, nil))
	for range 10 {
		runtime.GC()
	}
	require.Zero(t, l.waits.Load())
	holder.Leave(blocking)
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	l.finish(outcome, abi.StatusSuccess)
}

// A blocking call waits, under its context, for the held call that runs although nobody asked, as
// it would have run it itself.
func TestABlockingCallWaitsForTheDroppedOne(t *testing.T) {
	l := newLibrary()
	holder, outcome := loop(l)
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	reason := errors.New("out of patience")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	require.ErrorIs(t, holder.Enter(ctx, new(inflight.Blocking), nil), reason)

	entered, found := make(chan error), new(named)
	go func() { entered <- holder.Enter(context.Background(), new(inflight.Blocking), found) }()
	for range 100 {
		runtime.Gosched()
	}
	select {
	case <-entered:
		require.Fail(t, "it did not wait")
	default:
	}
	l.finish(outcome, abi.StatusSuccess)
	require.NoError(t, <-entered)
	require.Empty(t, found.calls, "nothing is held any more")
}

// named is what a blocking call names.
type named struct{ calls []handle.Call }

func (n *named) Track(c handle.Call) { n.calls = append(n.calls, c) }

func (n *named) Untrack(c handle.Call) {
	n.calls = slices.DeleteFunc(n.calls, func(other handle.Call) bool { return other == c })
}

// A blocking call has a driver while a call is held, whichever of the two comes first. Whoever runs
// the handler of the held call is the driver, unless it waits for that.
func TestDrivers(t *testing.T) {
	for name, early := range map[string]bool{"submitted first": true, "blocking first": false} {
		t.Run(name, func(t *testing.T) {
			l, holder, found, blocking := newLibrary(), new(inflight.Holder), new(named), new(inflight.Blocking)
			var inside []bool
			reporter := inflight.NewReporter(context.Background(), func(int, int) error {
				for _, c := range found.calls {
					inside = append(inside, c.Inside())
				}
				return nil
			})
			enter := func() { require.NoError(t, holder.Enter(context.Background(), blocking, found)) }
			if !early {
				enter()
				require.Empty(t, found.calls)
			}
			holder.Reserve()
			call := l.submit(func(s *inflight.Submission) { s.Holder, s.Reporter = holder, reporter })
			if early {
				enter()
			}
			require.Len(t, found.calls, 1)
			require.True(t, abi.ReportProgress(reporter.State(), 0, 1))
			require.Equal(t, []bool{true}, inside)
			other := make(chan bool)
			go func() { other <- found.calls[0].Inside() }()
			require.False(t, <-other)
			holder.Leave(blocking)
			require.Empty(t, found.calls)
			l.finish(call.outcome, abi.StatusSuccess)
			<-call.Done()
			enter()
			require.Empty(t, found.calls)
		})
	}
	t.Run("who waits for the call is none", func(t *testing.T) {
		l, holder, found, blocking := newLibrary(), new(inflight.Holder), new(named), new(inflight.Blocking)
		require.NoError(t, holder.Enter(context.Background(), blocking, found))
		holder.Reserve()
		inside := make(chan bool, 1)
		reporter := inflight.NewReporter(context.Background(), func(int, int) error {
			inside <- found.calls[0].Inside()
			return nil
		})
		wait := l.OutcomeWait
		l.OutcomeWait = func(outcome *abi.Outcome) abi.Status {
			abi.ReportProgress(reporter.State(), 0, 1)
			return wait(outcome)
		}
		call := l.submit(func(s *inflight.Submission) { s.Holder, s.Reporter = holder, reporter })
		done := call.Done()
		require.False(t, <-inside)
		l.finish(call.outcome, abi.StatusSuccess)
		<-done
	})
}

// The handler of such a call may make a blocking call on the executor: it finds the executor taken,
// and does not wait for itself.
func TestTheDroppedCallsHandlerDoesNotWaitForItself(t *testing.T) {
	l := newLibrary()
	holder := holding()
	entered := make(chan error, 1)
	reporter := inflight.NewReporter(context.Background(), func(int, int) error {
		blocking := new(inflight.Blocking)
		entered <- holder.Enter(context.Background(), blocking, nil)
		holder.Leave(blocking)
		return nil
	})
	outcome := func() *abi.Outcome {
		return l.submit(func(s *inflight.Submission) { s.Holder, s.Keeps, s.Reporter = holder, true, reporter }).outcome
	}()
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	require.True(t, abi.ReportProgress(reporter.State(), 0, 1))
	require.NoError(t, <-entered)
	l.finish(outcome, abi.StatusSuccess)
}

// A refused submission makes way again, and is never run.
func TestAnAbandonedCallIsForgotten(t *testing.T) {
	l := newLibrary()
	holder := holding()
	_, pending := inflight.Prepare(inflight.Submission{
		Library: &l.Library, Outcome: &abi.Outcome{Status: abi.StatusContended}, Holder: holder, Keeps: true,
	}, func(*abi.Outcome) (string, error) { return "", nil })
	pending.Abandon()
	for range 3 {
		runtime.GC()
	}
	require.Zero(t, l.waits.Load())
	found := new(named)
	require.NoError(t, holder.Enter(context.Background(), new(inflight.Blocking), found))
	require.Empty(t, found.calls)
	pending.Finish()
}

// A panic at the last report comes when the library has nothing left to stop. The call failed all
// the same.
func TestAPanicAtTheLastReportIsNoSuccess(t *testing.T) {
	l := newLibrary()
	l.OnFinal = func(*abi.Outcome, func()) {}
	r := inflight.NewReporter(context.Background(), func(int, int) error { panic("oh") })
	call := l.submit(func(s *inflight.Submission) { s.Reporter = r })
	require.False(t, abi.ReportProgress(r.State(), 1, 1))
	l.finish(call.outcome, abi.StatusSuccess)
	require.EqualError(t, call.Status(), "cancelled", "final, though nobody has noticed")
}
