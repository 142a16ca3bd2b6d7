package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

const (
	loadGoroutines = 200
	// leastServed is the share of the pools' plain calls that have to succeed.
	leastServed = 0.99
	// mostSlope is the largest permitted growth of resident memory in the long form, in KiB a
	// minute.
	mostSlope = 1 << 10
)

// loadTime returns how long the goroutines work: UFORM_LONG is a duration such as 5m, or anything
// else for ten minutes.
func loadTime() time.Duration {
	if !long() {
		return 2 * time.Second
	}
	return longTime(10 * time.Minute)
}

// counters count how the calls ended.
type counters struct {
	served, failed atomic.Int64 // plain calls of the Pools
	// Calls that were cancelled, and calls that were final before that.
	cancelled, late                                        atomic.Int64
	panicked                                               atomic.Int64
	contended, uncontended                                 atomic.Int64 // on bare executors
	deferred, dropped                                      atomic.Int64
	handlesClosed, refusedByClosing, poolsClosed, describe atomic.Int64
}

func (c *counters) String() string {
	return fmt.Sprintf("calls of the Pools: %d served, %d failed; %d cancelled and %d final before; %d panicked; "+
		"on shared executors %d served and %d contended; deferred: %d waited for, %d dropped; "+
		"%d handles closed under calls, %d calls refused by it; %d pools closed; %d descriptions",
		c.served.Load(), c.failed.Load(), c.cancelled.Load(), c.late.Load(), c.panicked.Load(), c.uncontended.Load(), c.contended.Load(),
		c.deferred.Load(), c.dropped.Load(), c.handlesClosed.Load(), c.refusedByClosing.Load(), c.poolsClosed.Load(), c.describe.Load())
}

// load is one run of many goroutines on one model.
type load struct {
	t       *testing.T
	library *uform.Library
	model   *uform.Model
	verbs   []verb
	alone   map[string]answer
	pools   [2]*uform.Pool // on the caller's threads, and on their own
	shared  []*uform.Executor
	counters
}

// right compares the result of a call that succeeded with the result of the same call alone.
func (l *load) right(v verb, got answer) {
	if !reflect.DeepEqual(l.alone[v.name], got) {
		l.t.Errorf("%s is not what it is alone", v.name)
	}
}

// outcome counts the end of a call that may be cancelled, contended or refused for a closed handle.
// Any other error fails the test.
func (l *load) outcome(v verb, got answer, err error, allowed ...error) error {
	if err == nil {
		l.right(v, got)
		return nil
	}
	for _, one := range allowed {
		if errors.Is(err, one) {
			return one
		}
	}
	l.t.Errorf("%s: %v", v.name, err)
	return err
}

// pooled runs a verb through a pool.
func (l *load) pooled(ctx context.Context, pool *uform.Pool, v verb, progress uform.Handler) (got answer, err error) {
	err = pool.Do(ctx, func(on uform.On, into *uform.Arena) (err error) {
		got, err = v.run(ctx, on, into, progress)
		return err
	})
	return got, err
}

// kinds is the number of values of dice that act distinguishes.
const kinds = 1000

// act does one random thing; dice selects the kind.
func (l *load) act(random *rand.Rand, dice int) {
	v := l.verbs[random.IntN(len(l.verbs))]
	pool := l.pools[random.IntN(2)]
	hear := func(int, int) error { return nil }
	switch {
	case dice < 700:
		if random.IntN(2) == 0 {
			hear = nil
		}
		got, err := l.pooled(background, pool, v, hear)
		if l.outcome(v, got, err) == nil {
			l.served.Add(1)
		} else {
			l.failed.Add(1)
		}
	case dice < 760: // the context ends while the call waits for an executor, or runs
		ctx, cancel := context.WithTimeout(background, time.Duration(random.IntN(1_000_000))*time.Microsecond)
		got, err := l.pooled(ctx, pool, v, nil)
		cancel()
		if l.outcome(v, got, err, uform.ErrCancelled) == nil {
			l.late.Add(1)
		} else {
			l.cancelled.Add(1)
		}
	case dice < 800:
		l.panics(pool, v)
	case dice < 880: // on shared executors without a pool
		l.contend(random, v)
	case dice < 960:
		l.defers(random, v)
	case dice < 985:
		l.closes(random, v)
	case dice < 990:
		description, err := l.model.Describe(background)
		if err != nil || description.Context == 0 {
			l.t.Errorf("%v: %v", description, err)
		}
		l.describe.Add(1)
	default:
		l.closesPool(v)
	}
}

