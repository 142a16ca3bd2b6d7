package contract_test

import (
	"reflect"
	"runtime"
	"runtime/debug"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// B05–B09, B13, B15, B16: how the interface behaves.
var interfaceFacts = []fact{
	{id: "B05", words: "a_zeroed_field_means_its_default", table: zeroedFields, api: zeroedOptions},
	{id: "B06", words: "an_argument_struct_may_be_reused", table: reusedArguments},
	{id: "B07", words: "the_outcome_has_a_readable_status", table: readableOutcome},
	{id: "B08", words: "a_result_is_final_once_its_status_left_deferred", table: finalResults},
	{id: "B09", words: "the_statuses_are_named_and_numbered", table: statuses},
	{id: "B13", words: "outputs_and_their_scalar_are_chosen_call_by_call", table: chosenOutputs, api: chosenOutputsOfTheUser},
	{id: "B15", words: "ragged_outputs_have_one_more_offset_than_items", table: raggedOutputs, api: raggedOutputsOfTheUser},
	{id: "B16", words: "on_a_vram_executor_every_output_is_device_memory", table: deviceOutputs, api: deviceOutputsOfTheUser, absent: gpuOnly},
}

func zeroedFields(s *seam) {
	b := &struct {
		executorInit     abi.ExecutorInit
		executorInitVRAM abi.ExecutorInitVRAM
		arenaInit        abi.ArenaInit
		modelLoad        abi.ModelLoad
		textEncode       abi.TextEncode
		executor         abi.Executor
		arena            abi.Arena
		model            abi.Model
		embeddings       abi.RowsView
	}{}
	s.Cleanup(func() {
		s.table.ArenaFree(b.arena)
		s.table.ModelFree(b.model)
		s.table.ExecutorFree(b.executor)
	})
	// Only the required fields: not even an outcome, so that the call blocks and drops its result.
	b.executorInit.Executor, b.executorInitVRAM.Executor = &b.executor, &b.executor
	if s.onDevice {
		s.table.ExecutorInitVRAM(&b.executorInitVRAM)
	} else {
		s.table.ExecutorInit(&b.executorInit)
	}
	require.NotZero(s, b.executor)
	description := s.describeExecutor(b.executor)
	require.Equal(s, abi.MoodParked, description.Mood)
	if s.onDevice {
		require.Zero(s, description.Device, "device zero")
		require.NotZero(s, description.Streams)
	} else {
		require.Equal(s, abi.CallerInclusive, description.Exclusivity)
		require.NotZero(s, description.MemoryDomainsCount)
		require.NotZero(s, description.Threads)
		if runtime.GOMAXPROCS(0) == runtime.NumCPU() {
			require.EqualValues(s, runtime.NumCPU(), description.Threads, "every core")
		}
	}
	b.arenaInit.Arena = &b.arena
	b.modelLoad.Model, b.modelLoad.Path = &b.model, abi.CText(full().path(s.T))
	if s.onDevice {
		b.arenaInit.Executor, b.modelLoad.Executor = b.executor, b.executor
		s.table.ModelLoadVRAM(&b.modelLoad)
	} else {
		s.table.ModelLoad(&b.modelLoad)
	}
	s.table.ArenaInit(&b.arenaInit)
	require.NotZero(s, b.arena)
	require.NotZero(s, b.model)
	b.textEncode = abi.TextEncode{Model: b.model, Count: 1, Texts: tape([]string{"partial"}), Arena: b.arena, Embeddings: &b.embeddings}
	if s.onDevice {
		b.textEncode.Executor = b.executor
	}
	s.table.TextEncode(&b.textEncode)
	require.Equal(s, abi.ScalarF32, b.embeddings.Scalar, "the model's own scalar")
	embedding, _ := full().reference.encode("partial")
	near(s.T, embedding, s.floats(b.embeddings, 1), 1e-4, "embedding")
	// A deferred call without an outcome blocks.
	if !s.onDevice {
		b.textEncode.Executor = s.holder()
	}
	b.textEncode.Completion, b.embeddings = abi.CompletionDeferring, abi.RowsView{}
	s.table.TextEncode(&b.textEncode)
	near(s.T, embedding, s.floats(b.embeddings, 1), 1e-4, "embedding")
}

func zeroedOptions(u *user) {
	at := u.seat(full())
	for _, options := range []*uform.TextOptions{nil, {}} {
		encoded, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"x"}), at.arena, options)
		require.NoError(u, err)
		require.Equal(u, 1, encoded.Embeddings.Len())
		require.Equal(u, uform.F32, encoded.Embeddings.Scalar())
		require.Equal(u, uform.RowsTape{}, encoded.States)
	}
	if !u.onDevice {
		u.threads(nil)
		u.threads(&uform.ExecutorOptions{})
	}
	encoded, err := at.model.On(at.executor).TextEncode(background, uform.Tape{}, at.arena, nil)
	require.NoError(u, err)
	require.Zero(u, encoded.Embeddings.Len())
}

