package loader_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
)

// report has the stub report count times to a handler, and answers how often it did.
func report(t testing.TB, table *abi.Library, scalar abi.Scalar, count uintptr, state uintptr) int {
	t.Helper()
	box := new(arguments)
	box.outcome.Status = abi.StatusUnknown
	box.encode = abi.TextEncode{Outcome: &box.outcome, Scalar: scalar, Count: count, Progress: table.ProgressCallback, ProgressState: state}
	table.TextEncode(&box.encode)
	if box.outcome.Status != abi.StatusSuccess || box.outcome.Call != 0 {
		t.Errorf("status %v, an answer that is neither 0 nor 1: %#x", box.outcome.Status, box.outcome.Call)
	}
	return int(box.outcome.Item)
}

// threads are the stub's own thread, and the caller's.
var threads = map[string]abi.Scalar{"calling thread": abi.ScalarF32, "foreign thread": abi.ScalarF16}

func TestProgress(t *testing.T) {
	table := open(t, stub(t)).Table
	for name, scalar := range threads {
		t.Run(name, func(t *testing.T) {
			var seen [][2]uintptr
			state := abi.HoldProgress(func(finished, total uintptr) bool {
				seen = append(seen, [2]uintptr{finished, total})
				return true
			})
			require.Equal(t, 5, report(t, table, scalar, 5, state))
			require.Equal(t, [][2]uintptr{{0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}, seen)
			abi.ReleaseProgress(state)
			require.Equal(t, 5, report(t, table, scalar, 5, state), "a report that comes too late goes on")
			require.Len(t, seen, 5)

			stopping := abi.HoldProgress(func(finished, _ uintptr) bool { return finished < 2 })
			defer abi.ReleaseProgress(stopping)
			require.Equal(t, 3, report(t, table, scalar, 5, stopping))

			panicking := abi.HoldProgress(func(uintptr, uintptr) bool { panic("a handler's own fault") })
			defer abi.ReleaseProgress(panicking)
			require.Equal(t, 1, report(t, table, scalar, 5, panicking), "a panic stops the call, and nothing else")
		})
	}
}

// The system's table of callbacks holds 2000; ten thousand handlers take one place of it. Two are
// live at once, while the collector runs.
func TestProgressOfManyCalls(t *testing.T) {
	table := open(t, stub(t)).Table
	var heard atomic.Int64
	var group sync.WaitGroup
	for _, scalar := range threads {
		group.Go(func() {
			for i := range 5000 {
				state := abi.HoldProgress(func(finished, total uintptr) bool {
					heard.Add(1)
					return true
				})
				report(t, table, scalar, 2, state)
				abi.ReleaseProgress(state)
				if i%1000 == 0 {
					runtime.GC()
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, int64(20000), heard.Load())
}

// Every library gets the same callback.
func TestProgressCallbackIsShared(t *testing.T) {
	first, second := open(t, stub(t)).Table, open(t, stub(t)).Table
	require.NotZero(t, first.ProgressCallback)
	require.Equal(t, first.ProgressCallback, second.ProgressCallback)
}
