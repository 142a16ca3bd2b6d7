package contract_test

import (
	"errors"
	"runtime"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// A22, A24–A29: how long calls, arenas and outputs last.
var lifetimeFacts = []fact{
	{id: "A22", words: "a_host_arena_may_outlive_its_executor", table: outlivesItsExecutor, api: outlivesTheUsersExecutor,
		absent: reasons{simulated: onlyHost}},
	{id: "A24", words: "a_call_borrows_its_arena_until_it_is_final", table: borrowed, api: borrowedFromTheUser},
	{id: "A25", words: "a_call_that_fails_leaves_its_outputs_null", table: failuresLeaveNothing, api: failuresLeaveTheUserNothing},
	{id: "A26", words: "a_null_executor_is_the_calling_thread_and_host_pages", table: callingThread, api: callingGoroutine},
	{id: "A27", words: "freeing_a_null_arena_is_safe_and_reports_nothing", table: freeNothing, api: closeNothing},
	{id: "A28", words: "freeing_an_arena_waits_for_the_deferred_calls_that_name_it", table: freeWaits, api: closeWaits},
	{id: "A29", words: "freeing_an_arena_frees_its_outputs", table: freedOutputs, api: closedOutputs},
}

func outlivesItsExecutor(s *seam) {
	executorsLeaveNothing(s)
	maker := s.executor()
	p := s.placeOn(maker, full())
	e := s.encode(p.encoding("left by the executor's calls"))
	want := s.read(e)
	s.table.ExecutorFree(maker)
	require.Equal(s, want, s.read(e))
	_, outcome := s.describeArena(p.arena)
	s.succeeded(outcome)
	for _, executor := range []abi.Executor{0, s.executor(), s.holder()} {
		full().encodesLike(s.T, []string{"another's call"}, s.read(s.encode(p.on(executor).encoding("another's call"))))
	}
}

// executorsLeaveNothing shows that the threads and the memory of an executor are freed with it,
// also if it made arenas.
func executorsLeaveNothing(s *seam) {
	model := s.load(0, full())
	until(s.T, func() bool { return s.workers() == 0 }) // those of the tests before may still exit
	live := s.live()
	maker := s.threads(3, abi.CallerExclusive)
	until(s.T, func() bool { return s.workers() == 3 })
	p := place{maker, model, s.arena(maker)}
	s.encode(p.encoding(lines(100)...))
	s.table.ExecutorFree(maker)
	until(s.T, func() bool { return s.workers() == 0 })
	const handleAndPages = 2
	if s.name != embedded {
		require.Equal(s, live+handleAndPages, s.live(), "nothing but the arena is left")
	}
	s.table.ArenaFree(p.arena)
	require.Equal(s, live, s.live())
}

func outlivesTheUsersExecutor(u *user) {
	u, counted := u.counted()
	at := u.seat(full())
	encoded := u.encode(at, "left by the executor's calls")
	want := u.read(encoded)
	require.NoError(u, at.executor.Close())
	require.EqualValues(u, 1, counted.executorsFreed.Load(), "the arena keeps its executor")
	require.Equal(u, want, u.read(encoded))
	at.executor = u.executor()
	full().encodesLike(u.T, []string{"another's call"}, u.read(u.encode(at, "another's call")))
}

func borrowed(s *seam) {
	p := s.place(full())
	blocking := p.encoding("a blocking call")
	g, returned := s.blocked(blocking)
	s.refused(p.encoding("meanwhile"), abi.StatusContended, -1)
	g.Open()
	comes(s.T, returned)
	s.succeeded(&blocking.outcome)
	s.encode(p.encoding("at once afterwards"))

	deferred := p.encoding("a deferred call")
	g = s.running(deferred)
	for range 10 {
		s.refused(p.encoding("meanwhile"), abi.StatusContended, -1)
	}
	g.Open()
	s.wait(deferred)
	s.encode(p.encoding("at once afterwards"))
}

func borrowedFromTheUser(u *user) {
	at := u.seat(full())
	g, handler := u.gate()
	returned := make(chan error, 1)
	go func() {
		_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"a blocking call"}), at.arena, u.both(handler))
		returned <- err
	}()
	comes(u.T, g.entered)
	meanwhile := func() error {
		_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"meanwhile"}), at.arena, nil)
		return err
	}
	require.ErrorIs(u, meanwhile(), uform.ErrContended)
	g.Open()
	require.NoError(u, comes(u.T, returned))
	u.encode(at, "at once afterwards")

	call, g := u.running(at, "a deferred call")
	require.ErrorIs(u, meanwhile(), uform.ErrContended)
	g.Open()
	u.wait(call)
	u.encode(at, "at once afterwards")
}