func reusedArguments(s *seam) {
	p := s.place(full())
	e := p.encoding("the first use")
	for _, texts := range [][]string{{"the first use"}, {"the", "second"}, {}, {"", "the fourth", "use"}} {
		e.Texts, e.Count = tape(texts), uintptr(len(texts))
		full().encodesLike(s.T, texts, s.read(s.encode(e)))
		e.Texts, e.Count = tape([]string{"\xFF"}), 1
		s.refused(e, abi.StatusMalformed, 0)
	}
	e.Texts, e.Count = tape([]string{"and deferred"}), 1
	for range 3 {
		s.table.TextEncode(&e.deferring().TextEncode)
		full().encodesLike(s.T, []string{"and deferred"}, s.read(s.wait(e)))
	}
}

func readableOutcome(s *seam) {
	status, has := reflect.TypeFor[abi.Outcome]().FieldByName("Status")
	require.True(s, has)
	require.EqualValues(s, status.Offset, s.table.LayoutOf("uform_outcome_t.status"))
	p := s.place(full())
	good, bad := p.encoding("x"), p.encoding("x", "\xFF")
	s.encode(good)
	require.Equal(s, good.outcome.Status, s.table.OutcomeStatus(&good.outcome))
	s.refused(bad, abi.StatusMalformed, 1)
	require.Equal(s, bad.outcome.Status, s.table.OutcomeStatus(&bad.outcome))
	require.NotEmpty(s, text(&bad.outcome))
	require.Equal(s, abi.StatusInvalidArgument, s.table.OutcomeStatus(nil))
	require.Equal(s, abi.StatusInvalidArgument, s.table.OutcomeWait(nil))
}

func finalResults(s *seam) {
	stays := func(outcome *abi.Outcome, want abi.Status) {
		s.Helper()
		require.Equal(s, want.String(), s.table.OutcomeWait(outcome).String(), "a caller that finds deferred waits")
		final := *outcome
		for range 3 {
			require.Equal(s, want, s.table.OutcomeStatus(outcome))
			require.Equal(s, want, s.table.OutcomeWait(outcome))
			require.Equal(s, final, *outcome)
		}
	}
	b := &struct {
		abi.ArenaInit
		outcome abi.Outcome
		arena   abi.Arena
	}{}
	b.ArenaInit = abi.ArenaInit{Arena: &b.arena, Outcome: plant(&b.outcome)}
	s.table.ArenaInit(&b.ArenaInit)
	stays(&b.outcome, abi.StatusSuccess)
	_, outcome := s.describeArena(b.arena)
	stays(outcome, abi.StatusSuccess)
	s.table.ArenaFree(b.arena)
	_, outcome = s.describeArena(b.arena)
	stays(outcome, abi.StatusInvalidArgument)
	b.ArenaInit = abi.ArenaInit{Outcome: plant(&b.outcome)}
	s.table.ArenaInit(&b.ArenaInit)
	stays(&b.outcome, abi.StatusInvalidArgument)

	p := s.place(full())
	e := p.encoding("in flight")
	g := s.running(e)
	for range 100 {
		require.Equal(s, abi.StatusDeferred, s.table.OutcomeStatus(&e.outcome))
	}
	g.Open()
	stays(&e.outcome, abi.StatusSuccess)
}

func statuses(s *seam) {
	named := map[string]abi.Status{ // the numbers are the header's
		"success": abi.StatusSuccess, "deferred": abi.StatusDeferred, "unknown": abi.StatusUnknown,
		"invalid_argument": abi.StatusInvalidArgument, "out_of_memory": abi.StatusOutOfMemory, "contended": abi.StatusContended,
		"device": abi.StatusDevice, "unsupported": abi.StatusUnsupported, "malformed": abi.StatusMalformed,
		"shape_mismatch": abi.StatusShapeMismatch, "cancelled": abi.StatusCancelled, "io": abi.StatusIO, "peer": abi.StatusPeer,
	}
	require.Zero(s, abi.StatusSuccess)
	texts := map[string]string{}
	for name, number := range named {
		require.Equal(s, name, number.String())
		text := s.table.StatusToString(number)
		require.NotEmpty(s, text)
		require.NotContains(s, texts, text, name)
		texts[text] = name
	}
	require.Equal(s, s.table.StatusToString(abi.StatusUnknown), s.table.StatusToString(-77))

	_, outcome := s.tryLoad(0, s.TempDir()+"/nothing")
	s.failed(outcome, abi.StatusIO, -1)
}

