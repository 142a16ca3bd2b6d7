package engine_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
)

func TestTableHasEveryEntryPoint(t *testing.T) {
	table := reflect.ValueOf(engine.New()).Elem()
	functions := 0
	for i := range table.NumField() {
		if field := table.Field(i); field.Kind() == reflect.Func {
			require.False(t, field.IsNil(), table.Type().Field(i).Name)
			functions++
		}
	}
	require.Len(t, abi.Symbols, functions)
	extensions := engine.New().Extensions
	require.NotZero(t, extensions.ProgressCallback)
	require.NotNil(t, extensions.OnFinal)
	require.NotNil(t, extensions.ModelLoadBytes)
	require.NotNil(t, extensions.TrainerInitBytes)
}

// verbs calls each on every entry point that takes an argument struct.
func verbs(library *abi.Library, each func(name string, verb reflect.Value, arguments reflect.Type)) {
	table := reflect.ValueOf(library).Elem()
	for i := range table.NumField() {
		kind := table.Field(i).Type()
		if kind.Kind() != reflect.Func || kind.NumIn() != 1 || kind.In(0).Kind() != reflect.Pointer {
			continue
		}
		if _, has := kind.In(0).Elem().FieldByName("Outcome"); has {
			each(table.Type().Field(i).Name, table.Field(i), kind.In(0).Elem())
		}
	}
}

func TestNilArgumentsAreSafe(t *testing.T) {
	library := engine.New()
	count := 0
	verbs(library, func(name string, verb reflect.Value, arguments reflect.Type) {
		require.NotPanics(t, func() { verb.Call([]reflect.Value{reflect.Zero(reflect.PointerTo(arguments))}) }, name)
		count++
	})
	require.Equal(t, 21, count)
	require.NotPanics(t, func() { library.ModelLoadBytes(nil, nil) })
	require.NotPanics(t, func() { library.TrainerInitBytes(nil, nil) })
	require.NotPanics(t, func() { library.OnFinal(nil, nil) })
}

// TestZeroArgumentsFail shows that each verb checks before it follows a pointer, with an outcome
// and without.
func TestZeroArgumentsFail(t *testing.T) {
	library := engine.New()
	verbs(library, func(name string, verb reflect.Value, arguments reflect.Type) {
		zero := reflect.New(arguments)
		require.NotPanics(t, func() { verb.Call([]reflect.Value{zero}) }, name)
		outcome := &abi.Outcome{Status: -77, Item: -77, Message: 77, Call: 77}
		zero.Elem().FieldByName("Outcome").Set(reflect.ValueOf(outcome))
		verb.Call([]reflect.Value{zero})
		requireFailure(t, outcome, abi.StatusInvalidArgument, -1)
	})
}

func TestStatusTexts(t *testing.T) {
	library := engine.New()
	unknown := library.StatusToString(abi.StatusUnknown)
	require.NotEmpty(t, unknown)
	require.Equal(t, unknown, library.StatusToString(-77))
	seen := map[string]bool{}
	for _, status := range []abi.Status{0, 1, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -100, -101} {
		text := library.StatusToString(status)
		require.False(t, seen[text], "%v has the text of another", status)
		seen[text] = true
	}
}

func TestVersionsAndLayoutAreTheHeaders(t *testing.T) {
	library := engine.New()
	require.EqualValues(t, 4, library.VersionMajor())
	require.EqualValues(t, 0, library.VersionMinor())
	require.EqualValues(t, 0, library.VersionPatch())
	for _, fact := range abi.Expected() {
		require.Equal(t, fact.Bytes(), library.LayoutOf(fact.Name()), fact.Name())
	}
	for _, name := range []string{"", "uform", "uform_outcome_t.", "uform_outcome_t.Status", "UFORM_OUTCOME_T"} {
		require.Equal(t, uintptr(math.MaxUint), library.LayoutOf(name), name)
	}
}

func TestCapabilities(t *testing.T) {
	library := engine.New()
	var compiled, detected uint64
	library.Capabilities(&compiled, &detected)
	files := uint64(1<<abi.CapabilityImageFiles | 1<<abi.CapabilityVideoFiles | 1<<abi.CapabilityAudioFiles | 1<<abi.CapabilityTraining)
	require.Equal(t, 1<<abi.CapabilitySerial|1<<abi.CapabilityParallel|files, compiled)
	require.Equal(t, 1<<abi.CapabilitySerial|files, detected&^(1<<abi.CapabilityParallel))
	require.Zero(t, detected&^compiled)
	require.NotPanics(t, func() { library.Capabilities(nil, nil) })
}

func TestThereAreNoDevices(t *testing.T) {
	w := newWorld(t)
	var outcome abi.Outcome
	count := uintptr(9)
	w.GPUDevices(&abi.GPUDevices{Outcome: &outcome, Count: &count})
	requireSuccess(t, &outcome)
	require.Zero(t, count)

	executor := abi.Executor(9)
	w.ExecutorInitVRAM(&abi.ExecutorInitVRAM{Executor: &executor, Outcome: &outcome})
	requireFailure(t, &outcome, abi.StatusDevice, -1)
	require.Zero(t, executor)

	executor = 9
	w.ExecutorInitVRAM(&abi.ExecutorInitVRAM{Executor: &executor, Outcome: &outcome, Mood: 2})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	require.Zero(t, executor)

	for _, on := range []abi.Executor{0, w.inline()} {
		loaded := abi.Model(9)
		w.ModelLoadVRAM(&abi.ModelLoad{Model: &loaded, Executor: on, Outcome: &outcome, Path: text("x")})
		requireFailure(t, &outcome, abi.StatusDevice, -1)
		require.Zero(t, loaded)
	}
}