func (l *load) panics(pool *uform.Pool, v verb) {
	defer func() {
		value := recover()
		if raised, ok := value.(*deferred.PanicError); ok && raised.Value == "oh" {
			l.panicked.Add(1)
		} else if value != nil {
			panic(value)
		}
	}()
	got, err := l.pooled(background, pool, v, func(int, int) error { panic("oh") })
	if v.name != "model_describe" {
		l.t.Errorf("%s continues after its handler has panicked: %v, %v", v.name, got, err)
	}
}

func (l *load) contend(random *rand.Rand, v verb) {
	executor := l.shared[random.IntN(len(l.shared))]
	l.onArena(func(arena *uform.Arena) {
		got, err := v.run(background, l.model.On(executor), arena, nil)
		if l.outcome(v, got, err, uform.ErrContended) == nil {
			l.uncontended.Add(1)
		} else {
			l.contended.Add(1)
		}
	})
}

// onArena works with an arena of its own.
func (l *load) onArena(work func(*uform.Arena)) {
	arena, err := l.library.NewArena(nil)
	if err != nil {
		l.t.Error(err)
		return
	}
	work(arena)
	if err := arena.Close(); err != nil {
		l.t.Error(err)
	}
}

// defers submits a call on its own executor, and waits for it or drops it.
func (l *load) defers(random *rand.Rand, v verb) {
	executor, err := l.library.NewExecutor(&uform.ExecutorOptions{Threads: 1 + random.IntN(2), WithCaller: random.IntN(2) == 0})
	if err != nil {
		l.t.Error(err)
		return
	}
	l.onArena(func(arena *uform.Arena) {
		if random.IntN(3) > 0 {
			got, err := v.run(background, waiting{l.model.Deferred(executor)}, arena, nil)
			l.outcome(v, got, err)
			l.deferred.Add(1)
			return
		}
		if _, err := l.model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), arena, nil); err != nil {
			l.t.Error(err)
		}
		l.dropped.Add(1)
	})
	if err := executor.Close(); err != nil {
		l.t.Error(err)
	}
}

// closes closes one handle of its own while a call that names it may run.
func (l *load) closes(random *rand.Rand, v verb) {
	executor, err := l.library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
	if err != nil {
		l.t.Error(err)
		return
	}
	arena, err := l.library.NewArena(executor)
	if err != nil {
		l.t.Error(err)
		return
	}
	closing := []interface{ Close() error }{executor, arena}
	random.Shuffle(2, func(i, j int) { closing[i], closing[j] = closing[j], closing[i] })
	patience := time.Duration(random.IntN(3000)) * time.Microsecond
	var group sync.WaitGroup
	group.Go(func() {
		time.Sleep(patience)
		for _, handle := range closing {
			if err := handle.Close(); err != nil {
				l.t.Error(err)
			}
			l.handlesClosed.Add(1)
		}
	})
	for {
		got, err := v.run(background, l.model.On(executor), arena, nil)
		if l.outcome(v, got, err, uform.ErrClosed) != nil {
			l.refusedByClosing.Add(1)
			break
		}
	}
	group.Wait()
}

// closesPool closes a pool of its own while calls run in it, and wait for it.
func (l *load) closesPool(v verb) {
	pool, err := uform.NewPool(l.model, &uform.PoolOptions{Executors: 1})
	if err != nil {
		l.t.Error(err)
		return
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			got, err := l.pooled(background, pool, v, nil)
			if l.outcome(v, got, err, uform.ErrClosed) != nil {
				l.refusedByClosing.Add(1)
			}
		})
	}
	runtime.Gosched()
	if err := pool.Close(); err != nil {
		l.t.Error(err)
	}
	l.poolsClosed.Add(1)
	group.Wait()
}