func failuresLeaveNothing(s *seam) {
	p := s.place(full())
	s.refused(p.encoding("fine", "\xFF"), abi.StatusMalformed, 1)
	s.refused(p.encoding("x").scalars(99), abi.StatusInvalidArgument, -1)
	s.refused(p.encoding("x").scalars(abi.ScalarI8), abi.StatusUnsupported, -1)
	s.refused(place{p.executor, 0, p.arena}.encoding("x"), abi.StatusInvalidArgument, -1)
	s.refusedChoice(p.choosing([]string{"\xFF"}, []string{"ab"}), abi.StatusMalformed, 0)
	s.refusedChoice(p.choosing([]string{"x"}, []string{"aa"}), abi.StatusInvalidArgument, 0)

	cancelled := p.encoding("x", "y")
	s.listen(&cancelled.Progress, &cancelled.ProgressState, func(uintptr, uintptr) bool { return false })
	s.refused(cancelled, abi.StatusCancelled, -1)
	scored := p.choosing([]string{"x"}, []string{"ab"})
	s.listen(&scored.Progress, &scored.ProgressState, func(uintptr, uintptr) bool { return false })
	s.refusedChoice(scored, abi.StatusCancelled, -1)

	// A deferred call that fails later has NULL outputs too, from its submission on.
	late := p.encoding("fine", "fine too", "\xFF")
	late.embeddings = abi.RowsView{Data: abi.Pointer(77)}
	g := s.running(late)
	g.Open()
	require.Equal(s, abi.StatusMalformed, s.table.OutcomeWait(&late.outcome))
	s.failed(&late.outcome, abi.StatusMalformed, 2)
	s.leftNothing(late)
}

// scalars returns the same call for scalars of another kind.
func (e *encoding) scalars(kind abi.Scalar) *encoding {
	e.Scalar = kind
	return e
}

func failuresLeaveTheUserNothing(u *user) {
	at := u.seat(full())
	nothing := func(encoded uform.Encoded) {
		u.Helper()
		require.Equal(u, uform.Encoded{}, encoded)
		require.Zero(u, encoded.Embeddings.Len())
		require.ErrorIs(u, encoded.Embeddings.Err(), uform.ErrInvalidArgument)
	}
	bad := uform.Strings([]string{"fine", "\xFF"})
	encoded, err := at.model.On(at.executor).TextEncode(background, bad, at.arena, both)
	require.ErrorIs(u, err, uform.ErrMalformed)
	nothing(encoded)
	stop := errors.New("stop")
	fine := uform.Strings([]string{"fine", "fine too"})
	encoded, err = at.model.On(at.executor).TextEncode(background, fine, at.arena, u.both(func(int, int) error { return stop }))
	require.ErrorIs(u, err, uform.ErrCancelled)
	require.ErrorIs(u, err, stop)
	nothing(encoded)
	call, err := at.model.Deferred(at.executor).TextEncode(background, fine, at.arena, u.both(func(int, int) error { return stop }))
	if err == nil {
		encoded, err = call.Wait(background)
	}
	require.ErrorIs(u, err, uform.ErrCancelled)
	nothing(encoded)
}

func callingThread(s *seam) {
	arena := s.arena(0)
	description, outcome := s.describeArena(arena)
	s.succeeded(outcome)
	require.Equal(s, abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}, description)
	if s.onDevice {
		// The model lives on the device, where the calling thread does not compute.
		p := s.place(full())
		s.refused(p.on(0).in(arena).encoding("x"), abi.StatusDevice, -1)
		return
	}
	p := place{0, s.load(0, full()), arena}
	e := p.encoding("on the calling thread", "from first to last")
	caller, reports := goroutine(), 0
	s.listen(&e.Progress, &e.ProgressState, func(uintptr, uintptr) bool {
		if goroutine() == caller {
			reports++
		}
		return true
	})
	full().encodesLike(s.T, []string{"on the calling thread", "from first to last"}, s.read(s.encode(e)))
	require.GreaterOrEqual(s, reports, 2)
}

func callingGoroutine(u *user) {
	if u.onDevice {
		at := u.seat(full())
		_, err := at.model.TextEncode(background, uform.Strings([]string{"x"}), u.arena(nil), nil)
		require.ErrorIs(u, err, uform.ErrDevice)
		return
	}
	at := u.seatOn(nil, full())
	description, err := at.arena.Describe()
	require.NoError(u, err)
	require.Equal(u, uform.RAM, description.Residency)
	caller, elsewhere := goroutine(), 0
	encoded, err := at.model.TextEncode(background, uform.Strings([]string{"x"}), at.arena, u.both(func(int, int) error {
		if goroutine() != caller {
			elsewhere++
		}
		return nil
	}))
	require.NoError(u, err)
	require.Zero(u, elsewhere)
	full().encodesLike(u.T, []string{"x"}, u.read(encoded))
}

