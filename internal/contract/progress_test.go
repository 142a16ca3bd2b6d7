package contract_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// R16–R18: progress.
var progressFacts = []fact{
	{id: "R16", words: "progress_counts_and_a_break_stops_the_call", table: counted, api: countedForTheUser},
	{id: "R17", words: "progress_never_runs_on_two_threads_at_once", table: oneAtATime, api: oneAtATimeForTheUser},
	{id: "R18", words: "a_panic_in_a_handler_stops_the_call_and_resurfaces", api: panics},
}

// reports are the reports that a handler received.
type reports struct {
	finished, total []int
}

func (r *reports) hear(finished, total int) {
	r.finished, r.total = append(r.finished, finished), append(r.total, total)
}

// whole requires that the reports are those of a call that was not stopped.
func (r *reports) whole(t require.TestingT, total int) {
	require.NotEmpty(t, r.finished)
	require.Zero(t, r.finished[0], "nothing is finished before any work")
	require.Equal(t, total, r.finished[len(r.finished)-1], "everything is at the end")
	for i := range r.finished {
		require.Equal(t, total, r.total[i])
		require.LessOrEqual(t, r.finished[i], total)
		require.True(t, i == 0 || r.finished[i-1] <= r.finished[i], "%v", r.finished)
	}
}

// lines returns count texts. A hundred and more take several slices.
func lines(count int) []string {
	texts := make([]string, count)
	for i := range texts {
		texts[i] = fmt.Sprintf("line %d", i)
	}
	return texts
}

func counted(s *seam) {
	p := s.place(flat())
	texts := lines(150)
	for _, executor := range s.executors(p) {
		// Not stopped.
		var heard reports
		e := p.on(executor).encoding(texts...)
		s.listen(&e.Progress, &e.ProgressState, func(finished, total uintptr) bool {
			heard.hear(int(finished), int(total))
			return true
		})
		s.encode(e)
		heard.whole(s, len(texts))
		require.Greater(s, len(heard.finished), 2, "between the slices too")

		// Stopped at the first report, the next, one in the middle, and the last two.
		all := len(heard.finished)
		for _, stop := range []int{0, 1, all / 2, all - 2, all - 1} {
			var until reports
			e := p.on(executor).encoding(texts...)
			s.listen(&e.Progress, &e.ProgressState, func(finished, total uintptr) bool {
				until.hear(int(finished), int(total))
				for range 200 {
					runtime.Gosched() // other threads finish slices, which they must not report
				}
				return len(until.finished) <= stop
			})
			s.table.TextEncode(&e.TextEncode)
			if last := until.finished[len(until.finished)-1]; last == len(texts) {
				s.succeeded(&e.outcome) // it is too late to stop what is finished
				continue
			}
			s.failed(&e.outcome, abi.StatusCancelled, -1)
			s.leftNothing(e)
			require.Len(s, until.finished, stop+1, "nothing is reported once the handler asked to stop")
		}
	}
	choiceCounts(s)
	withinAnItem(s)
	loadCounts(s)
}

// choiceCounts shows the reports of the other verb.
func choiceCounts(s *seam) {
	p := s.place(full())
	var scored reports
	c := p.choosing(lines(80), strings.Split(strings.Repeat("ab,", 79)+"ab", ","))
	s.listen(&c.Progress, &c.ProgressState, func(finished, total uintptr) bool {
		scored.hear(int(finished), int(total))
		return true
	})
	s.choose(c)
	scored.whole(s, 80)
}

// withinAnItem shows that a break takes effect within a long item.
func withinAnItem(s *seam) {
	p := s.place(long())
	text := strings.Repeat("one long text ", 100)
	e := p.encoding(text)
	zeroes := 0
	s.listen(&e.Progress, &e.ProgressState, func(finished, _ uintptr) bool {
		if finished == 0 {
			zeroes++
		}
		return zeroes < 2
	})
	s.refused(e, abi.StatusCancelled, -1)
	require.Equal(s, 2, zeroes)
}

// loadCounts shows that a load reports in bytes.
func loadCounts(s *seam) {
	executor := s.executor()
	for _, goesOn := range []bool{true, false} {
		var heard reports
		b := &struct {
			abi.ModelLoad
			outcome abi.Outcome
			model   abi.Model
		}{model: 77}
		b.ModelLoad = abi.ModelLoad{
			Model: &b.model, Executor: executor, Outcome: plant(&b.outcome), Path: abi.CText(full().path(s.T)),
		}
		s.listen(&b.Progress, &b.ProgressState, func(finished, total uintptr) bool {
			heard.hear(int(finished), int(total))
			return goesOn
		})
		if s.onDevice {
			s.table.ModelLoadVRAM(&b.ModelLoad)
		} else {
			s.table.ModelLoad(&b.ModelLoad)
		}
		if goesOn {
			s.succeeded(&b.outcome)
			heard.whole(s, len(full().file))
			s.table.ModelFree(b.model)
			continue
		}
		s.failed(&b.outcome, abi.StatusCancelled, -1)
		require.Zero(s, b.model)
		require.Len(s, heard.finished, 1)
	}
}

