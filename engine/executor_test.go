package engine_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
)

func TestExecutorInit(t *testing.T) {
	w := newWorld(t)
	for name, row := range map[string]struct {
		arguments abi.ExecutorInit
		threads   int
		workers   int
	}{
		"defaults":        {abi.ExecutorInit{}, runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0) - 1},
		"one inclusive":   {abi.ExecutorInit{Threads: 1}, 1, 0},
		"three inclusive": {abi.ExecutorInit{Threads: 3, MemoryDomains: 1}, 3, 2},
		"one exclusive":   {abi.ExecutorInit{Threads: 1, Exclusivity: abi.CallerExclusive}, 1, 1},
		"three exclusive": {abi.ExecutorInit{Threads: 3, Exclusivity: abi.CallerExclusive, Mood: abi.MoodSpinning}, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var executor abi.Executor
			var outcome abi.Outcome
			arguments := row.arguments
			arguments.Executor, arguments.Outcome = &executor, &outcome
			w.ExecutorInit(&arguments)
			requireSuccess(t, &outcome)
			workers, left := w.inside.Workers(executor)
			require.Equal(t, row.workers, workers)
			description := abi.ExecutorDescription{DevicesCount: 9, Streams: 9, ScratchBytes: 9}
			w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: executor, Outcome: &outcome, Description: &description})
			requireSuccess(t, &outcome)
			require.Equal(t, abi.ExecutorDescription{
				Residency: abi.ResidencyRAM, Device: -1, MemoryDomainsCount: 1,
				Exclusivity: arguments.Exclusivity, Mood: arguments.Mood, Threads: uint32(row.threads),
			}, description)
			w.ExecutorFree(executor)
			left()
		})
	}
	for name, arguments := range map[string]abi.ExecutorInit{
		"reserved":    {Reserved: 1},
		"domains":     {MemoryDomains: 2},
		"threads":     {Threads: engine.MaxThreads + 1},
		"exclusivity": {Exclusivity: 2},
		"mood":        {Mood: -1},
	} {
		t.Run(name, func(t *testing.T) {
			executor := abi.Executor(9)
			var outcome abi.Outcome
			arguments.Executor, arguments.Outcome = &executor, &outcome
			w.ExecutorInit(&arguments)
			requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
			require.Zero(t, executor)
		})
	}
	var outcome abi.Outcome
	w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: w.inline(), Outcome: &outcome})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	w.ExecutorDrain(&abi.ExecutorDrain{Outcome: &outcome})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	w.ExecutorFree(0)
}

