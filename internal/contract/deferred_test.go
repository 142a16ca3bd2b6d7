package contract_test

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
)

// R08–R15: deferred calls.
var deferredFacts = []fact{
	{id: "R08", words: "status_never_blocks", table: statusNeverBlocks, api: statusNeverBlocksTheUser},
	{id: "R09", words: "wait_may_run_on_another_thread", table: waitElsewhere, api: waitOnAnotherGoroutine},
	{id: "R10", words: "a_poll_reads_the_status_and_still_waits_at_last", table: polled, api: polledByTheUser},
	{id: "R11", words: "dropping_an_unfinished_call_waits_for_it", api: dropped},
	{id: "R12", words: "one_box_owns_outcome_arguments_and_inputs_until_the_call_is_final", api: oneBox},
	{id: "R13", words: "a_deferred_call_owns_its_inputs", api: ownInputs},
	{id: "R14", words: "an_executor_without_threads_holds_a_call_until_somebody_needs_it", table: heldUntilNeeded, api: heldUntilTheUserNeedsIt,
		absent: reasons{simulated: alwaysOwn}},
	{id: "R15", words: "draining_makes_the_call_final", table: drained, api: drainedByTheUser},
}

func statusNeverBlocks(s *seam) {
	p := s.place(full())
	e := p.encoding("in flight")
	g := s.running(e)
	require.Equal(s, abi.StatusDeferred, s.table.OutcomeStatus(&e.outcome))
	g.Open()
	s.wait(e)
	require.Equal(s, abi.StatusSuccess, s.table.OutcomeStatus(&e.outcome))
	bad := p.encoding("\xFF")
	g = s.running(bad)
	g.Open()
	s.table.OutcomeWait(&bad.outcome)
	require.Equal(s, abi.StatusMalformed, s.table.OutcomeStatus(&bad.outcome))
}

func statusNeverBlocksTheUser(u *user) {
	at := u.seat(full())
	call, g := u.running(at, "in flight")
	require.ErrorIs(u, call.Status(), uform.ErrDeferred)
	g.Open()
	u.wait(call)
	require.NoError(u, call.Status())
	bad, g := u.running(at, "\xFF")
	g.Open()
	comes(u.T, bad.Done())
	require.ErrorIs(u, bad.Status(), uform.ErrMalformed)
	_, err := bad.Wait(background)
	require.ErrorIs(u, err, uform.ErrMalformed)
}

func waitElsewhere(s *seam) {
	p := s.place(full())
	e := p.encoding("waited for by another thread")
	g := s.running(e)
	waited := make(chan abi.Status, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		waited <- s.table.OutcomeWait(&e.outcome)
	}()
	stays(s.T, waited)
	g.Open()
	require.Equal(s, abi.StatusSuccess, comes(s.T, waited))
	s.succeeded(&e.outcome)
}

func waitOnAnotherGoroutine(u *user) {
	at := u.seat(full())
	call, g := u.running(at, "waited for by two goroutines")
	waited := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := call.Wait(background)
			waited <- err
		}()
	}
	stays(u.T, waited)
	g.Open()
	require.NoError(u, comes(u.T, waited))
	require.NoError(u, comes(u.T, waited))
}

func polled(s *seam) {
	p := s.place(full())
	e := p.encoding("polled")
	g := s.running(e)
	g.Open()
	until(s.T, func() bool { return s.table.OutcomeStatus(&e.outcome) != abi.StatusDeferred })
	require.Equal(s, abi.StatusSuccess, s.table.OutcomeWait(&e.outcome), "the last poll still waits, at once")
	s.succeeded(&e.outcome)
	full().encodesLike(s.T, []string{"polled"}, s.read(e))
}

// polledByTheUser shows that the wait of the library is called before the call is done, once for
// each outcome, however the end was noticed.
func polledByTheUser(u *user) {
	u, counted := u.counted()
	at := u.seat(full())
	waits := int64(0)
	waited := func(how string) {
		u.Helper()
		waits++
		require.Equal(u, waits, counted.waits.Load(), how)
	}
	call, g := u.running(at, "polled")
	require.Zero(u, counted.waits.Load(), "before the call is final")
	g.Open()
	until(u.T, func() bool { return call.Status() != uform.ErrDeferred })
	full().encodesLike(u.T, []string{"polled"}, u.read(u.wait(call)))
	waited("polled, then waited for")
	u.wait(call)
	require.Equal(u, waits, counted.waits.Load(), "an outcome is waited for once")

	call, g = u.running(at, "selected on")
	g.Open()
	comes(u.T, call.Done())
	waited("selected on")

	call, g = u.running(at, "drained")
	g.Open()
	require.NoError(u, at.executor.Drain())
	comes(u.T, call.Done())
	waited("drained")

	call, g = u.running(at, "refused later", "\xFF")
	g.Open()
	comes(u.T, call.Done())
	require.ErrorIs(u, call.Status(), uform.ErrMalformed)
	waited("refused later")

	options := &uform.TextOptions{Outputs: uform.States, Scalar: uform.I8}
	_, err := at.model.Deferred(at.executor).TextEncode(background, uform.Strings([]string{"x"}), at.arena, options)
	require.ErrorIs(u, err, uform.ErrUnsupported)
	waited("refused at submission")
}

