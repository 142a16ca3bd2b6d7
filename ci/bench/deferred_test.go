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
	"github.com/unum-cloud/uform-go/internal/inflight"
)

// Deferred calls that do no work and are final after a delay, with a constant number in flight. The
// benchmarks measure the time from the library's store of a call's status until its waiter runs,
// the processor time of the whole process, in hundredths of a core, and the number of threads at
// the end. The library's own thread is part of that; its work is the same for every way of waiting,
// except for running a callback and waking threads.

// BenchmarkDeferredWaiter waits as package deferred does: one goroutine polls all statuses.
func BenchmarkDeferredWaiter(b *testing.B) {
	inFlight(b, func(l library, f *flight) func() {
		call, pending := inflight.Prepare(inflight.Submission{
			Verb: "bench", Library: l.Library, Outcome: &f.outcome, Settle: func(*abi.Outcome) {},
		}, func(*abi.Outcome) (struct{}, error) { return struct{}{}, nil })
		l.TextEncode(&f.arguments)
		pending.Start()
		return func() { <-call.Done() }
	})
}

// BenchmarkDeferredCallback has the library call Go when a call is final. UForm has no such
// callback for every call: this is the best that one could do.
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
// each. It runs last, as its threads stay.
func BenchmarkDeferredThread(b *testing.B) {
	// Go ends a process of 10,000 threads. The raised limit stays: threads are not given back, and
	// lowering the limit below their number ends the process, too.
	debug.SetMaxThreads(1 << 15)
	inFlight(b, func(l library, f *flight) func() {
		l.TextEncode(&f.arguments)
		return func() { l.OutcomeWait(&f.outcome) }
	})
}

// flight is the memory that the library reads and writes during a call. It is pinned from before
// the call to its end.
type flight struct {
	outcome   abi.Outcome
	arguments abi.TextEncode
	_         [abi.ReservedTail]byte
}

// loads are the number of calls in flight, the longest time of one (the shortest is half of it),
// and the number of calls in a round. On average they take 1 ms, 10 ms and 1 s, so that 1,000,
// 6,400 and 10,000 end in a second: with 1 ms each, 10,000 in flight would be ten million a second,
// which measures the machine and not the way of waiting.
var loads = []struct {
	inFlight int
	longest  time.Duration
	calls    int
}{
	{1, 1333 * time.Microsecond, 500},
	{64, 13333 * time.Microsecond, 5_000},
	{10_000, 1333 * time.Millisecond, 30_000},
}

// inFlight measures a way to submit a call and to wait for it. After the wait, the library no
// longer uses the flight.
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

// round makes a number of calls, with a limit of concurrent ones, and returns the delay of each.
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

// fly makes one call that takes a while, and returns the delay between its end and its waiter.
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

// newClock compares the clocks several times and uses the comparison that took the shortest time.
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
