package engine_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// listener records reports, and fails the test if two of one call overlap.
type listener struct {
	t       testing.TB
	inside  atomic.Int32
	mutex   sync.Mutex
	reports [][2]uintptr
	// answer returns the result of report number n, counted from 1; nil continues.
	answer func(n int, finished, total uintptr) bool
}

func (l *listener) hear(finished, total uintptr) bool {
	if l.inside.Add(1) != 1 {
		l.t.Error("two reports of one call at once")
	}
	defer l.inside.Add(-1)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.reports = append(l.reports, [2]uintptr{finished, total})
	return l.answer == nil || l.answer(len(l.reports), finished, total)
}

// listen installs a listener in a call.
func (w *world) listen(e *encoding, answer func(n int, finished, total uintptr) bool) *listener {
	l := &listener{t: w.t, answer: answer}
	e.Progress, e.ProgressState = abi.Progress(w.ProgressCallback), abi.HoldProgress(l.hear)
	w.t.Cleanup(func() { abi.ReleaseProgress(e.ProgressState) })
	return l
}

func TestProgressReports(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	texts := sentences(200)
	for name, executor := range map[string]abi.Executor{
		"calling thread": 0, "inline": w.inline(), "two": w.executor(2, abi.CallerInclusive), "five": w.executor(5, abi.CallerExclusive),
	} {
		t.Run(name, func(t *testing.T) {
			e := w.encoding(m, w.arena(), texts...).on(executor)
			l := w.listen(e, nil)
			w.succeeds(e)
			require.Equal(t, [2]uintptr{0, 200}, l.reports[0])
			require.Equal(t, [2]uintptr{200, 200}, l.reports[len(l.reports)-1])
			counts := map[uintptr]bool{}
			for i, report := range l.reports[1:] {
				require.EqualValues(t, 200, report[1])
				require.GreaterOrEqual(t, report[0], l.reports[i][0], "finished went back")
				counts[report[0]] = true
			}
			require.Greater(t, len(counts), 10, "as many counts as there are slices")
		})
	}
}

// TestLongItemReports shows that a single item is reported while it runs.
func TestLongItemReports(t *testing.T) {
	w := newWorld(t)
	m := w.load(long())
	texts := []string{strings.Repeat("one ", 200), strings.Repeat("two ", 200)}
	e := w.encoding(m, w.arena(), texts...)
	l := w.listen(e, nil)
	w.succeeds(e)
	unchanged := map[uintptr]int{}
	for _, report := range l.reports {
		unchanged[report[0]]++
	}
	require.Greater(t, unchanged[0], 2)
	require.Greater(t, unchanged[1], 2)
	require.Equal(t, 1, unchanged[2])

	e = w.encoding(m, w.arena(), texts...)
	w.listen(e, func(n int, finished, _ uintptr) bool { return finished == 0 || n%2 == 0 })
	w.fails(e, abi.StatusCancelled, -1)
	e = w.encoding(m, w.arena(), texts...)
	l = w.listen(e, func(n int, _, _ uintptr) bool { return n < 3 }) // within the first item
	w.fails(e, abi.StatusCancelled, -1)
	require.Equal(t, [][2]uintptr{{0, 2}, {0, 2}, {0, 2}}, l.reports)
}

func TestProgressStops(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	texts := sentences(200)
	executors := map[string]abi.Executor{
		"calling thread": 0, "inline": w.inline(), "two": w.executor(2, abi.CallerInclusive), "three": w.executor(3, abi.CallerExclusive),
	}
	for stop, answer := range map[string]func(n int, finished, total uintptr) bool{
		"first":   func(int, uintptr, uintptr) bool { return false },
		"second":  func(n int, _, _ uintptr) bool { return n != 2 },
		"middle":  func(_ int, finished, total uintptr) bool { return finished < total/2 },
		"panic":   func(int, uintptr, uintptr) bool { panic("of the handler") },
		"a later": func(n int, _, _ uintptr) bool { return n < 5 || panics() },
	} {
		for name, executor := range executors {
			t.Run(stop+" on "+name, func(t *testing.T) {
				arena := w.arena()
				e := w.encoding(m, arena, texts...).on(executor)
				l := w.listen(e, answer)
				w.fails(e, abi.StatusCancelled, -1)
				heard := len(l.reports)
				if stop == "first" || stop == "panic" {
					require.Equal(t, 1, heard)
				}
				require.Less(t, l.reports[heard-1][0], uintptr(200))
				if executor == 0 {
					return
				}
				d := w.encoding(m, arena, texts...).deferred(executor)
				w.listen(d, answer)
				w.TextEncode(&d.TextEncode)
				require.Equal(t, abi.StatusCancelled, w.OutcomeWait(&d.outcome))
				requireFailure(t, &d.outcome, abi.StatusCancelled, -1)
				require.Zero(t, d.embeddings)
				w.succeeds(w.encoding(m, arena, "all is free again").on(executor))
			})
		}
	}
}

func panics() bool { panic("of the handler") }

// TestLastReportIsNotAQuestion shows that a finished call cannot be stopped.
func TestLastReportIsNotAQuestion(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	for name, last := range map[string]func() bool{"answered": func() bool { return false }, "panicking": panics} {
		t.Run(name, func(t *testing.T) {
			e := w.encoding(m, w.arena(), sentences(50)...)
			w.listen(e, func(_ int, finished, total uintptr) bool { return finished < total || last() })
			w.succeeds(e)
		})
	}
}

// TestProgressOfNothing has no work to report after the first report, which can stop it.
func TestProgressOfNothing(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	e := w.encoding(m, w.arena())
	l := w.listen(e, nil)
	w.succeeds(e)
	require.Equal(t, [][2]uintptr{{0, 0}}, l.reports)
	e = w.encoding(m, w.arena())
	w.listen(e, func(int, uintptr, uintptr) bool { return false })
	w.fails(e, abi.StatusCancelled, -1)
}

// TestProgressWithoutHandler reports to a state without a handler.
func TestProgressWithoutHandler(t *testing.T) {
	w := newWorld(t)
	e := w.encoding(w.load(tiny()), w.arena(), "text")
	e.Progress = abi.Progress(w.ProgressCallback)
	w.succeeds(e)
}
