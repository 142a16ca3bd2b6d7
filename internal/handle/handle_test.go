package handle_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/handle"
)

// inFlight is a call as handles see it.
type inFlight struct {
	advanced chan struct{}
	inside   bool
}

func (c *inFlight) Advance()     { close(c.advanced) }
func (c *inFlight) Inside() bool { return c.inside }

func TestCloseFreesOnce(t *testing.T) {
	freed := 0
	h := handle.New(uintptr(7), func(value uintptr) {
		require.Equal(t, uintptr(7), value)
		freed++
	})
	require.False(t, h.Closed())
	require.True(t, h.Close())
	require.True(t, h.Close(), "closing twice is safe")
	h.Drop()
	require.Equal(t, 1, freed)
	require.True(t, h.Closed())
	require.False(t, h.BeginCall(), "nothing begins on a closed handle")
	require.False(t, h.Refer())
}

func TestCloseWaitsForCallsAndAdvancesThem(t *testing.T) {
	freed := make(chan struct{})
	h := handle.New(uintptr(7), func(uintptr) { close(freed) })
	require.True(t, h.BeginCall())
	held := &inFlight{advanced: make(chan struct{})}
	h.Track(held)

	over := make(chan bool)
	go func() { over <- h.Close() }()
	<-held.advanced
	select {
	case <-freed:
		require.Fail(t, "freed under a call")
	default:
	}
	h.Untrack(held)
	h.EndCall()
	require.True(t, <-over)
	<-freed
}

// A call begins, then the handle is closed, and only then the call is tracked: somebody still has
// to advance it.
func TestACallTrackedAfterTheCloseIsAdvanced(t *testing.T) {
	h := handle.New(uintptr(7), func(uintptr) {})
	require.True(t, h.BeginCall())
	h.Drop()
	held := &inFlight{advanced: make(chan struct{})}
	h.Track(held)
	<-held.advanced
	h.Untrack(held)
	h.EndCall()
	require.True(t, h.Close())
}

func TestReferencesPutTheFreeingOff(t *testing.T) {
	freed := 0
	h := handle.New(uintptr(7), func(uintptr) { freed++ })
	require.True(t, h.Refer())
	require.True(t, h.Close(), "closing waits for calls, not for references")
	require.Zero(t, freed)
	h.Unrefer()
	require.Equal(t, 1, freed)
}

func TestCloseInsideAHandlerIsRefused(t *testing.T) {
	freed := 0
	h := handle.New(uintptr(7), func(uintptr) { freed++ })
	require.True(t, h.BeginCall())
	own := &inFlight{advanced: make(chan struct{}), inside: true}
	h.Track(own)
	require.True(t, h.Inside())
	require.False(t, h.Close())
	require.False(t, h.Closed(), "a refused close changes nothing")
	h.Untrack(own)
	h.EndCall()
	require.True(t, h.Close())
	require.Equal(t, 1, freed)
}

// Whoever closes a handle returns when it is freed: the first and every other one, while a call is
// in flight or not.
func TestEveryCloseReturnsWhenTheHandleIsFreed(t *testing.T) {
	for name, inFlight := range map[string]bool{"idle": false, "in a call": true} {
		t.Run(name, func(t *testing.T) {
			entered, leave := make(chan struct{}), make(chan struct{})
			var freed atomic.Int32
			h := handle.New(uintptr(7), func(uintptr) {
				close(entered)
				<-leave
				freed.Add(1)
			})
			if inFlight {
				require.True(t, h.BeginCall())
			}
			var group sync.WaitGroup
			var closed atomic.Int32
			for range 10 {
				group.Go(func() {
					require.True(t, h.Close())
					require.EqualValues(t, 1, freed.Load())
					closed.Add(1)
				})
			}
			if inFlight {
				for !h.Closed() {
					runtime.Gosched()
				}
				h.EndCall() // returns although the freeing does not
			}
			<-entered
			require.Zero(t, closed.Load())
			close(leave)
			group.Wait()
			require.True(t, h.Close())
		})
	}
}

// What the collector drops is freed on a goroutine of its own: neither the collector's cleanups nor
// who ends a call waits for it.
func TestDroppingDoesNotWait(t *testing.T) {
	for name, inFlight := range map[string]bool{"idle": false, "in a call": true} {
		t.Run(name, func(t *testing.T) {
			leave, freed := make(chan struct{}), make(chan struct{})
			h := handle.New(uintptr(7), func(uintptr) {
				<-leave
				close(freed)
			})
			if inFlight {
				require.True(t, h.BeginCall())
			}
			h.Drop()
			h.Drop()
			if inFlight {
				h.EndCall()
			}
			close(leave)
			<-freed
		})
	}
}

// A Close that is called while the last reference frees the handle waits for that.
func TestCloseWaitsForALastReferenceThatFrees(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	h := handle.New(uintptr(7), func(uintptr) {
		close(entered)
		<-leave
	})
	require.True(t, h.Refer())
	require.True(t, h.Close(), "not for the reference itself")
	go h.Unrefer()
	<-entered
	closed := make(chan bool, 1)
	go func() { closed <- h.Close() }()
	for range 100 {
		runtime.Gosched()
	}
	require.Empty(t, closed)
	close(leave)
	require.True(t, <-closed)
}

func TestUsesFromManyGoroutines(t *testing.T) {
	var freed atomic.Int32
	var active atomic.Int32
	h := handle.New(uintptr(7), func(uintptr) {
		require.Zero(t, active.Load(), "freed under a use")
		freed.Add(1)
	})
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			for h.BeginCall() {
				active.Add(1)
				if h.Refer() {
					h.Unrefer()
				}
				active.Add(-1)
				h.EndCall()
			}
		})
	}
	for range 4 {
		group.Go(func() {
			require.True(t, h.Close())
			require.EqualValues(t, 1, freed.Load())
		})
	}
	group.Wait()
	require.EqualValues(t, 1, freed.Load())
}