// TestGoroutinesLeave makes and frees executors of every kind, after work and without.
func TestGoroutinesLeave(t *testing.T) {
	w := newWorld(t)
	m, arena := w.load(tiny()), w.arena()
	before := runtime.NumGoroutine()
	for i := range 20 {
		var executor abi.Executor
		w.ExecutorInit(&abi.ExecutorInit{
			Executor: &executor, Threads: uint32(i%5 + 1), Exclusivity: abi.CallerExclusivity(i % 2), Mood: abi.Mood(i / 2 % 2),
		})
		_, left := w.inside.Workers(executor)
		if i%3 > 0 {
			w.succeeds(w.encoding(m, arena, sentences(20)...).on(executor))
		}
		w.ExecutorFree(executor)
		left()
	}
	// a goroutine that has returned is counted a little longer
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

// TestRunningCallContends has one call running and tries everything that needs its handles.
func TestRunningCallContends(t *testing.T) {
	w := newWorld(t)
	m, arena, executor := w.load(tiny()), w.arena(), w.owned()
	running := w.encoding(m, arena, "running").deferred(executor)
	g := w.running(running)
	require.True(t, w.inside.Busy(executor))

	other := w.arena()
	w.fails(w.encoding(m, other, "x").deferred(executor), abi.StatusContended, -1)
	w.fails(w.encoding(m, other, "x").on(executor), abi.StatusContended, -1)
	w.fails(w.encoding(m, arena, "x"), abi.StatusContended, -1)
	w.fails(w.encoding(m, arena, "x").deferred(w.inline()), abi.StatusContended, -1)
	c := w.choosing(m, arena, []string{"x"}, []string{"ab"})
	w.failsToChoose(c, abi.StatusContended, -1)
	var loaded abi.Model
	var outcome abi.Outcome
	w.ModelLoadBytes(&abi.ModelLoad{Model: &loaded, Executor: executor, Outcome: &outcome}, checkpoint(t, bare()))
	requireFailure(t, &outcome, abi.StatusContended, -1)
	w.ModelDescribe(&abi.ModelDescribe{Model: m, Executor: executor, Outcome: &outcome, Description: &abi.ModelDescription{}})
	requireFailure(t, &outcome, abi.StatusContended, -1)
	// A wrong argument is reported before contention.
	w.fails(w.encoding(m, arena, "x").on(1), abi.StatusInvalidArgument, -1)

	w.succeeds(w.encoding(m, other, "elsewhere")) // the model serves any number of calls
	growths, _ := w.inside.Arena(other)
	require.Equal(t, 1, growths)
	g.open()
	w.wait(running)
	require.False(t, w.inside.Busy(executor))
	w.succeeds(w.encoding(m, arena, "free again").on(executor))
}

// TestBlockingCallContends is the same for a blocking call, whose executor takes the calling
// goroutine.
func TestBlockingCallContends(t *testing.T) {
	w := newWorld(t)
	m, arena, executor := w.load(tiny()), w.arena(), w.executor(2, abi.CallerInclusive)
	blocking := w.encoding(m, arena, "blocking").on(executor)
	g := w.gate(&blocking.Progress, &blocking.ProgressState)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.TextEncode(&blocking.TextEncode)
	}()
	<-g.entered
	w.fails(w.encoding(m, w.arena(), "x").on(executor), abi.StatusContended, -1)
	w.fails(w.encoding(m, w.arena(), "x").deferred(executor), abi.StatusContended, -1)
	w.fails(w.encoding(m, arena, "x"), abi.StatusContended, -1)
	g.open()
	<-ended
	requireSuccess(t, &blocking.outcome)
}

func TestDrainWaits(t *testing.T) {
	w := newWorld(t)
	running := w.encoding(w.load(tiny()), w.arena(), "running").deferred(w.owned())
	g := w.running(running)
	drained := make(chan abi.Status)
	go func() {
		w.ExecutorDrain(&abi.ExecutorDrain{Executor: running.Executor})
		drained <- w.OutcomeStatus(&running.outcome)
	}()
	g.open()
	require.Equal(t, abi.StatusSuccess, <-drained)
	w.wait(running)
	var outcome abi.Outcome
	// nothing to wait for
	w.ExecutorDrain(&abi.ExecutorDrain{Executor: running.Executor, Outcome: &outcome})
	requireSuccess(t, &outcome)
}

// TestFreesWait frees what a running call names: the id is stale at once, and the free returns when
// the call is final.
func TestFreesWait(t *testing.T) {
	for name, row := range map[string]struct {
		free func(*world, *encoding)
		gone func(*world, *encoding, *abi.Outcome)
	}{
		"arena": {
			func(w *world, e *encoding) { w.ArenaFree(e.Arena) },
			func(w *world, e *encoding, outcome *abi.Outcome) {
				w.ArenaDescribe(&abi.ArenaDescribe{Arena: e.Arena, Outcome: outcome, Description: &abi.ArenaDescription{}})
			},
		},
		"model": {
			func(w *world, e *encoding) { w.ModelFree(e.Model) },
			func(w *world, e *encoding, outcome *abi.Outcome) {
				w.ModelDescribe(&abi.ModelDescribe{Model: e.Model, Outcome: outcome, Description: &abi.ModelDescription{}})
			},
		},
		"executor": {
			func(w *world, e *encoding) { w.ExecutorFree(e.Executor) },
			func(w *world, e *encoding, outcome *abi.Outcome) {
				w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: e.Executor, Outcome: outcome, Description: &abi.ExecutorDescription{}})
			},
		},
	} {
		for kind, start := range map[string]func(*world, *encoding) *gate{
			"deferred": func(w *world, e *encoding) *gate { return w.running(e.deferred(w.owned())) },
			"blocking": func(w *world, e *encoding) *gate {
				e.on(w.inline())
				g := w.gate(&e.Progress, &e.ProgressState)
				go w.TextEncode(&e.TextEncode)
				<-g.entered
				return g
			},
		} {
			t.Run(name+" of a "+kind+" call", func(t *testing.T) {
				w := newWorld(t)
				e := w.encoding(w.load(tiny()), w.arena(), "running")
				g := start(w, e)
				freed := make(chan abi.Status)
				go func() {
					row.free(w, e)
					freed <- w.OutcomeStatus(&e.outcome)
				}()
				for outcome := (abi.Outcome{}); outcome.Status != abi.StatusInvalidArgument; runtime.Gosched() {
					row.gone(w, e, &outcome) // until the free has begun
				}
				g.open()
				require.Equal(t, abi.StatusSuccess, <-freed)
			})
		}
	}
}

