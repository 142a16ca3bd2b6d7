package inflight_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/inflight"
)

// R09: a wait does not spin. Once it has looked in vain for a while, the waiter sleeps between each
// two looks.
func TestTheWaiterNaps(t *testing.T) {
	for name, calls := range map[string]int{"one call": 1, "more than a few": inflight.Few + 1} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary()
			before := len(inflight.Naps())
			var all []submitted
			for range calls {
				all = append(all, l.submit(nil))
			}
			for begun := time.Now(); len(inflight.Naps()) < before+5; runtime.Gosched() {
				require.Less(t, time.Since(begun), time.Minute, "it never sleeps")
			}
			for _, nap := range inflight.Naps()[before:] {
				require.GreaterOrEqual(t, nap, inflight.SleepLeast)
			}
			for _, call := range all {
				l.finish(call.outcome, abi.StatusSuccess)
			}
			for _, call := range all {
				_, err := call.Wait(context.Background())
				require.NoError(t, err)
			}
		})
	}
}

func TestHowLongTheWaiterSleeps(t *testing.T) {
	const soon = inflight.Yielding - 1
	for name, c := range map[string]struct {
		watched          int
		idle, scan, want time.Duration
	}{
		"it looks again at once":        {inflight.Few, soon, 0, 0},
		"not at more than a few":        {inflight.Few + 1, soon, 0, inflight.SleepLeast},
		"nor for long":                  {1, inflight.Yielding, 0, inflight.SleepLeast},
		"an eighth of the idle time":    {1, 8 * time.Millisecond, 0, time.Millisecond},
		"at most":                       {1, time.Hour, 0, inflight.SleepMost},
		"eight times as long as a look": {10_000, 0, time.Millisecond, 8 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, inflight.Pauses(c.watched, c.idle, c.scan))
		})
	}
}
