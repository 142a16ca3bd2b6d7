package contract_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// B01–B04, B10–B12, B14, B17: the interface in the header, in the mirrors and in the library.
var layoutFacts = []fact{
	{id: "B01", words: "handles_are_pointers_to_opaque_structs", table: opaqueHandles},
	{id: "B02", words: "a_call_that_can_fail_takes_one_argument_struct", table: oneArgumentStruct},
	{id: "B03", words: "arena_init_holds_arena_executor_outcome", table: func(s *seam) {
		s.laidOut("uform_arena_init_t", reflect.TypeFor[abi.ArenaInit](), "arena", "executor", "outcome")
		require.Equal(s, reflect.TypeFor[*abi.Arena](), reflect.TypeFor[abi.ArenaInit]().Field(0).Type, "an out pointer")
	}},
	{id: "B04", words: "arena_describe_holds_arena_outcome_description", table: func(s *seam) {
		s.laidOut("uform_arena_describe_t", reflect.TypeFor[abi.ArenaDescribe](), "arena", "outcome", "description")
	}},
	{id: "B10", words: "count_is_the_batch_axis_alone", table: countOfItems},
	{id: "B11", words: "outputs_carry_no_capacity", table: noCapacity},
	{id: "B12", words: "rows_are_data_stride_columns_scalar", table: rowsOfAnIndex, api: rowsOfTheUser},
	{id: "B14", words: "ragged_inputs_are_arrow_tapes", table: arrowTapes, api: arrowTapesOfTheUser},
	{id: "B17", words: "moods_are_parked_and_spinning", table: moods, api: moodsOfTheUser},
}

// laidOut requires that a mirror has these fields in this order, one after the other, and that the
// library agrees. Every field is a word, or the last one.
func (s *seam) laidOut(name string, mirror reflect.Type, fields ...string) {
	s.Helper()
	require.Equal(s, len(fields), mirror.NumField(), name)
	require.Equal(s, mirror.Size(), s.table.LayoutOf(name), name)
	end := uintptr(0)
	for i, field := range fields {
		require.Equal(s, field, strings.ToLower(mirror.Field(i).Name), name)
		require.Equal(s, end, mirror.Field(i).Offset, field)
		require.Equal(s, end, s.table.LayoutOf(name+"."+field), field)
		end += mirror.Field(i).Type.Size()
	}
}

// header is the text of uform.h and of the files that it includes.
func (s *seam) header() string {
	s.Helper()
	var text strings.Builder
	require.NoError(s, filepath.WalkDir(filepath.Join("..", "..", "abi"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".h" {
			return err
		}
		part, err := os.ReadFile(path)
		text.Write(part)
		return err
	}))
	return text.String()
}

func opaqueHandles(s *seam) {
	header := s.header()
	for _, kind := range []string{"arena", "executor", "model", "trainer"} {
		require.Contains(s, header, "typedef struct uform_"+kind+"_handle_t *uform_"+kind+"_t;")
	}
	require.NotRegexp(s, regexp.MustCompile(`struct uform_\w+_handle_t\s*\{`), header, "the structs stay opaque")
	for _, handle := range []reflect.Type{
		reflect.TypeFor[abi.Arena](), reflect.TypeFor[abi.Executor](), reflect.TypeFor[abi.Model](), reflect.TypeFor[abi.Trainer](),
	} {
		require.Equal(s, reflect.TypeFor[uintptr]().Size(), handle.Size())
	}
	seen := map[uintptr]bool{0: true}
	p := s.place(full())
	for _, handle := range []uintptr{
		uintptr(p.executor), uintptr(p.model), uintptr(p.arena), uintptr(s.executor()), uintptr(s.arena(p.executor)),
	} {
		require.False(s, seen[handle], "a handle is NULL, or equals another")
		seen[handle] = true
	}
}