func dropped(u *user) {
	executors := []*uform.Executor{u.executor()}
	if !u.onDevice {
		executors = append(executors, u.holder())
	}
	for _, executor := range executors {
		at := u.seatOn(executor, full())
		var finished atomic.Bool
		func() {
			_, err := at.model.Deferred(executor).TextEncode(background, uform.Strings([]string{"nobody waits"}), at.arena,
				u.both(func(done, total int) error {
					finished.Store(done == total)
					return nil
				}))
			require.NoError(u, err)
		}()
		until(u.T, func() bool {
			runtime.GC()
			return finished.Load()
		})
		// Its arena and its executor become free by themselves.
		texts := uform.Strings([]string{"the next"})
		until(u.T, func() bool {
			encoded, err := at.model.On(executor).TextEncode(background, texts, at.arena, both)
			if err == nil {
				full().encodesLike(u.T, []string{"the next"}, u.read(encoded))
				return true
			}
			require.ErrorIs(u, err, uform.ErrContended)
			return false
		})
	}
}

func oneBox(u *user) {
	at := u.seat(full())
	texts := []string{"read until the call is final", "whatever the collector does"}
	call, g := u.running(at, texts...)
	var litter [][]byte
	for range 3 {
		runtime.GC()
		for range 2000 {
			litter = append(litter, make([]byte, 64), make([]byte, 256))
		}
	}
	runtime.KeepAlive(litter)
	g.Open()
	full().encodesLike(u.T, texts, u.read(u.wait(call)))
	boxIsLetGo(u)
}

// boxIsLetGo shows with the garbage collector what a box owns, and until when. The outcome, the
// argument struct and the views of the outputs are one object. The bytes of the inputs are another
// array, which only this object refers to.
func boxIsLetGo(u *user) {
	on, plain, table := *u.implementation, u.table, *u.table
	var box, data, offsets atomic.Bool
	var parts []uintptr
	table.TextEncode = func(arguments *abi.TextEncode) {
		collected := func(at *atomic.Bool) { at.Store(true) }
		runtime.AddCleanup(arguments, collected, &box)
		runtime.AddCleanup((*byte)(arguments.Texts.Data), collected, &data)
		runtime.AddCleanup(arguments.Texts.Offsets, collected, &offsets)
		parts = []uintptr{
			uintptr(unsafe.Pointer(arguments)), uintptr(unsafe.Pointer(arguments.Outcome)),
			uintptr(unsafe.Pointer(arguments.Embeddings)), uintptr(unsafe.Pointer(arguments.States)),
		}
		plain.TextEncode(arguments)
	}
	on.table, on.library = &table, uform.OpenTable(&table)
	u = &user{T: u.T, implementation: &on}

	at := u.seat(full())
	call, g := u.running(at, strings.Repeat("an array of its own ", 10), "and one for offsets")
	const most = 1 << 10
	require.Less(u, slices.Max(parts)-slices.Min(parts), uintptr(most), "one box")
	for range 3 {
		runtime.GC()
		runtime.Gosched()
	}
	require.False(u, box.Load() || data.Load() || offsets.Load(), "the library still reads it")
	g.Open()
	u.wait(call)
	collects := func(what *atomic.Bool) {
		u.Helper()
		until(u.T, func() bool {
			runtime.GC()
			return what.Load()
		})
	}
	collects(&data)
	collects(&offsets)
	runtime.KeepAlive(call) // which does not keep the inputs
	call = nil
	collects(&box)
}

func ownInputs(u *user) {
	at := u.seat(full())
	g, handler := u.gate()
	tape := uform.Strings([]string{"the text as it was", "and another"})
	call, err := at.model.Deferred(at.executor).TextEncode(background, tape, at.arena, u.both(handler))
	require.NoError(u, err)
	comes(u.T, g.entered)
	spoil(tape)
	g.Open()
	full().encodesLike(u.T, []string{"the text as it was", "and another"}, u.read(u.wait(call)))

	g, handler = u.gate()
	texts, choices, types := uform.Strings([]string{"to be or not to b"}), uform.Strings([]string{"eio"}), []uint32{1}
	options := &uform.ChooseOptions{QuestionTypes: types, Progress: handler}
	chosen, err := at.model.Deferred(at.executor).TextChoose(background, texts, choices, at.arena, options)
	require.NoError(u, err)
	comes(u.T, g.entered)
	spoil(texts)
	spoil(choices)
	types[0] = 77
	g.Open()
	comes(u.T, chosen.Done())
	answer, err := chosen.Wait(background)
	require.NoError(u, err)
	near(u.T, full().reference.choose("to be or not to b", "eio", 1), u.floats(answer.Probabilities.Rows()), 1e-5, "probabilities")
}

