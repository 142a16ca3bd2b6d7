package deferred_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
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
func loop(t *testing.T, l *library) (*deferred.Holder, *abi.Outcome) {
	k, holder := new(keeper), holding(t)
	k.call = l.submit(func(s *deferred.Submission) {
		s.Holder, s.Keeps = holder, true
		s.Reporter = deferred.NewReporter(context.Background(), k.hear)
	})
	return holder, k.call.outcome
}

func TestADroppedCallThatLeadsToItselfIsRun(t *testing.T) {
	l := newLibrary()
	_, outcome := loop(t, l)
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	l.finish(outcome, abi.StatusSuccess)
}

// A held call that keeps nothing of its caller's is only run where its Call is dropped, however often the collector runs.
func TestAKeptCallIsHeld(t *testing.T) {
	l := newLibrary()
	call := l.submit(func(s *deferred.Submission) { s.Holder = holding(t) })
	for range 10 {
		runtime.GC()
	}
	require.Zero(t, l.waits.Load())
	runtime.KeepAlive(call)
	l.finish(call.outcome, abi.StatusSuccess)
	<-call.Done()
}

// While a blocking call is under way, which may be about to run it, a dropped call is left to it, and looked at again afterwards.
func TestADroppedCallDoesNotGetInTheWayOfABlockingOne(t *testing.T) {
	l := newLibrary()
	holder, outcome := loop(t, l)
	drives, err := holder.Enter(context.Background())
	require.NoError(t, err)
	require.True(t, drives)
	require.False(t, holder.Reserve(), "nothing is submitted meanwhile")
	for range 10 {
		runtime.GC()
	}
	require.Zero(t, l.waits.Load())
	holder.Leave()
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	l.finish(outcome, abi.StatusSuccess)
}

// A blocking call waits, under its context, for the held call that runs although nobody asked, as it would have run it itself.
func TestABlockingCallWaitsForTheDroppedOne(t *testing.T) {
	l := newLibrary()
	holder, outcome := loop(t, l)
	for l.waits.Load() == 0 {
		runtime.GC()
	}
	reason := errors.New("out of patience")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	_, err := holder.Enter(ctx)
	require.ErrorIs(t, err, reason)
	require.True(t, holder.Reserve(), "who gave up has not entered")
	holder.Cancel()

	entered := make(chan bool)
	go func() {
		drives, err := holder.Enter(context.Background())
		entered <- drives || err != nil
	}()
	for range 100 {
		runtime.Gosched()
	}
	select {
	case <-entered:
		require.Fail(t, "it did not wait")
	default:
	}
	l.finish(outcome, abi.StatusSuccess)
	require.False(t, <-entered, "nothing is held any more")
	require.False(t, holder.Reserve())
	holder.Leave()
	require.True(t, holder.Reserve())
}

// The handler of such a call may make a blocking call on the executor: it finds the executor taken, and does not wait for itself.
func TestTheDroppedCallsHandlerDoesNotWaitForItself(t *testing.T) {
	l := newLibrary()
	holder := holding(t)
	entered := make(chan error, 1)
	reporter := deferred.NewReporter(context.Background(), func(int, int) error {
		_, err := holder.Enter(context.Background())
		holder.Leave()
		entered <- err
		return nil
	})
	outcome := func() *abi.Outcome {
		return l.submit(func(s *deferred.Submission) { s.Holder, s.Keeps, s.Reporter = holder, true, reporter }).outcome
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
	holder := holding(t)
	_, pending := deferred.Prepare(deferred.Submission{
		Library: &l.Library, Outcome: &abi.Outcome{Status: abi.StatusContended}, Holder: holder, Keeps: true,
	}, func(*abi.Outcome) (string, error) { return "", nil })
	pending.Abandon()
	for range 3 {
		runtime.GC()
	}
	require.Zero(t, l.waits.Load())
	drives, err := holder.Enter(context.Background())
	require.NoError(t, err)
	require.False(t, drives)
	pending.Finish()
}

// A panic at the last report comes when the library has nothing left to stop. The call failed all the same.
func TestAPanicAtTheLastReportIsNoSuccess(t *testing.T) {
	l := newLibrary()
	l.OnFinal = func(*abi.Outcome, func()) {}
	r := deferred.NewReporter(context.Background(), func(int, int) error { panic("oh") })
	call := l.submit(func(s *deferred.Submission) { s.Reporter = r })
	require.False(t, abi.ReportProgress(r.State(), 1, 1))
	l.finish(call.outcome, abi.StatusSuccess)
	require.EqualError(t, call.Status(), "cancelled", "final, though nobody has noticed")
}
