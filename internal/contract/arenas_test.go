package contract_test

import (
	"reflect"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// A08–A15: how calls use an arena.
var arenaFacts = []fact{
	{id: "A08", words: "making_an_arena_allocates_nothing", table: emptyArena, api: emptyArenaOfTheUser},
	{id: "A09", words: "each_call_rewinds_its_arena", table: callsRewind, api: callsRewindForTheUser},
	{id: "A10", words: "a_steady_loop_allocates_once", table: steadyLoop, api: steadyLoopOfTheUser},
	{id: "A11", words: "another_arena_keeps_outputs_alive", table: anotherArena, api: anotherArenaOfTheUser},
	{id: "A12", words: "a_null_arena_is_an_invalid_argument", table: noArena, api: noArenaOfTheUser},
	{id: "A13", words: "inputs_inside_the_arena_are_an_invalid_argument", table: inputsInTheArena, api: inputsInTheArenaOfTheUser},
	{id: "A14", words: "a_second_call_on_a_busy_arena_is_contended", table: busyArena, api: busyArenaOfTheUser},
	{id: "A15", words: "a_second_deferred_call_is_contended_at_submission", table: busyArenaDeferred, api: busyArenaOfTheUserDeferred},
}

func emptyArena(s *seam) {
	p := s.place(full())
	times, bytes := s.growth(p.arena)
	require.Equal(s, []int{0, 0}, []int{times, bytes})
	s.encode(p.encoding("the first call that writes"))
	times, bytes = s.growth(p.arena)
	require.Equal(s, 1, times)
	require.NotZero(s, bytes)
}

func emptyArenaOfTheUser(u *user) {
	at := u.seat(full())
	times, bytes := u.growth(u.handle(at.arena))
	require.Equal(u, []int{0, 0}, []int{times, bytes})
	u.encode(at, "the first call that writes")
	times, _ = u.growth(u.handle(at.arena))
	require.Equal(u, 1, times)
}

func callsRewind(s *seam) {
	p := s.place(full())
	first := s.encode(p.encoding("the first text", "and its neighbour"))
	data, before := first.embeddings, s.read(first)
	second := s.encode(p.encoding("an other text.", "and its neighbou."))
	after := s.read(second)
	require.Equal(s, data.Data, second.embeddings.Data, "outputs of the same size take the same place")
	require.NotEqual(s, before.embeddings, after.embeddings)
	require.Equal(s, after.embeddings, s.floats(data, 2), "what the first call left is gone")
	for _, executor := range s.executors(p) {
		if s.poisons {
			many := s.encode(p.encoding(lines(50)...)).embeddings
			s.encode(p.on(executor).encoding("x")) // writes nowhere near the last row of many
			last := s.bytes(uintptr(many.Data)+49*many.Stride, many.Stride)
			require.Equal(s, strings.Repeat("\xFF", int(many.Stride)), string(last))
		}
	}
}

func callsRewindForTheUser(u *user) {
	at := u.seat(full())
	first := u.encode(at, "the first text")
	if !u.onDevice {
		require.NoError(u, first.Embeddings.Err())
		require.NoError(u, first.States.Err())
	}
	u.encode(at, "another")
	if u.onDevice {
		require.Error(u, first.Embeddings.Err())
		return
	}
	require.ErrorIs(u, first.Embeddings.Err(), uform.ErrInvalidArgument)
	require.ErrorIs(u, first.States.Err(), uform.ErrInvalidArgument)
}

func steadyLoop(s *seam) {
	p := s.place(flat())
	texts := []string{"a steady loop", "of texts", "of the same sizes"}
	held := 0
	grows := func(expected int, texts ...string) {
		s.Helper()
		s.encode(p.encoding(texts...))
		times, bytes := s.growth(p.arena)
		require.Equal(s, expected, times)
		require.GreaterOrEqual(s, bytes, held)
		held = bytes
	}
	for range 20 {
		grows(1, texts...)
	}
	many := strings.Split(strings.Repeat("thirty-two bytes for every text.,", 60), ",")
	grows(2, many...)
	for range 5 {
		grows(2, texts...)
		grows(2, many...)
		grows(2)
	}
	// An arena takes memory only when an output is larger than all before it.
	arena := s.arena(p.executor)
	times, bytes := 0, 0
	for count := range len(many) {
		e := s.encode(p.in(arena).encoding(many[:count]...))
		rows := 0
		if count > 0 {
			rows = s.read(e).offsets[count]
		}
		least := count*int(e.embeddings.Stride) + rows*int(e.states.Rows.Stride) + (count+1)*wordBytes
		const most = 3 * 64 // what aligning each output may add
		timesNow, bytesNow := s.growth(arena)
		switch {
		case least+most <= bytes:
			require.Equal(s, times, timesNow, "%d texts take %d of %d bytes", count, least, bytes)
		case least > bytes:
			require.Equal(s, times+1, timesNow, "%d texts take %d of %d bytes", count, least, bytes)
		}
		require.GreaterOrEqual(s, bytesNow, least)
		times, bytes = timesNow, bytesNow
	}
}

func steadyLoopOfTheUser(u *user) {
	at := u.seat(full())
	for range 20 {
		u.encode(at, "a steady loop", "of texts")
	}
	times, _ := u.growth(u.handle(at.arena))
	require.Equal(u, 1, times)
}

func anotherArena(s *seam) {
	p := s.place(full())
	first := s.encode(p.encoding("what is to be kept"))
	want := s.read(first)
	second := s.encode(p.in(s.arena(p.executor)).encoding("what comes next"))
	require.NotEqual(s, want.embeddings, s.read(second).embeddings)
	require.Equal(s, want, s.read(first))
}

func anotherArenaOfTheUser(u *user) {
	at := u.seat(full())
	first := u.encode(at, "what is to be kept")
	want := u.read(first)
	second := u.encode(seat{at.executor, at.model, u.arena(at.executor)}, "what comes next")
	require.NotEqual(u, want.embeddings, u.read(second).embeddings)
	require.Equal(u, want, u.read(first))
}

func noArena(s *seam) {
	p := s.place(full())
	for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
		e := p.in(0).encoding("x")
		e.Completion = completion
		s.refused(e, abi.StatusInvalidArgument, -1)
		c := p.in(0).choosing([]string{"x"}, []string{"ab"})
		c.Completion = completion
		s.refusedChoice(c, abi.StatusInvalidArgument, -1)
	}
	noArenaForAnyVerb(s, p)
}