func oneArgumentStruct(s *seam) {
	header := s.header()
	verbs := regexp.MustCompile(`(?m)^UFORM_API void (uform_\w+)\((uform_\w+_t) \*arguments\);`).FindAllStringSubmatch(header, -1)
	named := map[string]bool{}
	for _, verb := range verbs {
		require.Equal(s, strings.TrimSuffix(verb[1], "_vram")+"_t", strings.Replace(verb[2], "_vram_t", "_t", 1))
		named[strings.ReplaceAll(strings.TrimPrefix(verb[1], "uform_"), "_", "")] = true
	}
	argumentStructs(func(verb string, arguments reflect.Type) {
		require.Contains(s, named, strings.ToLower(verb))
		outcome, has := arguments.FieldByName("Outcome")
		require.True(s, has, verb)
		require.Equal(s, reflect.TypeFor[*abi.Outcome](), outcome.Type, verb)
	})
	table := reflect.TypeFor[abi.Library]()
	others := map[string]bool{}
	for i := range table.NumField() {
		function := table.Field(i)
		switch {
		case function.Type.Kind() != reflect.Func:
		case isVerb(function.Type):
			require.Zero(s, function.Type.NumOut(), function.Name)
		default:
			others[function.Name] = true
		}
	}
	// The remaining functions cannot fail.
	require.Equal(s, map[string]bool{
		"StatusToString": true, "OutcomeStatus": true, "OutcomeWait": true, "VersionMajor": true, "VersionMinor": true,
		"VersionPatch": true, "LayoutOf": true, "Capabilities": true,
		"ArenaFree": true, "ExecutorFree": true, "ModelFree": true, "TrainerFree": true,
	}, others)
	require.Len(s, named, len(verbs))
}

// views are the mirrors of inputs and outputs.
var views = []reflect.Type{reflect.TypeFor[abi.TapeView](), reflect.TypeFor[abi.RowsView](), reflect.TypeFor[abi.RowsTapeView]()}

func countOfItems(s *seam) {
	for _, view := range views {
		_, has := view.FieldByName("Count")
		require.False(s, has, view.Name())
	}
	p := s.place(full())
	texts := []string{"one", "", "three texts", "four"}
	all := s.read(s.encode(p.encoding(texts...)))
	for count := range len(texts) {
		e := p.encoding(texts...) // the same tape each time
		e.Count = uintptr(count)
		some := s.read(s.encode(e))
		require.Len(s, some.embeddings, count*some.columns)
		require.Len(s, some.offsets, count+1)
		near(s.T, all.embeddings[:len(some.embeddings)], some.embeddings, 1e-5, "%d of the texts", count)
		require.Equal(s, all.offsets[:count+1], some.offsets)
	}
}

func noCapacity(s *seam) {
	for _, view := range append(views, reflect.TypeFor[abi.TextEncode](), reflect.TypeFor[abi.TextChoose]()) {
		for i := range view.NumField() {
			name := strings.ToLower(view.Field(i).Name)
			for _, word := range []string{"capacity", "limit", "room", "size"} {
				require.NotContains(s, name, word, view.Name())
			}
		}
	}
	// A call ignores the old content of the views.
	p := s.place(full())
	e := p.encoding("whatever the views hold", "before")
	e.embeddings = abi.RowsView{Stride: 1, Columns: 1, Scalar: abi.ScalarB1}
	e.states = abi.RowsTapeView{Rows: e.embeddings}
	full().encodesLike(s.T, []string{"whatever the views hold", "before"}, s.read(s.encode(e)))
}

// USearch 2.26.2 itself was tried: its C library takes rows of f32, f16, bf16 and i8 where they
// are, 100,000 of them, by their strides (examples/recipes/usearch).
func rowsOfAnIndex(s *seam) {
	mirror := reflect.TypeFor[abi.RowsView]()
	require.Equal(s, 4, mirror.NumField())
	for i, field := range []string{"Data", "Stride", "Columns", "Scalar"} {
		require.Equal(s, field, mirror.Field(i).Name)
		require.Equal(s, uintptr(i)*wordBytes, mirror.Field(i).Offset)
		require.Equal(s, uintptr(i)*wordBytes, s.table.LayoutOf("uform_rows_view_t."+strings.ToLower(field)))
	}
	require.EqualValues(s, 4, mirror.Field(3).Type.Size(), "the scalar has 32 bits")
	require.EqualValues(s, 4*wordBytes, s.table.LayoutOf("uform_rows_view_t"))
	// The numbers of usearch_scalar_kind_t, in USearch's c/usearch.h.
	require.Equal(s, []abi.Scalar{0, 1, 2, 3, 4, 5, 6}, []abi.Scalar{
		abi.ScalarUnknown, abi.ScalarF32, abi.ScalarF64, abi.ScalarF16, abi.ScalarI8, abi.ScalarB1, abi.ScalarBF16,
	})
	p := s.place(full())
	description := s.describeModel(p.model, p.executor, abi.CompletionBlocking)
	for scalar, bytes := range map[abi.Scalar]uintptr{abi.ScalarF32: 4, abi.ScalarF16: 2, abi.ScalarBF16: 2, abi.ScalarI8: 1} {
		e := s.encode(p.encoding("one", "two").as(scalar))
		require.Equal(s, scalar, e.embeddings.Scalar)
		require.EqualValues(s, description.EmbeddingColumns, e.embeddings.Columns)
		require.Equal(s, e.embeddings.Columns*bytes, e.embeddings.Stride)
	}
}