// run lets all goroutines work, and samples resident memory every interval.
func (l *load) run(duration, interval time.Duration) (minutes, kibibytes []float64) {
	for i, options := range []*uform.PoolOptions{{Executors: 3}, {Executors: 2, Executor: &uform.ExecutorOptions{Threads: 2}}} {
		pool, err := uform.NewPool(l.model, options)
		require.NoError(l.t, err)
		l.pools[i] = pool
	}
	for _, options := range []*uform.ExecutorOptions{{Threads: 1, WithCaller: true}, {Threads: 1}, {Threads: 2}} {
		executor, err := l.library.NewExecutor(options)
		require.NoError(l.t, err)
		l.shared = append(l.shared, executor)
	}
	begin := time.Now()
	var group sync.WaitGroup
	for seed := range uint64(loadGoroutines) {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(duration)))
			// Every kind occurs, also on a slow machine.
			l.act(random, int(seed)*kinds/loadGoroutines)
			for time.Since(begin) < duration && !l.t.Failed() {
				l.act(random, random.IntN(kinds))
			}
		})
	}
	for time.Since(begin) < duration-interval && !l.t.Failed() {
		time.Sleep(interval)
		minutes = append(minutes, time.Since(begin).Minutes())
		kibibytes = append(kibibytes, float64(resident(l.t))/1024)
	}
	group.Wait()
	for _, pool := range l.pools {
		require.NoError(l.t, pool.Close())
	}
	for _, executor := range l.shared {
		require.NoError(l.t, executor.Close())
	}
	l.shared = nil
	return minutes, kibibytes
}

// slope is the slope of the least-squares line through points.
func slope(x, y []float64) float64 {
	var sumX, sumY, sumXX, sumXY float64
	for i := range x {
		sumX, sumY, sumXX, sumXY = sumX+x[i], sumY+y[i], sumXX+x[i]*x[i], sumXY+x[i]*y[i]
	}
	n := float64(len(x))
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

// Two hundred goroutines do everything at once: every verb, through pools and on bare executors,
// deferred, cancelled, with handlers that panic, while handles and pools are closed. Each call that
// succeeds has the same result as alone. At the end there are as much memory and as many goroutines
// and threads as before.
func TestLoad(t *testing.T) {
	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		model, err := mini.Load(background, library, nil)
		require.NoError(t, err)
		l := &load{t: t, library: library, model: model}
		l.verbs, l.alone = served(t, model)
		live := func() int64 { return 0 }
		if t.Name() == "TestLoad/native" {
			control := loadertest.NeedControl(t)
			live = func() int64 { return control.Ask("live_allocations", 0, nil) }
		}
		l.run(loadTime()/6, time.Hour) // until memory no longer grows
		require.False(t, t.Failed())
		settled := func() (goroutines, threads int, allocations int64) {
			runtime.GC() // also closes dropped handles
			runtime.GC()
			return runtime.NumGoroutine(), foreignThreads(t), live()
		}
		goroutines, threads, allocations := settled()
		before := resident(t)
		l.counters = counters{}
		minutes, kibibytes := l.run(loadTime(), max(loadTime()/60, time.Second))
		require.False(t, t.Failed())
		after := resident(t)
		quiet(t, goroutines)
		_, threadsAfter, allocationsAfter := settled()
		require.LessOrEqual(t, threadsAfter, threads, "threads that are not Go's")
		require.Equal(t, allocations, allocationsAfter, "allocations of the library, including its threads")

		t.Log(&l.counters)
		share := float64(l.served.Load()) / float64(l.served.Load()+l.failed.Load())
		t.Logf("%v: %.3f %% of the Pools' calls succeeded; %d KiB resident before, %d KiB after; %d goroutines before and after",
			loadTime(), 100*share, before>>10, after>>10, goroutines)
		require.GreaterOrEqual(t, share, leastServed)
		for what, count := range map[string]*atomic.Int64{
			"panicked": &l.panicked, "deferred": &l.deferred, "dropped": &l.dropped,
			"refused by closing": &l.refusedByClosing, "pools closed": &l.poolsClosed, "described": &l.describe,
		} {
			require.Positive(t, count.Load(), what)
		}
		require.Positive(t, l.cancelled.Load()+l.late.Load())
		if long() && before > 0 {
			growing := slope(minutes, kibibytes)
			t.Logf("slope of resident memory: %.1f KiB a minute over %d samples", growing, len(minutes))
			require.Less(t, growing, float64(mostSlope))
			require.Positive(t, l.contended.Load())
			require.Positive(t, l.cancelled.Load())
		}
		require.NoError(t, model.Close())
	})
}
