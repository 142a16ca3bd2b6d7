package inflight_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/inflight"
)

func TestNobodyListens(t *testing.T) {
	r := inflight.NewReporter(context.Background(), nil)
	require.Nil(t, r)
	require.NoError(t, r.Cause())
	require.Nil(t, r.Panic())
	require.False(t, r.Inside())
	r.Release()
}

func TestReports(t *testing.T) {
	reason := fmt.Errorf("enough")
	cancelled, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	cases := map[string]struct {
		ctx     context.Context
		handler func(finished, total int) error
		goesOn  bool
		cause   error
		panics  any
	}{
		"nil goes on":       {context.Background(), func(int, int) error { return nil }, true, nil, nil},
		"an error stops":    {context.Background(), func(int, int) error { return reason }, false, reason, nil},
		"a context stops":   {cancelled, nil, false, reason, nil},
		"before a handler":  {cancelled, func(int, int) error { panic("not reached") }, false, reason, nil},
		"a panic stops":     {context.Background(), func(int, int) error { panic(reason) }, false, reason, reason},
		"a text as a panic": {context.Background(), func(int, int) error { panic("oh") }, false, nil, "oh"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := inflight.NewReporter(c.ctx, c.handler)
			defer r.Release()
			require.Equal(t, c.goesOn, abi.ReportProgress(r.State(), 1, 2))
			if c.cause != nil {
				require.ErrorIs(t, r.Cause(), c.cause)
			}
			require.Equal(t, c.goesOn, r.Cause() == nil)
			if c.panics == nil {
				require.Nil(t, r.Panic())
				return
			}
			require.Equal(t, c.panics, r.Panic().Value)
			require.Contains(t, string(r.Panic().Stack), "TestReports")
			require.Contains(t, r.Panic().Error(), fmt.Sprint(c.panics))
		})
	}
}

func TestTheHandlerHearsTheUnits(t *testing.T) {
	var heard [][2]int
	r := inflight.NewReporter(context.Background(), func(finished, total int) error {
		heard = append(heard, [2]int{finished, total})
		return nil
	})
	for i := range uintptr(3) {
		require.True(t, abi.ReportProgress(r.State(), i, 2))
	}
	r.Release()
	require.True(t, abi.ReportProgress(r.State(), 9, 9), "a late report meets nobody")
	require.Equal(t, [][2]int{{0, 2}, {1, 2}, {2, 2}}, heard)
}

func TestTheFirstReasonCounts(t *testing.T) {
	calls := 0
	r := inflight.NewReporter(context.Background(), func(int, int) error {
		calls++
		return fmt.Errorf("reason %d", calls)
	})
	defer r.Release()
	abi.ReportProgress(r.State(), 0, 1)
	abi.ReportProgress(r.State(), 0, 1)
	require.EqualError(t, r.Cause(), "reason 1")
}

func TestWaitingInsideTheHandlerIsRefused(t *testing.T) {
	l := newLibrary()
	var call submitted
	var inside, outside bool
	var refusal error
	var r *inflight.Reporter
	r = inflight.NewReporter(context.Background(), func(int, int) error {
		_, refusal = call.Wait(context.Background())
		inside = r.Inside()
		done := make(chan struct{})
		go func() {
			outside = r.Inside()
			close(done)
		}()
		<-done
		return nil
	})
	call = l.submit(func(s *inflight.Submission) { s.Reporter = r })
	require.True(t, abi.ReportProgress(r.State(), 0, 1))
	require.ErrorIs(t, refusal, errors.ErrContended)
	require.True(t, inside)
	require.False(t, outside)
	require.False(t, r.Inside())
	l.finish(call.outcome, abi.StatusSuccess)
	_, err := call.Wait(context.Background())
	require.NoError(t, err)
}

func TestAPanicIsRaisedAtEveryWait(t *testing.T) {
	l := newLibrary()
	r := inflight.NewReporter(context.Background(), func(int, int) error { panic("oh") })
	call := l.submit(func(s *inflight.Submission) { s.Reporter = r })
	require.False(t, abi.ReportProgress(r.State(), 0, 1))
	l.finish(call.outcome, abi.StatusCancelled)
	<-call.Done()
	for range 2 {
		func() {
			defer func() {
				raised, ok := recover().(*errors.PanicError)
				require.True(t, ok)
				require.Equal(t, "oh", raised.Value)
			}()
			_, _ = call.Wait(context.Background())
			require.Fail(t, "no panic")
		}()
	}
	require.NotPanics(t, func() { _ = call.Status() })
}