func chosenOutputs(s *seam) {
	p := s.place(full())
	texts := []string{"outputs", "call by call"}
	all := s.read(s.encode(p.encoding(texts...)))
	for range 2 {
		for _, scalar := range []abi.Scalar{abi.ScalarF32, abi.ScalarF16, abi.ScalarBF16, abi.ScalarI8, abi.ScalarUnknown} {
			e := s.encode(p.encoding(texts...).as(scalar))
			want := scalar
			if scalar == abi.ScalarUnknown {
				want = abi.ScalarF32
			}
			require.Equal(s, want, e.embeddings.Scalar)
			require.Equal(s, abi.RowsTapeView{}, e.states, "not requested")
		}
		e := p.encoding(texts...)
		e.Embeddings = nil
		require.Equal(s, all.states, s.read(s.encode(e)).states)
		require.Equal(s, abi.RowsView{}, e.embeddings, "not requested")
		for _, scalar := range []abi.Scalar{abi.ScalarF16, abi.ScalarBF16} {
			e := s.encode(p.encoding(texts...).scalars(scalar))
			require.Equal(s, scalar, e.embeddings.Scalar)
			require.Equal(s, scalar, e.states.Rows.Scalar)
		}
	}
	nothing := p.encoding(texts...)
	nothing.Embeddings, nothing.States = nil, nil
	s.refused(nothing, abi.StatusInvalidArgument, -1)
	c := p.choosing([]string{"x"}, []string{"ab"})
	c.Probabilities = nil
	s.refusedChoice(c, abi.StatusInvalidArgument, -1)
}

func chosenOutputsOfTheUser(u *user) {
	at := u.seat(full())
	on := at.model.On(at.executor)
	texts := uform.Strings([]string{"outputs", "call by call"})
	for _, scalar := range []uform.Scalar{uform.F32, uform.F16, uform.BF16, uform.I8} {
		encoded, err := on.TextEncode(background, texts, at.arena, &uform.TextOptions{Scalar: scalar})
		require.NoError(u, err)
		require.Equal(u, scalar, encoded.Embeddings.Scalar())
		require.ErrorIs(u, encoded.States.Err(), uform.ErrInvalidArgument)
	}
	encoded, err := on.TextEncode(background, texts, at.arena, &uform.TextOptions{Outputs: uform.States})
	require.NoError(u, err)
	require.Equal(u, uform.Rows{}, encoded.Embeddings)
	require.Equal(u, 2, encoded.States.Len())
}

func raggedOutputs(s *seam) {
	p := s.place(full())
	e := s.encode(p.encoding(samples...))
	offsets := s.offsets(e.states, len(samples))
	require.Zero(s, offsets[0])
	for i, text := range samples {
		require.Equal(s, min(len(text), full().config.Context), offsets[i+1]-offsets[i], "%q", text)
	}
	c := p.choosing([]string{"x", "y"}, []string{"abc", "d"})
	s.choose(c)
	require.Equal(s, []int{0, 3, 4}, s.offsets(c.probabilities, 2), "the last offset is the number of rows")
}

func raggedOutputsOfTheUser(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, samples...)
	out := u.read(encoded)
	require.Len(u, out.offsets, len(samples)+1)
	require.Equal(u, encoded.States.Rows().Len(), out.offsets[len(samples)])
	if !u.onDevice {
		for i, rows := range encoded.States.All() {
			require.Equal(u, out.offsets[i+1]-out.offsets[i], rows.Len())
		}
	}
}

func deviceOutputs(s *seam) {
	p := s.place(full())
	e := s.encode(p.encoding("one", "two"))
	c := p.in(s.arena(p.executor)).choosing([]string{"x"}, []string{"ab"})
	s.choose(c)
	for _, output := range []uintptr{
		uintptr(e.embeddings.Data), uintptr(e.states.Rows.Data), uintptr(e.states.Offsets),
		uintptr(c.probabilities.Rows.Data), uintptr(c.probabilities.Offsets),
	} {
		onlyDevice(s.T, s.implementation, output)
	}
}

func deviceOutputsOfTheUser(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	for _, output := range []uintptr{encoded.Embeddings.Data(), encoded.States.Rows().Data(), encoded.States.Offsets()} {
		onlyDevice(u.T, u.implementation, output)
	}
}