// spoil overwrites a tape.
func spoil(tape uform.Tape) {
	for i := range tape.Data {
		tape.Data[i] = 0xFF
	}
	for i := range tape.Offsets {
		tape.Offsets[i] = int64(-i)
	}
}

func heldUntilNeeded(s *seam) {
	for name, need := range map[string]func(place, *encoding){
		"wait":           func(_ place, e *encoding) { s.table.OutcomeWait(&e.outcome) },
		"drain":          func(p place, _ *encoding) { s.succeeded(s.drain(p.executor)) },
		"blocking call":  func(p place, _ *encoding) { s.encode(p.in(s.arena(p.executor)).encoding("x")) },
		"model load":     func(p place, _ *encoding) { s.load(p.executor, full()) },
		"model describe": func(p place, _ *encoding) { s.describeModel(p.model, p.executor, abi.CompletionBlocking) },
		"free model":     func(p place, _ *encoding) { s.table.ModelFree(p.model) },
		"free arena":     func(p place, _ *encoding) { s.table.ArenaFree(p.arena) },
		"free executor":  func(p place, _ *encoding) { s.table.ExecutorFree(p.executor) },
	} {
		p := s.placeOn(s.holder(), full())
		e := p.encoding("held")
		reports := 0
		s.listen(&e.Progress, &e.ProgressState, func(uintptr, uintptr) bool {
			reports++
			return true
		})
		s.hold(e)
		require.Zero(s, reports, "it does not run by itself: %s", name)
		require.Equal(s, abi.StatusDeferred, s.table.OutcomeStatus(&e.outcome), name)
		need(p, e)
		require.Equal(s, abi.StatusSuccess.String(), s.table.OutcomeStatus(&e.outcome).String(), name)
		require.GreaterOrEqual(s, reports, 2, name)
		s.succeeded(&e.outcome)
		if name != "free arena" {
			full().encodesLike(s.T, []string{"held"}, s.read(e))
		}
	}
}

func heldUntilTheUserNeedsIt(u *user) {
	type call = *deferred.Call[uform.Encoded]
	for name, need := range map[string]func(seat, call){
		"wait":           func(_ seat, c call) { u.wait(c) },
		"done":           func(_ seat, c call) { comes(u.T, c.Done()) },
		"drain":          func(at seat, _ call) { require.NoError(u, at.executor.Drain()) },
		"blocking call":  func(at seat, _ call) { u.encode(seat{at.executor, at.model, u.arena(at.executor)}, "x") },
		"model load":     func(at seat, _ call) { u.load(at.executor, full()) },
		"close model":    func(at seat, _ call) { require.NoError(u, at.model.Close()) },
		"close arena":    func(at seat, _ call) { require.NoError(u, at.arena.Close()) },
		"close executor": func(at seat, _ call) { require.NoError(u, at.executor.Close()) },
	} {
		at := u.seatOn(u.holder(), full())
		var reports atomic.Int32
		held, err := at.model.Deferred(at.executor).TextEncode(background, uform.Strings([]string{"held"}), at.arena,
			u.both(func(int, int) error {
				reports.Add(1)
				return nil
			}))
		require.NoError(u, err)
		require.ErrorIs(u, held.Status(), uform.ErrDeferred, name)
		require.Zero(u, reports.Load(), "it does not run by itself: %s", name)
		need(at, held)
		require.NoError(u, held.Status(), name)
		encoded, err := held.Wait(background)
		require.NoError(u, err, name)
		if name != "close arena" {
			full().encodesLike(u.T, []string{"held"}, u.read(encoded))
		}
	}
}

func drained(s *seam) {
	if !s.onDevice {
		p := s.placeOn(s.holder(), full())
		e := p.encoding("held")
		s.hold(e)
		s.succeeded(s.drain(p.executor))
		require.Equal(s, abi.StatusSuccess, s.table.OutcomeStatus(&e.outcome))
		s.succeeded(&e.outcome)
		bad := p.encoding("\xFF")
		s.hold(bad)
		s.succeeded(s.drain(p.executor)) // the call keeps its own outcome
		s.failed(&bad.outcome, abi.StatusMalformed, 0)
	}
	p := s.place(full())
	e := p.encoding("running")
	g := s.running(e)
	draining := make(chan abi.Status, 1)
	go func() {
		s.drain(p.executor)
		draining <- s.table.OutcomeStatus(&e.outcome)
	}()
	stays(s.T, draining)
	g.Open()
	require.Equal(s, abi.StatusSuccess, comes(s.T, draining), "the call was final when the drain ended")
	s.succeeded(s.drain(p.executor)) // with nothing to do
	s.failed(s.drain(0), abi.StatusInvalidArgument, -1)
}

func drainedByTheUser(u *user) {
	at := u.seat(full())
	call, g := u.running(at, "running")
	draining := make(chan error, 1)
	go func() {
		if err := at.executor.Drain(); err != nil {
			draining <- err
			return
		}
		draining <- call.Status()
	}()
	stays(u.T, draining)
	g.Open()
	require.NoError(u, comes(u.T, draining))
	require.NoError(u, at.executor.Drain(), "with nothing to do")
}