// TestFreeOnTheCallingThread is the same for a call without an executor.
func TestFreeOnTheCallingThread(t *testing.T) {
	w := newWorld(t)
	e := w.encoding(w.load(tiny()), w.arena(), "running")
	g := w.gate(&e.Progress, &e.ProgressState)
	go w.TextEncode(&e.TextEncode)
	<-g.entered
	freed := make(chan abi.Status)
	go func() {
		w.ModelFree(e.Model)
		freed <- w.OutcomeStatus(&e.outcome)
	}()
	for outcome := (abi.Outcome{}); outcome.Status != abi.StatusInvalidArgument; runtime.Gosched() {
		w.ModelDescribe(&abi.ModelDescribe{Model: e.Model, Outcome: &outcome, Description: &abi.ModelDescription{}})
	}
	g.open()
	require.Equal(t, abi.StatusSuccess, <-freed)
}

// TestCallsWithoutExecutorRunAtOnce has several of them inside one model at one time.
func TestCallsWithoutExecutorRunAtOnce(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	want := floats(w.succeeds(w.encoding(m, w.arena(), "text")).embeddings, 1)
	calls := make([]*encoding, 2*runtime.GOMAXPROCS(0)+1)
	gates := make([]*gate, len(calls))
	ended := make(chan struct{})
	for i := range calls {
		calls[i] = w.encoding(m, w.arena(), "text")
		gates[i] = w.gate(&calls[i].Progress, &calls[i].ProgressState)
		go func() {
			w.TextEncode(&calls[i].TextEncode)
			ended <- struct{}{}
		}()
	}
	for _, g := range gates {
		<-g.entered
	}
	for _, g := range gates {
		g.open()
	}
	for range calls {
		<-ended
	}
	for _, e := range calls {
		requireSuccess(t, &e.outcome)
		require.Equal(t, want, floats(e.embeddings, 1))
	}
}

func TestScratchGrowsToItsMost(t *testing.T) {
	w := newWorld(t)
	m, arena := w.load(tiny()), w.arena()
	scratch := func(executor abi.Executor) uint64 {
		var description abi.ExecutorDescription
		w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: executor, Description: &description})
		return description.ScratchBytes
	}
	for _, exclusivity := range []abi.CallerExclusivity{abi.CallerInclusive, abi.CallerExclusive} {
		executor := w.executor(1, exclusivity)
		require.Zero(t, scratch(executor))
		w.succeeds(w.encoding(m, arena, "small").on(executor))
		small := scratch(executor)
		require.NotZero(t, small)
		large := sentences(40)
		w.succeeds(w.encoding(m, arena, large...).on(executor))
		most := scratch(executor)
		require.Greater(t, most, small)
		for range 10 {
			w.succeeds(w.encoding(m, arena, "small").on(executor))
			w.succeeds(w.encoding(m, arena, large...).on(executor))
		}
		require.Equal(t, most, scratch(executor))
	}
}

// TestFreeFromANotification frees an executor on its own worker.
func TestFreeFromANotification(t *testing.T) {
	w := newWorld(t)
	executor := w.owned()
	_, left := w.inside.Workers(executor)
	e := w.encoding(w.load(tiny()), w.arena(), "running").deferred(executor)
	g := w.running(e)
	w.OnFinal(&e.outcome, func() { w.ExecutorFree(executor) })
	g.open()
	left()
	w.wait(e)
}