// noArenaForAnyVerb tests every verb whose outputs need an arena. For training, no arena means no
// embeddings.
func noArenaForAnyVerb(s *seam, p place) {
	table := reflect.ValueOf(s.table).Elem()
	verbs := 0
	argumentStructs(func(verb string, arguments reflect.Type) {
		_, writes := arguments.FieldByName("Arena")
		if _, asks := arguments.FieldByName("Count"); !writes || !asks || verb == "TrainerStep" {
			return
		}
		verbs++
		given, outcome := reflect.New(arguments), &abi.Outcome{}
		given.Elem().FieldByName("Model").Set(reflect.ValueOf(p.model))
		given.Elem().FieldByName("Executor").Set(reflect.ValueOf(p.executor))
		given.Elem().FieldByName("Outcome").Set(reflect.ValueOf(plant(outcome)))
		for name, output := range map[string]any{
			"Embeddings": &abi.RowsView{}, "States": &abi.RowsTapeView{}, "Probabilities": &abi.RowsTapeView{},
		} {
			if field := given.Elem().FieldByName(name); field.IsValid() {
				field.Set(reflect.ValueOf(output))
			}
		}
		table.FieldByName(verb).Call([]reflect.Value{given})
		// The model may lack a modality.
		if strings.HasPrefix(verb, "Text") || outcome.Status != abi.StatusUnsupported {
			s.failed(outcome, abi.StatusInvalidArgument, -1)
		}
	})
	require.Equal(s, 7, verbs)
}