func rowsOfTheUser(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	rows := encoded.Embeddings
	require.NotZero(u, rows.Data())
	require.Equal(u, full().config.EmbeddingColumns(), rows.Columns())
	require.Equal(u, 4*rows.Columns(), rows.Stride())
	require.Equal(u, 2, rows.Len())
	states := encoded.States.Rows()
	require.Equal(u, full().config.Width, states.Columns())
	require.Equal(u, 4*states.Columns(), states.Stride())
}

func moods(s *seam) {
	require.EqualValues(s, 0, abi.MoodParked, "the default")
	require.EqualValues(s, 1, abi.MoodSpinning)
	named := abi.MoodValues()
	for mood, status := range map[abi.Mood]abi.Status{
		abi.MoodParked: abi.StatusSuccess, abi.MoodSpinning: abi.StatusSuccess,
		slices.Max(named[:]) + 1: abi.StatusInvalidArgument, -1: abi.StatusInvalidArgument,
	} {
		executor, outcome := s.moody(mood)
		require.Equal(s, status.String(), outcome.Status.String(), "mood %d", mood)
		require.Equal(s, status == abi.StatusSuccess, executor != 0)
		if executor != 0 {
			require.Equal(s, mood, s.describeExecutor(executor).Mood)
			s.table.ExecutorFree(executor)
		}
	}
	require.Equal(s, abi.MoodParked, s.describeExecutor(s.executor()).Mood, "the default")

	model := s.load(0, full())
	for _, mood := range []abi.Mood{abi.MoodParked, abi.MoodSpinning} {
		executor, outcome := s.moody(mood)
		s.succeeded(outcome)
		if s.onDevice {
			model = s.load(executor, full())
		}
		p := place{executor, model, s.arena(executor)}
		before := s.idlesLike(s.T, mood, executor, idleness{})
		for range 3 {
			s.encode(p.encoding("a call between"))
			before = s.idlesLike(s.T, mood, executor, before)
		}
		s.table.ArenaFree(p.arena)
		s.table.ExecutorFree(executor)
	}
}

// idleness is how often the threads of an executor have looked for work without success, and gone
// to sleep.
type idleness struct{ looks, sleeps int }

// idlesLike waits until the thread of an executor has done what the mood requires since before: it
// polls for work, or sleeps without polling.
func (on *implementation) idlesLike(t *testing.T, mood abi.Mood, executor abi.Executor, before idleness) (now idleness) {
	t.Helper()
	until(t, func() bool {
		now = on.idled(executor)
		if mood == abi.MoodSpinning {
			return now.looks > before.looks+100
		}
		return now.sleeps > before.sleeps
	})
	if mood == abi.MoodParked {
		require.Zero(t, now.looks, "a parked thread polls")
	}
	return now
}

// moody makes an executor with a mood, and returns the outcome.
func (s *seam) moody(mood abi.Mood) (abi.Executor, *abi.Outcome) {
	b := &struct {
		host     abi.ExecutorInit
		device   abi.ExecutorInitVRAM
		outcome  abi.Outcome
		executor abi.Executor
	}{}
	plant(&b.outcome)
	b.host = abi.ExecutorInit{Executor: &b.executor, Outcome: &b.outcome, Threads: 1, Exclusivity: abi.CallerExclusive, Mood: mood}
	b.device = abi.ExecutorInitVRAM{Executor: &b.executor, Outcome: &b.outcome, Mood: mood}
	if s.onDevice {
		s.table.ExecutorInitVRAM(&b.device)
	} else {
		s.table.ExecutorInit(&b.host)
	}
	return b.executor, &b.outcome
}
