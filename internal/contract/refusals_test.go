package contract_test

import (
	"errors"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// D03, D05, D07: refused calls.
var refusalFacts = []fact{
	{id: "D03", words: "texts_are_validated_before_anything_is_cut", table: validated, api: validatedForTheUser},
	{id: "D05", words: "empty_or_repeated_choices_are_an_invalid_argument", table: badChoices, api: badChoicesOfTheUser},
	{id: "D07", words: "a_null_executor_with_deferral_is_an_invalid_argument", table: deferredNowhere, api: deferredNowhereByTheUser},
	{id: "D12", words: "a_load_ignores_what_it_does_not_serve", table: ignoredTensors, api: resumesOfTheUser},
	// D13 also covers samples; V11 tests them.
	{id: "D13", words: "nan_or_infinity_in_weights_is_malformed", table: badWeights, api: badWeightsOfTheUser},
}

// Invalid byte sequences of UTF-8, and valid texts at the bounds.
var (
	notTexts = map[string]string{
		"a lone byte": "\xFF", "a continuation alone": "\x80", "an overlong slash": "\xC0\xAF", "overlong of three": "\xE0\x9F\xBF",
		"overlong of four": "\xF0\x8F\xBF\xBF", "a surrogate": "\xED\xA0\x80", "above the last": "\xF4\x90\x80\x80",
		"no such lead": "\xF5\x80\x80\x80", "cut short": "\xE2\x82", "a lead and a letter": "\xC3a",
	}
	outermost = []string{"\x00", "\x7F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF", "\U00010000", "\U0010FFFF"}
)

func validated(s *seam) {
	p := s.place(full())
	context := full().config.Context
	full().encodesLike(s.T, outermost, s.read(s.encode(p.encoding(outermost...))))
	for name, bad := range notTexts {
		s.Log(name)
		s.refused(p.encoding("fine", bad), abi.StatusMalformed, 1)
		s.refused(p.encoding("fine", "fine", strings.Repeat("x", context)+bad), abi.StatusMalformed, 2)
		s.refused(p.encoding(strings.Repeat("x", context-1)+bad, "\xFF"), abi.StatusMalformed, 0)
		s.refusedChoice(p.choosing([]string{"fine", bad + strings.Repeat("x", context)}, []string{"ab", "ab"}), abi.StatusMalformed, 1)
	}
	for _, executor := range s.executors(p) {
		// All items are checked before the first is computed.
		var heard reports
		e := p.on(executor).encoding(append(lines(200), "\xFF")...)
		s.listen(&e.Progress, &e.ProgressState, func(finished, total uintptr) bool {
			heard.hear(int(finished), int(total))
			return true
		})
		s.refused(e, abi.StatusMalformed, 200)
		require.Equal(s, []int{0}, heard.finished)
		if executor != 0 {
			late := p.on(executor).encoding("fine", "\xFF").deferring()
			s.table.TextEncode(&late.TextEncode)
			require.Equal(s, abi.StatusMalformed, s.table.OutcomeWait(&late.outcome))
			s.failed(&late.outcome, abi.StatusMalformed, 1)
			s.leftNothing(late)
		}
	}
}

func validatedForTheUser(u *user) {
	at := u.seat(full())
	late := uform.Strings([]string{"fine", strings.Repeat("x", full().config.Context) + "\xFF"})
	_, err := at.model.On(at.executor).TextEncode(background, late, at.arena, nil)
	malformedItem(u, err, 1)
	_, err = at.model.On(at.executor).TextChoose(background, late, uform.Strings([]string{"ab", "ab"}), at.arena, nil)
	malformedItem(u, err, 1)
	call, err := at.model.Deferred(at.executor).TextEncode(background, late, at.arena, nil)
	if err == nil { // the call may be refused at once, or fail later
		_, err = call.Wait(background)
	}
	malformedItem(u, err, 1)
}

func malformedItem(u *user, err error, item int) {
	u.Helper()
	require.ErrorIs(u, err, uform.ErrMalformed)
	var failure *uform.Error
	require.ErrorAs(u, err, &failure)
	require.Equal(u, item, failure.Item)
}

func badChoices(s *seam) {
	p := s.place(full())
	for _, executor := range s.executors(p) {
		for item, choices := range [][]string{{"", "ab", "ab"}, {"ab", "aba", "ab"}, {"ab", "cd", "efghe"}} {
			c := p.on(executor).choosing([]string{"x", "y", "z"}, choices)
			s.refusedChoice(c, abi.StatusInvalidArgument, item)
		}
	}
	var every strings.Builder
	for b := range 256 {
		every.WriteByte(byte(b))
	}
	probabilities := s.choose(p.choosing([]string{"all the bytes"}, []string{every.String()}))
	full().choosesLike(s, []question{{"all the bytes", every.String(), 0}}, probabilities)
}

func badChoicesOfTheUser(u *user) {
	at := u.seat(full())
	for item, choices := range [][]string{{"", "ab"}, {"ab", "aa"}} {
		texts := uform.Strings([]string{"x", "y"})
		_, err := at.model.On(at.executor).TextChoose(background, texts, uform.Strings(choices), at.arena, nil)
		require.ErrorIs(u, err, uform.ErrInvalidArgument)
		var failure *uform.Error
		require.ErrorAs(u, err, &failure)
		require.Equal(u, item, failure.Item)
	}
	texts, choices := uform.Strings([]string{"x", "y"}), uform.Strings([]string{"ab"})
	_, err := at.model.On(at.executor).TextChoose(background, texts, choices, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument, "an item without choices")
}

func deferredNowhere(s *seam) {
	p := s.place(full()).on(0)
	p = p.in(s.arena(0))
	if s.onDevice {
		p.model = s.load(0, full())
	}
	s.refused(p.encoding("x").deferring(), abi.StatusInvalidArgument, -1)
	c := p.choosing([]string{"x"}, []string{"ab"})
	c.Completion = abi.CompletionDeferring
	s.refusedChoice(c, abi.StatusInvalidArgument, -1)
	b := &struct {
		abi.ModelDescribe
		outcome     abi.Outcome
		description abi.ModelDescription
	}{}
	b.ModelDescribe = abi.ModelDescribe{
		Model: p.model, Outcome: plant(&b.outcome), Completion: abi.CompletionDeferring, Description: &b.description,
	}
	s.table.ModelDescribe(&b.ModelDescribe)
	s.failed(&b.outcome, abi.StatusInvalidArgument, -1)
	// It is also refused without an outcome.
	silent := p.encoding("x").deferring()
	silent.Outcome = nil
	s.table.TextEncode(&silent.TextEncode)
	s.leftNothing(silent)
}

func deferredNowhereByTheUser(u *user) {
	at := u.seat(full())
	texts, choices := uform.Strings([]string{"x"}), uform.Strings([]string{"ab"})
	_, err := at.model.Deferred(nil).TextEncode(background, texts, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = at.model.Deferred(nil).TextChoose(background, texts, choices, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	_, err = at.model.Deferred(nil).Describe(background)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
}

func freesWait(s *seam) {
	for name, free := range map[string]struct {
		begin func(place)
		begun func(place) abi.Status
	}{
		"model":    {func(p place) { s.table.ModelFree(p.model) }, func(p place) abi.Status { return s.modelStatus(p.model) }},
		"executor": {func(p place) { s.table.ExecutorFree(p.executor) }, func(p place) abi.Status { return s.executorStatus(p.executor) }},
	} {
		p := s.place(full())
		e := p.encoding("a call that the freeing waits for")
		g := s.running(e)
		freed := make(chan abi.Status, 1)
		go func() {
			free.begin(p)
			freed <- s.table.OutcomeStatus(&e.outcome)
		}()
		// Once the handle is stale, freeing has begun, and it cannot end before the gate opens.
		until(s.T, func() bool { return free.begun(p) == abi.StatusInvalidArgument })
		stays(s.T, freed)
		g.Open()
		require.Equal(s, abi.StatusSuccess, comes(s.T, freed), "the call was final when the freeing ended: %s", name)
		if name == "model" {
			full().encodesLike(s.T, []string{"a call that the freeing waits for"}, s.read(e))
		}
	}
	s.table.ArenaFree(0)
	s.table.ModelFree(0)
	s.table.ExecutorFree(0)
	s.table.TrainerFree(0)

	p := s.place(full())
	q := s.placeOn(s.executor(), full())
	s.table.ExecutorFree(p.executor)
	q.model = p.model
	full().encodesLike(s.T, []string{"loaded by another"}, s.read(s.encode(q.encoding("loaded by another"))))
}

// modelStatus returns the status of describing a model on the calling thread.
func (s *seam) modelStatus(model abi.Model) abi.Status {
	b := &struct {
		abi.ModelDescribe
		outcome     abi.Outcome
		description abi.ModelDescription
	}{}
	b.ModelDescribe = abi.ModelDescribe{Model: model, Outcome: plant(&b.outcome), Description: &b.description}
	s.table.ModelDescribe(&b.ModelDescribe)
	return b.outcome.Status
}

// executorStatus returns the status of describing an executor.
func (s *seam) executorStatus(executor abi.Executor) abi.Status {
	b := &struct {
		abi.ExecutorDescribe
		outcome     abi.Outcome
		description abi.ExecutorDescription
	}{}
	b.ExecutorDescribe = abi.ExecutorDescribe{Executor: executor, Outcome: plant(&b.outcome), Description: &b.description}
	s.table.ExecutorDescribe(&b.ExecutorDescribe)
	return b.outcome.Status
}

func closesWait(u *user) {
	for name, closing := range map[string]struct {
		begin func(seat) error
		begun func(seat) error
	}{
		"model": {
			func(at seat) error { return at.model.Close() },
			func(at seat) error { _, err := at.model.Describe(background); return err },
		},
		"executor": {
			func(at seat) error { return at.executor.Close() },
			func(at seat) error { _, err := at.executor.Describe(); return err },
		},
	} {
		at := u.seat(full())
		call, g := u.running(at, "a call that the closing waits for")
		closed := make(chan error, 1)
		go func() { closed <- errors.Join(closing.begin(at), call.Status()) }()
		until(u.T, func() bool { return errors.Is(closing.begun(at), uform.ErrClosed) })
		stays(u.T, closed)
		g.Open()
		require.NoError(u, comes(u.T, closed), name)
		full().encodesLike(u.T, []string{"a call that the closing waits for"}, u.read(u.wait(call)))
	}
	require.NotPanics(u, func() {
		require.NoError(u, (*uform.Model)(nil).Close())
		require.NoError(u, (*uform.Executor)(nil).Close())
	}, "closing nil handles")

	at := u.seat(full())
	other := u.executor()
	require.NoError(u, at.executor.Close())
	encoded := u.encode(seat{other, at.model, u.arena(other)}, "loaded by another")
	full().encodesLike(u.T, []string{"loaded by another"}, u.read(encoded))
}

func refusalsChangeNothing(s *seam) {
	p := s.place(full())
	e := s.encode(p.encoding("outputs that stay", "as they are"))
	want := s.read(e)
	times, bytes := s.growth(p.arena)
	unchanged := func() {
		s.Helper()
		require.Equal(s, want, s.read(e))
		timesNow, bytesNow := s.growth(p.arena)
		require.Equal(s, []int{times, bytes}, []int{timesNow, bytesNow})
	}
	many := lines(100)
	for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
		refused := func(status abi.Status, item int, change func(*encoding)) {
			s.Helper()
			r := p.encoding(many...)
			r.Completion = completion
			change(r)
			s.refused(r, status, item)
			unchanged()
		}
		refused(abi.StatusInvalidArgument, -1, func(r *encoding) { r.Model = 0 })
		refused(abi.StatusInvalidArgument, -1, func(r *encoding) { r.Model = abi.Model(p.arena) })
		refused(abi.StatusInvalidArgument, -1, func(r *encoding) { r.Scalar = 99 })
		refused(abi.StatusInvalidArgument, -1, func(r *encoding) { r.Completion = 7 })
		refused(abi.StatusInvalidArgument, -1, func(r *encoding) { r.Embeddings, r.States = nil, nil })
		refused(abi.StatusInvalidArgument, -1, func(r *encoding) { r.Texts.Offsets = nil })
		refused(abi.StatusInvalidArgument, 0, func(r *encoding) { r.Texts.Offsets, r.Count = &[]uintptr{4, 3, 5}[0], 2 })
		refused(abi.StatusUnsupported, -1, func(r *encoding) { r.Scalar = abi.ScalarF64 })
		refused(abi.StatusUnsupported, -1, func(r *encoding) { r.Scalar = abi.ScalarI8 })
		c := p.choosing([]string{"x"}, []string{"ab"})
		c.Completion, c.Reserved = completion, 1
		s.refusedChoice(c, abi.StatusInvalidArgument, -1)
		unchanged()
	}
	// Contended for the executor, which another call holds.
	running := p.in(s.arena(p.executor)).encoding("in flight")
	g := s.running(running)
	s.refused(p.encoding(many...), abi.StatusContended, -1)
	s.refused(p.encoding(many...).deferring(), abi.StatusContended, -1)
	unchanged()
	// And for the arena: the running call keeps its outputs.
	s.refused(p.in(running.Arena).encoding(many...), abi.StatusContended, -1)
	g.Open()
	full().encodesLike(s.T, []string{"in flight"}, s.read(s.wait(running)))
	unchanged()
}

func refusalsChangeNothingForTheUser(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "outputs that stay", "as they are")
	want := u.read(encoded)
	many := uform.Strings(append(lines(100), strings.Repeat("longer than the context ", 2)))
	on, later := at.model.On(at.executor), at.model.Deferred(at.executor)
	refused := func(status error, options *uform.TextOptions) {
		u.Helper()
		_, err := on.TextEncode(background, many, at.arena, options)
		require.ErrorIs(u, err, status)
		require.Equal(u, want, u.read(encoded))
		_, err = later.TextEncode(background, many, at.arena, options)
		require.ErrorIs(u, err, status)
		require.Equal(u, want, u.read(encoded))
	}
	g, handler := u.gate()
	call, err := later.TextEncode(background, uform.Strings([]string{"in flight"}), u.arena(at.executor), u.both(handler))
	require.NoError(u, err)
	comes(u.T, g.entered)
	refused(uform.ErrContended, nil)
	g.Open()
	u.wait(call)
	refused(uform.ErrInvalidArgument, &uform.TextOptions{Whole: true})
	refused(uform.ErrUnsupported, &uform.TextOptions{Outputs: uform.States, Scalar: uform.I8})
	refused(uform.ErrUnsupported, &uform.TextOptions{Scalar: abi.ScalarF64})
	refused(uform.ErrInvalidArgument, &uform.TextOptions{Scalar: 99})
}