func countedForTheUser(u *user) {
	at := u.seat(flat())
	texts := uform.Strings(lines(150))
	var heard reports
	_, err := at.model.On(at.executor).TextEncode(background, texts, at.arena, u.both(func(finished, total int) error {
		heard.hear(finished, total)
		return nil
	}))
	require.NoError(u, err)
	heard.whole(u, 150)

	stop := errors.New("enough")
	_, err = at.model.On(at.executor).TextEncode(background, texts, at.arena, u.both(func(finished, _ int) error {
		if finished > 0 {
			return stop
		}
		return nil
	}))
	require.ErrorIs(u, err, uform.ErrCancelled)
	require.ErrorIs(u, err, stop)

	// A context is a handler that breaks once it ends.
	ctx, cancel := context.WithCancelCause(background)
	cause := errors.New("the client left")
	_, err = at.model.On(at.executor).TextEncode(ctx, texts, at.arena, u.both(func(finished, _ int) error {
		cancel(cause)
		return nil
	}))
	require.ErrorIs(u, err, uform.ErrCancelled)
	require.ErrorIs(u, err, cause)
	u.encode(at, "usable as before")
}

func oneAtATime(s *seam) {
	p := s.place(flat())
	texts := lines(400)
	for _, executor := range s.executors(p) {
		for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
			if executor == 0 && completion == abi.CompletionDeferring {
				continue
			}
			e := p.on(executor).encoding(texts...)
			e.Completion = completion
			var inside, most, calls atomic.Int32
			s.listen(&e.Progress, &e.ProgressState, func(uintptr, uintptr) bool {
				most.Store(max(most.Load(), inside.Add(1)))
				calls.Add(1)
				for range 20 {
					runtime.Gosched()
				}
				inside.Add(-1)
				return true
			})
			s.table.TextEncode(&e.TextEncode)
			s.wait(e)
			require.EqualValues(s, 1, most.Load())
			require.Greater(s, calls.Load(), int32(2))
		}
	}
}

func oneAtATimeForTheUser(u *user) {
	executors := []*uform.Executor{u.executor()}
	if !u.onDevice {
		executors = append(executors, u.threads(&uform.ExecutorOptions{Threads: 3}))
	}
	for _, executor := range executors {
		at := u.seatOn(executor, flat())
		var inside, most atomic.Int32
		call, err := at.model.Deferred(executor).TextEncode(background, uform.Strings(lines(400)), at.arena,
			u.both(func(int, int) error {
				most.Store(max(most.Load(), inside.Add(1)))
				runtime.Gosched()
				inside.Add(-1)
				return nil
			}))
		require.NoError(u, err)
		u.wait(call)
		require.EqualValues(u, 1, most.Load())
	}
}

func panics(u *user) {
	at := u.seat(full())
	texts := uform.Strings(lines(150))
	value := errors.New("a fault of the handler")
	calls := 0
	panicking := u.both(func(int, int) error {
		calls++
		panic(value)
	})
	resurfaces := func(receiver string, verb func()) {
		u.Helper()
		calls = 0
		err := raised(verb)
		var raised *uform.PanicError
		require.ErrorAs(u, err, &raised, receiver)
		require.Equal(u, any(value), raised.Value)
		require.ErrorIs(u, err, value)
		require.Contains(u, string(raised.Stack), "panics", "the handler's stack")
		require.Equal(u, 1, calls, "it stops the call like a break")
	}
	if !u.onDevice {
		resurfaces("bare", func() { at.model.TextEncode(background, texts, at.arena, panicking) })
	}
	resurfaces("on", func() { at.model.On(at.executor).TextEncode(background, texts, at.arena, panicking) })
	resurfaces("deferred", func() {
		call, err := at.model.Deferred(at.executor).TextEncode(background, texts, at.arena, panicking)
		require.NoError(u, err)
		comes(u.T, call.Done())
		require.ErrorIs(u, call.Status(), uform.ErrCancelled, "status does not panic")
		for range 2 {
			require.Error(u, raised(func() { call.Wait(background) }), "every wait raises it")
		}
		call.Wait(background)
	})
	full().encodesLike(u.T, []string{"usable as before"}, u.read(u.encode(at, "usable as before")))
	panicsOfDroppedCalls(u, value)
}

// panicsOfDroppedCalls shows the effect of a panic in a call that is not waited for: it ends only
// that call, and an observer receives it.
func panicsOfDroppedCalls(u *user, value error) {
	u, _ = u.counted()
	heard := make(failures, 1)
	u.library.Observe(&uform.Observer{Logger: slog.New(heard)})
	executors := []*uform.Executor{u.executor()}
	if !u.onDevice {
		executors = append(executors, u.holder())
	}
	for _, executor := range executors {
		at := u.seatOn(executor, full())
		func() {
			_, err := at.model.Deferred(executor).TextEncode(background, uform.Strings(lines(150)), at.arena,
				u.both(func(int, int) error { panic(value) }))
			require.NoError(u, err)
		}()
		until(u.T, func() bool {
			runtime.GC() // which runs what an executor only holds
			return len(heard) == 1
		})
		err := <-heard
		var raised *uform.PanicError
		require.ErrorAs(u, err, &raised)
		require.Equal(u, any(value), raised.Value)
		require.ErrorIs(u, err, uform.ErrCancelled)
		until(u.T, func() bool {
			_, err := at.model.On(executor).TextEncode(background, uform.Strings([]string{"usable"}), at.arena, nil)
			return err == nil
		})
	}
}

// failures is a log handler that passes on the errors of cancelled calls.
type failures chan error

func (f failures) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (f failures) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(attribute slog.Attr) bool {
		if err, failed := attribute.Value.Any().(error); failed && errors.Is(err, uform.ErrCancelled) {
			f <- err
		}
		return true
	})
	return nil
}

func (f failures) WithAttrs([]slog.Attr) slog.Handler { return f }

func (f failures) WithGroup(string) slog.Handler { return f }