// onlyDevice requires that an address can be copied from on the device and faults when the host
// reads it.
func onlyDevice(t require.TestingT, on *implementation, address uintptr) {
	require.True(t, on.copyOut(make([]byte, 4), address))
	require.True(t, faults(address), "the host can read it")
}

// faults reports whether reading an address faults.
func faults(address uintptr) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	sink = abi.Memory(address, 1)[0]
	return false
}

var sink byte

func arrowTapes(s *seam) {
	require.Equal(s, reflect.TypeFor[*uintptr](), field[abi.TapeView]("Offsets"))
	require.Equal(s, reflect.TypeFor[*uint32](), field[abi.ImageEncodePixels]("Heights"))
	require.Equal(s, reflect.TypeFor[*uint32](), field[abi.ImageEncodePixels]("Widths"))
	require.Equal(s, reflect.TypeFor[uint32](), field[abi.AudioEncodeSamples]("SampleRate"))
	p := s.place(full())
	data := []byte("before|one text|another|after")
	bounds := []uintptr{7, 15, 15, 16, 23}
	texts := []string{"one text", "", "|", "another"}
	for _, executor := range s.executors(p) {
		e := p.on(executor).encoding(texts...)
		e.Texts = abi.Tape(data, bounds)
		full().encodesLike(s.T, texts, s.read(s.encode(e)))
	}
	// count + 1 offsets, which never decrease.
	e := p.encoding(texts...)
	e.Texts = abi.Tape(data, []uintptr{7, 15, 14, 16, 23})
	s.refused(e, abi.StatusInvalidArgument, 1)
	s.refused(e.deferring(), abi.StatusInvalidArgument, 1)
	c := p.choosing([]string{"x", "y"}, []string{"ab", "cd"})
	c.Choices = abi.Tape([]byte("abcd"), []uintptr{2, 0, 4})
	s.refusedChoice(c, abi.StatusInvalidArgument, 0)
	for _, missing := range []abi.TapeView{{}, {Offsets: &bounds[0]}, {Data: abi.Tape(data, bounds).Data}} {
		e := p.encoding("x")
		e.Texts = missing
		s.refused(e, abi.StatusInvalidArgument, -1)
		e.Count = 0
		s.encode(e)
	}
}

// executors returns those that can run the calls of a place. On the host, 0 is one of them.
func (s *seam) executors(p place) []abi.Executor {
	s.Helper()
	if s.onDevice {
		return []abi.Executor{p.executor}
	}
	return []abi.Executor{0, p.executor, s.holder(), s.threads(2, abi.CallerInclusive), s.threads(3, abi.CallerExclusive)}
}

// field is the type of a field of a mirror.
func field[Mirror any](name string) reflect.Type {
	field, _ := reflect.TypeFor[Mirror]().FieldByName(name)
	return field.Type
}

func arrowTapesOfTheUser(u *user) {
	at := u.seat(full())
	on := at.model.On(at.executor)
	data := []byte("before|one text|another|after")
	texts := []string{"one text", "", "|", "another"}
	for _, tape := range []uform.Tape{
		{Data: data, Offsets: []int64{7, 15, 15, 16, 23}}, uform.Narrow(data, []int32{7, 15, 15, 16, 23}), uform.Strings(texts),
	} {
		encoded, err := on.TextEncode(background, tape, at.arena, both)
		require.NoError(u, err)
		full().encodesLike(u.T, texts, u.read(encoded))
	}
	for _, offsets := range [][]int64{{7, 6}, {-1, 3}, {0, 30}, {30, 30}} {
		_, err := on.TextEncode(background, uform.Tape{Data: data, Offsets: offsets}, at.arena, both)
		require.ErrorIs(u, err, uform.ErrInvalidArgument, "%v", offsets)
	}
}

func moodsOfTheUser(u *user) {
	require.EqualValues(u, 0, uform.Parked, "the default")
	require.EqualValues(u, 1, uform.Spinning)
	for _, mood := range []uform.Mood{uform.Parked, uform.Spinning} {
		var executor *uform.Executor
		var err error
		if u.onDevice {
			executor, err = u.library.NewDeviceExecutor(&uform.DeviceExecutorOptions{Mood: mood})
		} else {
			executor, err = u.library.NewExecutor(&uform.ExecutorOptions{Threads: 1, Mood: mood})
		}
		require.NoError(u, err)
		description, err := executor.Describe()
		require.NoError(u, err)
		require.Equal(u, mood, description.Mood)
		require.NoError(u, executor.Close())
	}
}
