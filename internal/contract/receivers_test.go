package contract_test

import (
	"context"
	"reflect"
	"runtime"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
)

// R01–R07, R19, R20: receivers.
var receiverFacts = []fact{
	{id: "R01", words: "a_model_has_three_receivers", table: threeReceivers, api: threeReceiversOfTheUser},
	{id: "R02", words: "verb_and_arguments_are_the_same_on_all_three", api: sameOnAllThree},
	{id: "R03", words: "a_blocking_call_on_a_busy_executor_is_contended", table: busyExecutor, api: busyExecutorOfTheUser},
	{id: "R04", words: "an_executor_has_at_most_one_call", table: oneCall, api: oneCallOfTheUser},
	{id: "R05", words: "a_trainer_has_two_receivers", api: twoReceivers},
	{id: "R06", words: "a_blocking_verb_answers_its_result", api: answersDirectly},
	{id: "R07", words: "neither_receiver_nor_call_outlives_what_it_names", api: nothingOutlives},
	{id: "R19", words: "a_mood_prints_and_parses_as_text", api: moodsAsText},
	{id: "R20", words: "a_receiver_is_a_small_value_that_tells_model_and_executor", api: smallReceivers},
}

func threeReceivers(s *seam) {
	p := s.place(full())
	texts := []string{"the same text", "on every receiver"}
	blocking := s.read(s.encode(p.encoding(texts...)))
	full().encodesLike(s.T, texts, blocking)
	e := p.encoding(texts...).deferring()
	s.table.TextEncode(&e.TextEncode)
	require.Equal(s, blocking, s.read(s.wait(e)))
	if s.onDevice {
		s.refused(p.on(0).encoding(texts...), abi.StatusDevice, -1)
		return
	}
	require.Equal(s, blocking, s.read(s.encode(p.on(0).encoding(texts...))))
}

func threeReceiversOfTheUser(u *user) {
	at := u.seat(full())
	texts := uform.Strings([]string{"the same text", "on every receiver"})
	encoded, err := at.model.On(at.executor).TextEncode(background, texts, at.arena, both)
	require.NoError(u, err)
	blocking := u.read(encoded)
	call, err := at.model.Deferred(at.executor).TextEncode(background, texts, at.arena, both)
	require.NoError(u, err)
	require.Equal(u, blocking, u.read(u.wait(call)))
	encoded, err = at.model.TextEncode(background, texts, at.arena, both)
	if u.onDevice {
		require.ErrorIs(u, err, uform.ErrDevice)
		return
	}
	require.NoError(u, err)
	require.Equal(u, blocking, u.read(encoded))
}

func sameOnAllThree(u *user) {
	// The verbs of each receiver, without the receiver itself.
	verbs := func(receiver reflect.Type) map[string][]reflect.Type {
		found := map[string][]reflect.Type{}
		for i := range receiver.NumMethod() {
			method := receiver.Method(i)
			if method.Type.NumIn() < 2 || method.Type.In(1) != reflect.TypeFor[context.Context]() || strings.HasPrefix(method.Name, "Embed") {
				continue
			}
			for j := 1; j < method.Type.NumIn(); j++ {
				found[method.Name] = append(found[method.Name], method.Type.In(j))
			}
		}
		return found
	}
	bare := verbs(reflect.TypeFor[*uform.Model]())
	require.Contains(u, bare, "TextEncode")
	require.Contains(u, bare, "TextChoose")
	require.Contains(u, bare, "Describe")
	require.Equal(u, bare, verbs(reflect.TypeFor[uform.On]()))
	require.Equal(u, bare, verbs(reflect.TypeFor[uform.Deferred]()))
	// Only the returned value differs: a result, or a call to wait for.
	var _ func(context.Context, uform.Tape, *uform.Arena, *uform.TextOptions) (uform.Encoded, error) = uform.On{}.TextEncode
	var _ func(context.Context, uform.Tape, *uform.Arena, *uform.TextOptions) (*deferred.Call[uform.Encoded], error) = uform.Deferred{}.TextEncode
}

func busyExecutor(s *seam) {
	p := s.place(full())
	other := p.in(s.arena(p.executor))
	deferred := p.encoding("a deferred call has the executor")
	g := s.running(deferred)
	s.refused(other.encoding("x"), abi.StatusContended, -1)
	s.refusedChoice(other.choosing([]string{"x"}, []string{"ab"}), abi.StatusContended, -1)
	g.Open()
	full().encodesLike(s.T, []string{"a deferred call has the executor"}, s.read(s.wait(deferred)))
	s.encode(other.encoding("x"))

	blocking := p.encoding("a blocking call has the executor")
	g, returned := s.blocked(blocking)
	s.refused(other.encoding("x"), abi.StatusContended, -1)
	g.Open()
	comes(s.T, returned)
	s.succeeded(&blocking.outcome)
	s.encode(other.encoding("x"))
}

func busyExecutorOfTheUser(u *user) {
	at := u.seat(full())
	other := seat{at.executor, at.model, u.arena(at.executor)}
	call, g := u.running(at, "a deferred call has the executor")
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"x"}), other.arena, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	g.Open()
	u.wait(call)
	u.encode(other, "x")
}

