package contract_test

import (
	"os"
	"reflect"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// A01–A06: who owns which bytes.
var ownershipFacts = []fact{
	{id: "A01", words: "no_call_takes_an_allocator", table: noAllocator},
	{id: "A02", words: "weights_belong_to_the_model_and_stay_where_they_were_loaded", table: weightsAreTheModels},
	{id: "A03", words: "weights_gradients_and_moments_under_training_belong_to_the_trainer", table: trainersOwnTheirWeights},
	{id: "A04", words: "scratch_belongs_to_the_executor_and_grows_to_a_high_water_mark", table: scratchIsTheExecutors},
	{id: "A05", words: "every_growing_output_lies_in_the_arena_of_its_call", table: outputsLieInTheArena, api: outputsLieInTheArenaOfTheUser},
	{id: "A06", words: "reports_are_the_callers_own_fields", table: func(s *seam) { reportsNeedNoArena(s); statsNeedNoArena(s) }},
}

// argumentStructs calls each with every argument struct of the table.
func argumentStructs(each func(verb string, arguments reflect.Type)) {
	table := reflect.TypeFor[abi.Library]()
	for i := range table.NumField() {
		if verb := table.Field(i); isVerb(verb.Type) {
			each(verb.Name, verb.Type.In(0).Elem())
		}
	}
}

// isVerb reports whether a function can fail: it then takes one argument struct.
func isVerb(function reflect.Type) bool {
	return function.Kind() == reflect.Func && function.NumIn() == 1 && function.In(0).Kind() == reflect.Pointer &&
		function.In(0).Elem().Kind() == reflect.Struct && function.In(0).Elem() != reflect.TypeFor[abi.Outcome]()
}

func noAllocator(s *seam) {
	verbs := 0
	argumentStructs(func(verb string, arguments reflect.Type) {
		verbs++
		for i := range arguments.NumField() {
			field := arguments.Field(i)
			for _, word := range []string{"alloc", "malloc", "free", "memory"} {
				if field.Name != "MemoryDomains" {
					require.NotContains(s, strings.ToLower(field.Name), word, verb)
				}
			}
			require.NotEqual(s, reflect.Func, field.Type.Kind(), "%s.%s", verb, field.Name)
			if field.Type.Kind() != reflect.Uintptr {
				continue
			}
			// A word is a handle, a count, the progress callback or its state, or reserved.
			switch field.Type {
			case reflect.TypeFor[abi.Arena](), reflect.TypeFor[abi.Executor](), reflect.TypeFor[abi.Model](),
				reflect.TypeFor[abi.Trainer](), reflect.TypeFor[abi.Progress]():
			default:
				require.Contains(s, []string{"Count", "Capacity", "DevicesCount", "ProgressState", "Reserved"}, field.Name, verb)
			}
		}
	})
	require.NotZero(s, verbs)
	// No verb passes ownership of memory: those that free something take only the handle.
	for _, free := range []any{s.table.ArenaFree, s.table.ExecutorFree, s.table.ModelFree, s.table.TrainerFree} {
		require.Equal(s, 1, reflect.TypeOf(free).NumIn())
		require.Equal(s, reflect.Uintptr, reflect.TypeOf(free).In(0).Kind())
	}
}

func weightsAreTheModels(s *seam) {
	texts := []string{"one text", "and another"}
	path := full().path(s.T)
	loader := s.executor()
	model, outcome := s.tryLoad(loader, path)
	s.succeeded(outcome)
	twin, outcome := s.tryLoad(loader, path)
	s.succeeded(outcome)
	require.NoError(s, os.Remove(path))
	before := s.describeModel(model, loader, abi.CompletionBlocking)
	require.NotZero(s, before.WeightsBytes)
	if s.onDevice {
		require.Equal(s, abi.ResidencyVRAM, before.Residency)
		require.Zero(s, before.Device)
	} else {
		require.Equal(s, abi.ResidencyRAM, before.Residency)
		require.EqualValues(s, -1, before.Device)
	}

	// The weights are shared neither with the executor that loaded them nor with another model of
	// the same file.
	executor := s.executor()
	p := place{executor, model, s.arena(executor)}
	want := s.read(s.encode(p.encoding(texts...)))
	full().encodesLike(s.T, texts, want)
	s.table.ModelFree(twin)
	s.table.ExecutorFree(loader)
	require.Equal(s, want, s.read(s.encode(p.encoding(texts...))))
	require.Equal(s, before, s.describeModel(model, executor, abi.CompletionBlocking), "using a model does not change it")

	if s.onDevice {
		weightsOnADevice(s)
	}
}

// weightsOnADevice shows that weights take memory of the device until the model is freed.
func weightsOnADevice(s *seam) {
	executor := s.gpu(1)
	free := s.gpus()[1].MemoryFreeBytes
	model := s.load(executor, full())
	description := s.describeModel(model, executor, abi.CompletionBlocking)
	require.Equal(s, abi.ResidencyVRAM, description.Residency)
	require.EqualValues(s, 1, description.Device)
	require.Equal(s, free-description.WeightsBytes, s.gpus()[1].MemoryFreeBytes)
	s.table.ModelFree(model)
	require.Equal(s, free, s.gpus()[1].MemoryFreeBytes)
}

func scratchIsTheExecutors(s *seam) {
	p := s.place(long())
	idle := s.executor()
	scratch := func(texts ...string) uint64 {
		s.Helper()
		s.encode(p.encoding(texts...))
		return s.describeExecutor(p.executor).ScratchBytes
	}
	small := scratch("few")
	require.NotZero(s, small)
	many := strings.Repeat("many bytes ", 25)
	large := scratch(many)
	require.Greater(s, large, small)
	for range 3 {
		require.Equal(s, large, scratch(many), "the same work again")
		require.Equal(s, large, scratch("few"), "the high-water mark stays")
	}
	require.Zero(s, s.describeExecutor(idle).ScratchBytes, "an executor that did nothing")
}

func outputsLieInTheArena(s *seam) {
	p := s.place(full())
	texts := []string{"one text", "", "another text"}
	e := s.encode(p.encoding(texts...))
	want := s.read(e)
	rows := uintptr(want.offsets[len(texts)])
	ends := map[string][2]uintptr{
		"embeddings": {uintptr(e.embeddings.Data), e.Count * e.embeddings.Stride},
		"states":     {uintptr(e.states.Rows.Data), rows * e.states.Rows.Stride},
		"offsets":    {uintptr(e.states.Offsets), (e.Count + 1) * wordBytes},
	}
	// A library refuses inputs that lie in the arena, so a refusal shows where they are.
	_, capacity := s.growth(p.arena)
	total := uintptr(0)
	for name, output := range ends {
		total += output[1]
		for _, address := range []uintptr{output[0], output[0] + output[1] - 1} {
			aliased := p.encoding("x")
			aliased.Texts = abi.TapeView{Data: abi.Pointer(address), Offsets: &[]uintptr{0, 1}[0]}
			s.refused(aliased, abi.StatusInvalidArgument, -1)
		}
		for other, extent := range ends {
			apart := output[0]+output[1] <= extent[0] || extent[0]+extent[1] <= output[0]
			require.True(s, name == other || apart, "%s and %s overlap", name, other)
		}
	}
	require.LessOrEqual(s, int(total), capacity)
	require.Equal(s, want, s.read(e), "nothing of that touched the arena")

	if full().config.Decoder != nil {
		c := p.choosing([]string{"to be or not to b"}, []string{"aeiou"})
		s.choose(c)
		for _, address := range []uintptr{uintptr(c.probabilities.Rows.Data), uintptr(c.probabilities.Offsets)} {
			aliased := p.encoding("x")
			aliased.Texts = abi.TapeView{Data: abi.Pointer(address), Offsets: &[]uintptr{0, 1}[0]}
			s.refused(aliased, abi.StatusInvalidArgument, -1)
		}
	}
}

func outputsLieInTheArenaOfTheUser(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one text", "another")
	states := encoded.States.Rows()
	for _, output := range [][2]uintptr{
		{encoded.Embeddings.Data(), uintptr(encoded.Embeddings.Len() * encoded.Embeddings.Stride())},
		{states.Data(), uintptr(states.Len() * states.Stride())},
		{encoded.States.Offsets(), uintptr(encoded.States.Len()+1) * wordBytes},
	} {
		aliased := uform.Tape{Data: abi.Memory(output[0], output[1]), Offsets: []int64{0, 1}}
		_, err := at.model.On(at.executor).TextEncode(background, aliased, at.arena, both)
		require.ErrorIs(u, err, uform.ErrInvalidArgument)
	}
}

func reportsNeedNoArena(s *seam) {
	for _, arguments := range []reflect.Type{
		reflect.TypeFor[abi.ModelDescribe](), reflect.TypeFor[abi.ExecutorDescribe](), reflect.TypeFor[abi.GPUDevices](),
	} {
		_, has := arguments.FieldByName("Arena")
		require.False(s, has, arguments.Name())
	}
	p := s.place(full())
	e := s.encode(p.encoding("what a report must not touch"))
	want := s.read(e)
	times, bytes := s.growth(p.arena)
	require.Equal(s, full().config.Width, int(s.describeModel(p.model, p.executor, abi.CompletionBlocking).StateColumns))
	require.NotZero(s, s.describeExecutor(p.executor))
	s.gpus()
	description, outcome := s.describeArena(p.arena)
	s.succeeded(outcome)
	require.NotEqual(s, abi.ArenaDescription{Residency: -77, Device: -77}, description)
	require.Equal(s, want, s.read(e))
	timesNow, bytesNow := s.growth(p.arena)
	require.Equal(s, []int{times, bytes}, []int{timesNow, bytesNow})
}
