//go:build linux

package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
)

// Deferred calls that work on nothing and are final after a while, a number of them in flight all
// the time. Measured is how long after the library stored a call's status its waiter runs again,
// which processor time the whole process spends, in hundredths of a core, and how many threads it
// has at the end. The library's own thread is part of that, and has the same to do whoever listens,
// except for running a callback and waking threads.

// BenchmarkDeferredWaiter listens as package deferred does: one goroutine looks at all the
// statuses.
func BenchmarkDeferredWaiter(b *testing.B) {
	inFlight(b, func(l library, f *flight) func() {
		call, pending := deferred.Prepare(deferred.Submission{
			Verb: "bench", Library: l.Library, Outcome: &f.outcome, Settle: func(*abi.Outcome) {},
		}, func(*abi.Outcome) (struct{}, error) { return struct{}{}, nil })
		l.TextEncode(&f.arguments)
		pending.Start()
		return func() { <-call.Done() }
	})
}

// BenchmarkDeferredCallback has the library call Go when a call is final. UForm has no such
// callback for every call: it is what one could do at best.
func BenchmarkDeferredCallback(b *testing.B) {
	inFlight(b, func(l library, f *flight) func() {
		final := make(chan struct{}, 1)
		f.arguments.Progress = l.ProgressCallback
		f.arguments.ProgressState = abi.HoldProgress(func(uintptr, uintptr) bool {
			final <- struct{}{}
			return true
		})
		l.TextEncode(&f.arguments)
		return func() {
			<-final
			abi.ReleaseProgress(f.arguments.ProgressState)
		}
	})
}

// BenchmarkDeferredThread blocks a goroutine in the library for each call, which takes a thread for
// each. It comes last, as its threads stay.
func BenchmarkDeferredThread(b *testing.B) {
	// Go ends a process of 10,000 threads. The limit stays raised: threads are not given back, and
	// lowering it past their number ends the process, too.
	debug.SetMaxThreads(1 << 15)
	inFlight(b, func(l library, f *flight) func() {
		l.TextEncode(&f.arguments)
		return func() { l.OutcomeWait(&f.outcome) }
	})
}

// flight is what the library reads and writes during a call, pinned from before it to its end.
type flight struct {
	outcome   abi.Outcome
	arguments abi.TextEncode
	_         [abi.ReservedTail]byte
}

// loads are how many calls are in flight, how long one takes at the most, half of it at the least,
// and how many make a round. On average they take 1 ms, 10 ms and 1 s, so that 1,000, 6,400 and
// 10,000 end in a second: with 1 ms each, 10,000 in flight would be ten million a second, which
// measures the machine and no way of waiting.
var loads = []struct {
	inFlight int
	longest  time.Duration
	calls    int
}{
	{1, 1333 * time.Microsecond, 500},
	{64, 13333 * time.Microsecond, 5_000},
	{10_000, 1333 * time.Millisecond, 30_000},
}

// inFlight measures a way to submit a call and to wait for it. Once it has waited, the library is
// done with the flight.
func inFlight(b *testing.B, submit func(library, *flight) (wait func())) {
	l := measuring(b)
	clock := newClock(b, l)
	for _, load := range loads {
		b.Run(fmt.Sprint(load.inFlight), func(b *testing.B) {
			var latencies []time.Duration
			began, before := time.Now(), spent(b)
			for b.Loop() {
				latencies = append(latencies, round(load.inFlight, load.calls, func() time.Duration {
					return clock.fly(l, submit, load.longest/2+rand.N(load.longest/2))
				})...)
			}
			cost, wall := spent(b)-before, time.Since(began)
			slices.Sort(latencies)
			at := func(share float64) float64 {
				return float64(latencies[int(share*float64(len(latencies)-1))]) / float64(time.Microsecond)
			}
			b.ReportMetric(at(0.5), "p50-us")
			b.ReportMetric(at(0.99), "p99-us")
			b.ReportMetric(100*float64(cost)/float64(wall), "cpu-share")
			b.ReportMetric(float64(threads(b)), "threads")
		})
	}
}

// round makes a number of calls, so many of them at a time, and returns what each answered.
func round(inFlight, calls int, call func() time.Duration) []time.Duration {
	latencies := make([]time.Duration, calls)
	var next atomic.Int64
	var group sync.WaitGroup
	for range inFlight {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(calls); i = next.Add(1) - 1 {
				latencies[i] = call()
			}
		})
	}
	group.Wait()
	return latencies
}

// fly makes one call that takes a while, and returns how late its end was heard of.
func (c *clock) fly(l library, submit func(library, *flight) func(), lasting time.Duration) time.Duration {
	f := new(flight)
	var pinner runtime.Pinner
	pinner.Pin(f)
	defer pinner.Unpin()
	f.outcome.Status = abi.StatusUnknown
	f.arguments = abi.TextEncode{
		Outcome: &f.outcome, Completion: abi.CompletionDeferring, Count: uintptr(lasting.Microseconds()),
	}
	submit(l, f)()
	return c.now() - time.Duration(f.outcome.Call)
}

// clock is the library's clock, read without a call.
type clock struct {
	began  time.Time
	offset time.Duration
}

// newClock compares the clocks a few times and believes the comparison that took least.
func newClock(b *testing.B, l library) *clock {
	address := l.symbol(b, "bench_clock")
	c := &clock{began: time.Now()}
	least := time.Duration(math.MaxInt64)
	for range 100 {
		now := new(uint64)
		before := time.Since(c.began)
		purego.SyscallN(address, uintptr(unsafe.Pointer(now)))
		if took := time.Since(c.began) - before; took < least {
			least, c.offset = took, time.Duration(*now)-before-took
		}
	}
	require.Less(b, least, 100*time.Microsecond, "the machine is too busy to compare clocks")
	return c
}

func (c *clock) now() time.Duration { return time.Since(c.began) + c.offset }
