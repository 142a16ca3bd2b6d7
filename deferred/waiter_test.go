package deferred_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
)

// R09: a wait does not spin. Once it has looked in vain for a while, the waiter sleeps between each two looks.
func TestTheWaiterNaps(t *testing.T) {
	for name, calls := range map[string]int{"one call": 1, "more than a few": deferred.Few + 1} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary()
			before := len(deferred.Naps())
			var all []submitted
			for range calls {
				all = append(all, l.submit(nil))
			}
			for begun := time.Now(); len(deferred.Naps()) < before+5; runtime.Gosched() {
				require.Less(t, time.Since(begun), time.Minute, "it never sleeps")
			}
			for _, nap := range deferred.Naps()[before:] {
				require.GreaterOrEqual(t, nap, deferred.SleepLeast)
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
	const soon = deferred.Yielding - 1
	for name, c := range map[string]struct {
		watched          int
		idle, scan, want time.Duration
	}{
		"it looks again at once":        {deferred.Few, soon, 0, 0},
		"not at more than a few":        {deferred.Few + 1, soon, 0, deferred.SleepLeast},
		"nor for long":                  {1, deferred.Yielding, 0, deferred.SleepLeast},
		"an eighth of the idle time":    {1, 8 * time.Millisecond, 0, time.Millisecond},
		"at most":                       {1, time.Hour, 0, deferred.SleepMost},
		"eight times as long as a look": {10_000, 0, time.Millisecond, 8 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, deferred.Pauses(c.watched, c.idle, c.scan))
		})
	}
}