func oneCall(s *seam) {
	p := s.place(full())
	first := p.encoding("the one call")
	g := s.running(first)
	for range 3 {
		q := p.in(s.arena(p.executor))
		s.refused(q.encoding("is never queued").deferring(), abi.StatusContended, -1)
	}
	g.Open()
	full().encodesLike(s.T, []string{"the one call"}, s.read(s.wait(first)))
	next := p.encoding("the next").deferring()
	s.table.TextEncode(&next.TextEncode)
	s.wait(next)
	if s.onDevice {
		return
	}
	// The same for a call that is only held.
	p = p.on(s.holder())
	held := p.encoding("held")
	s.hold(held)
	q := p.in(s.arena(p.executor))
	s.refused(q.encoding("is never queued").deferring(), abi.StatusContended, -1)
	require.Equal(s, abi.StatusDeferred, s.table.OutcomeStatus(&held.outcome))
	full().encodesLike(s.T, []string{"runs the held one first"}, s.read(s.encode(q.encoding("runs the held one first"))))
	require.Equal(s, abi.StatusSuccess, s.table.OutcomeStatus(&held.outcome))
	full().encodesLike(s.T, []string{"held"}, s.read(s.wait(held)))
}

func oneCallOfTheUser(u *user) {
	at := u.seat(full())
	texts := uform.Strings([]string{"is never queued"})
	call, g := u.running(at, "the one call")
	_, err := at.model.Deferred(at.executor).TextEncode(background, texts, u.arena(at.executor), nil)
	require.ErrorIs(u, err, uform.ErrContended)
	g.Open()
	u.wait(call)
	if u.onDevice {
		return
	}
	holder := u.holder()
	held, err := at.model.Deferred(holder).TextEncode(background, uform.Strings([]string{"held"}), at.arena, both)
	require.NoError(u, err)
	other := u.arena(holder)
	_, err = at.model.Deferred(holder).TextEncode(background, texts, other, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	require.ErrorIs(u, held.Status(), uform.ErrDeferred)
	_, err = at.model.On(holder).TextEncode(background, texts, other, nil)
	require.NoError(u, err)
	require.NoError(u, held.Status(), "the blocking call ran the held one first")
	full().encodesLike(u.T, []string{"held"}, u.read(u.wait(held)))
}

func answersDirectly(u *user) {
	at := u.seat(full())
	encoded, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"x"}), at.arena, both)
	require.NoError(u, err)
	full().encodesLike(u.T, []string{"x"}, u.read(encoded))
	_, err = at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"\xFF"}), at.arena, both)
	require.ErrorIs(u, err, uform.ErrMalformed)
}

func nothingOutlives(u *user) {
	// The handles that a call names live as long as the call, even if nothing else refers to them.
	submit := func() (*deferred.Call[uform.Encoded], *gate) {
		executor := u.executor()
		model, err := u.library.Load(background, full().path(u.T), &uform.LoadOptions{Executor: executor})
		require.NoError(u, err)
		arena, err := u.library.NewArena(executor)
		require.NoError(u, err)
		return u.running(seat{executor, model, arena}, "kept alive by the call")
	}
	call, g := submit()
	for range 3 {
		runtime.GC()
	}
	g.Open()
	encoded := u.wait(call)
	full().encodesLike(u.T, []string{"kept alive by the call"}, u.read(encoded))
	runtime.KeepAlive(call)

	// A receiver of a closed handle returns errors.
	at := u.seat(full())
	texts := uform.Strings([]string{"x"})
	on, later := at.model.On(at.executor), at.model.Deferred(at.executor)
	require.NoError(u, at.model.Close())
	_, err := on.TextEncode(background, texts, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrClosed)
	_, err = later.TextEncode(background, texts, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrClosed)
	at = u.seat(full())
	on, later = at.model.On(at.executor), at.model.Deferred(at.executor)
	require.NoError(u, at.executor.Close())
	_, err = on.TextEncode(background, texts, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrClosed)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = later.TextEncode(background, texts, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrClosed)
}

func moodsAsText(u *user) {
	for mood, text := range map[uform.Mood]string{uform.Parked: "parked", uform.Spinning: "spinning"} {
		require.Equal(u, text, mood.String())
		marshalled, err := mood.MarshalText()
		require.NoError(u, err)
		require.Equal(u, text, string(marshalled))
		parsed := uform.Mood(77)
		require.NoError(u, parsed.UnmarshalText(marshalled))
		require.Equal(u, mood, parsed)
	}
	u.parsedMoods()
	parsed := uform.Spinning
	require.Error(u, parsed.UnmarshalText([]byte("furious")))
	require.Equal(u, uform.Spinning, parsed)
	_, err := uform.Mood(77).MarshalText()
	require.Error(u, err)
}

// parsedMoods shows that the threads of an executor behave as the text of a mood says.
func (u *user) parsedMoods() {
	u.Helper()
	u, counted := u.counted()
	for text, mood := range map[string]abi.Mood{"parked": abi.MoodParked, "spinning": abi.MoodSpinning} {
		var parsed uform.Mood
		require.NoError(u, parsed.UnmarshalText([]byte(text)))
		var executor *uform.Executor
		var err error
		if u.onDevice {
			executor, err = u.library.NewDeviceExecutor(&uform.DeviceExecutorOptions{Mood: parsed})
		} else {
			executor, err = u.library.NewExecutor(&uform.ExecutorOptions{Threads: 1, Mood: parsed})
		}
		require.NoError(u, err)
		u.idlesLike(u.T, mood, counted.executor, idleness{})
		require.NoError(u, executor.Close())
	}
}

func smallReceivers(u *user) {
	at := u.seat(full())
	on, later := at.model.On(at.executor), at.model.Deferred(at.executor)
	require.Same(u, at.model, on.Model())
	require.Same(u, at.executor, on.Executor())
	require.Same(u, at.model, later.Model())
	require.Same(u, at.executor, later.Executor())
	require.True(u, on == at.model.On(at.executor), "receivers compare")
	copied := on
	_, err := copied.TextEncode(background, uform.Strings([]string{"x"}), at.arena, nil)
	require.NoError(u, err)
	require.LessOrEqual(u, reflect.TypeOf(on).Size(), uintptr(2*wordBytes))
	require.LessOrEqual(u, reflect.TypeOf(later).Size(), uintptr(2*wordBytes))
}