// goroutine returns a name of the calling goroutine.
func goroutine() string {
	var trace [64]byte
	text := string(trace[:runtime.Stack(trace[:], false)])
	return text[:strings.Index(text, " [")]
}

func freeNothing(s *seam) {
	s.table.ArenaFree(0)
	arena := s.arena(s.executor())
	s.table.ArenaFree(arena)
	s.table.ArenaFree(0)
}

func closeNothing(u *user) {
	require.NotPanics(u, func() { require.NoError(u, (*uform.Arena)(nil).Close()) }, "closing a nil arena")
	arena := u.arena(nil)
	require.NoError(u, arena.Close())
	require.NoError(u, arena.Close(), "closing twice")
}

func freeWaits(s *seam) {
	p := s.place(full())
	e := p.encoding("a call that the freeing waits for")
	g := s.running(e)
	freed := make(chan abi.Status, 1)
	go func() {
		s.table.ArenaFree(p.arena)
		freed <- s.table.OutcomeStatus(&e.outcome)
	}()
	// Once the handle is stale, freeing has begun, and it cannot end before the gate opens.
	until(s.T, func() bool {
		_, outcome := s.describeArena(p.arena)
		return outcome.Status == abi.StatusInvalidArgument
	})
	stays(s.T, freed)
	g.Open()
	require.Equal(s, abi.StatusSuccess, comes(s.T, freed), "the call was final when the freeing ended")
}

func closeWaits(u *user) {
	at := u.seat(full())
	call, g := u.running(at, "a call that the closing waits for")
	closed := make(chan error, 1)
	go func() {
		at.arena.Close()
		closed <- call.Status()
	}()
	until(u.T, func() bool {
		_, err := at.arena.Describe()
		return errors.Is(err, uform.ErrClosed)
	})
	stays(u.T, closed)
	g.Open()
	require.NoError(u, comes(u.T, closed), "the call was final when the closing ended")
	_, err := call.Wait(background)
	require.NoError(u, err)
}

func freedOutputs(s *seam) {
	p := s.place(full())
	free := s.freeBytes(0)
	live := s.live()
	s.encode(p.encoding("outputs that go with their arena"))
	if s.onDevice {
		require.Less(s, s.freeBytes(0), free)
	}
	s.table.ArenaFree(p.arena)
	require.Equal(s, free, s.freeBytes(0))
	// The arena is freed with its memory, and the executor has its scratch now.
	require.LessOrEqual(s, s.live(), live)
	_, outcome := s.describeArena(p.arena)
	s.failed(outcome, abi.StatusInvalidArgument, -1)
	s.refused(p.encoding("into an arena that was freed"), abi.StatusInvalidArgument, -1)
}

// freeBytes returns the free memory of a device, zero where there are no devices.
func (s *seam) freeBytes(device int) uint64 {
	s.Helper()
	if gpus := s.gpus(); device < len(gpus) {
		return gpus[device].MemoryFreeBytes
	}
	return 0
}

func closedOutputs(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "outputs that go with their arena")
	require.NoError(u, at.arena.Close())
	want := error(uform.ErrInvalidArgument)
	if u.onDevice {
		want = uform.ErrDevice
	}
	unreadable(u, encoded, want)
	if !u.onDevice {
		require.ErrorIs(u, encoded.Embeddings.Err(), uform.ErrClosed)
	}
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"x"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	require.ErrorIs(u, err, uform.ErrClosed)
}

// unreadable requires that every way to read outputs on the host fails with an error.
func unreadable(u *user, encoded uform.Encoded, want error) {
	u.Helper()
	for _, rows := range []uform.Rows{encoded.Embeddings, encoded.States.Rows()} {
		require.ErrorIs(u, rows.Err(), want)
		_, err := rows.Copy()
		require.ErrorIs(u, err, want)
		_, err = rows.AppendTo(nil, 0)
		require.ErrorIs(u, err, want)
		_, err = rows.Pin()
		require.ErrorIs(u, err, want)
		require.ErrorIs(u, raised(func() {
			for range rows.All() {
			}
		}), want)
	}
	require.ErrorIs(u, encoded.States.Err(), want)
	_, err := encoded.States.Copy()
	require.ErrorIs(u, err, want)
	_, err = encoded.States.Item(0)
	require.ErrorIs(u, err, want)
	require.ErrorIs(u, raised(func() {
		for range encoded.States.All() {
		}
	}), want)
}

// raised returns the error that a function panics with, nil if it does not.
func raised(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}