func noArenaOfTheUser(u *user) {
	at := u.seat(full())
	texts, choices := uform.Strings([]string{"x"}), uform.Strings([]string{"ab"})
	_, err := at.model.TextEncode(background, texts, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = at.model.On(at.executor).TextEncode(background, texts, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = at.model.Deferred(at.executor).TextEncode(background, texts, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = at.model.On(at.executor).TextChoose(background, texts, choices, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = at.model.Deferred(at.executor).TextChoose(background, texts, choices, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
}

func inputsInTheArena(s *seam) {
	p := s.place(full())
	e := s.encode(p.encoding("one", "two", "three"))
	want := s.read(e)
	inside, offsets := e.embeddings.Data, e.states.Offsets
	word := []uintptr{0, 1}
	for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
		encodes := func(texts abi.TapeView, count uintptr) {
			s.Helper()
			aliased := p.encoding("x")
			aliased.Completion, aliased.Texts, aliased.Count = completion, texts, count
			s.refused(aliased, abi.StatusInvalidArgument, -1)
		}
		chooses := func(change func(*choosing)) {
			s.Helper()
			aliased := p.choosing([]string{"x"}, []string{"ab"}, 0)
			aliased.Completion = completion
			change(aliased)
			s.refusedChoice(aliased, abi.StatusInvalidArgument, -1)
		}
		encodes(abi.TapeView{Data: inside, Offsets: &word[0]}, 1)
		encodes(abi.TapeView{Data: abi.Pointer(uintptr(inside) - 3), Offsets: &[]uintptr{3, 4}[0]}, 1)
		encodes(abi.TapeView{Data: p.encoding("one two three").Texts.Data, Offsets: (*uintptr)(offsets)}, 3)
		chooses(func(c *choosing) { c.Texts = abi.TapeView{Data: inside, Offsets: &word[0]} })
		chooses(func(c *choosing) { c.Texts.Offsets = (*uintptr)(offsets) })
		chooses(func(c *choosing) { c.Choices = abi.TapeView{Data: inside, Offsets: &word[0]} })
		chooses(func(c *choosing) { c.Choices.Offsets = (*uintptr)(offsets) })
		chooses(func(c *choosing) { c.QuestionTypes = (*uint32)(inside) })
	}
	require.Equal(s, want, s.read(e), "a refused call does not rewind")
	if s.onDevice {
		return
	}
	// Inputs may lie in another arena.
	text := "a text that stands where an output was"
	copy(abi.Memory(uintptr(inside), uintptr(len(text))), text)
	elsewhere := p.in(s.arena(p.executor)).encoding("")
	elsewhere.Texts = abi.TapeView{Data: inside, Offsets: &[]uintptr{0, uintptr(len(text))}[0]}
	full().encodesLike(s.T, []string{text}, s.read(s.encode(elsewhere)))
}

func inputsInTheArenaOfTheUser(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two", "three")
	want := u.read(encoded)
	inside := uform.Tape{Data: abi.Memory(encoded.Embeddings.Data(), 8), Offsets: []int64{0, 8}}
	fine := uform.Strings([]string{"x"})
	on, deferred := at.model.On(at.executor), at.model.Deferred(at.executor)
	_, err := on.TextEncode(background, inside, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = deferred.TextEncode(background, inside, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = on.TextChoose(background, inside, fine, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = on.TextChoose(background, fine, inside, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = deferred.TextChoose(background, fine, inside, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	require.Equal(u, want, u.read(encoded), "a refused call does not rewind")
}

func busyArena(s *seam) {
	p := s.place(full())
	e := p.encoding("in flight", "for a while")
	g := s.running(e)
	// The arena is busy for every executor that may use it.
	s.refused(p.encoding("second"), abi.StatusContended, -1)
	if !s.onDevice {
		s.refused(p.on(0).encoding("second"), abi.StatusContended, -1)
		s.refused(p.on(s.executor()).encoding("second"), abi.StatusContended, -1)
		s.refusedChoice(p.on(s.executor()).choosing([]string{"x"}, []string{"ab"}), abi.StatusContended, -1)
	}
	g.Open()
	full().encodesLike(s.T, []string{"in flight", "for a while"}, s.read(s.wait(e)))
	s.encode(p.encoding("third"))
}

// busyArenaOfTheUser shows that the binding refuses such a call by itself: the library would refuse
// it too late, when earlier outputs are already stale.
func busyArenaOfTheUser(u *user) {
	u, counted := u.counted()
	at := u.seat(full())
	call, g := u.running(at, "in flight")
	other := u.executor()
	before := counted.encodes.Load()
	_, err := at.model.On(other).TextEncode(background, uform.Strings([]string{"second"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	_, err = at.model.On(other).TextChoose(background, uform.Strings([]string{"x"}), uform.Strings([]string{"ab"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	require.Equal(u, before, counted.encodes.Load(), "the library was called")
	require.Zero(u, counted.chooses.Load(), "the library was called")
	g.Open()
	full().encodesLike(u.T, []string{"in flight"}, u.read(u.wait(call)))
	u.encode(at, "third")
}

func busyArenaDeferred(s *seam) {
	p := s.place(full())
	e := p.encoding("in flight")
	g := s.running(e)
	executor := p.executor
	if !s.onDevice {
		executor = s.executor()
	}
	second := p.on(executor).encoding("second").deferring()
	s.refused(second, abi.StatusContended, -1)
	require.Equal(s, abi.StatusContended, s.table.OutcomeWait(&second.outcome), "waiting for it changes nothing")
	g.Open()
	s.wait(e)
}

func busyArenaOfTheUserDeferred(u *user) {
	u, counted := u.counted()
	at := u.seat(full())
	call, g := u.running(at, "in flight")
	executor := at.executor
	if !u.onDevice {
		executor = u.executor()
	}
	before := counted.encodes.Load()
	second, err := at.model.Deferred(executor).TextEncode(background, uform.Strings([]string{"second"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	require.Nil(u, second)
	require.Equal(u, before, counted.encodes.Load(), "the library was called")
	g.Open()
	u.wait(call)
}
