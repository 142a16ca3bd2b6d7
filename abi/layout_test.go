package abi_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// The compiler's view of the mirrors equals the parser's view of the header, fact by fact.
func TestMirrorsKeepTheLayoutOfTheHeader(t *testing.T) {
	measured, expected := abi.Measured(), abi.Expected()
	require.Len(t, measured, len(expected))
	for i := range measured {
		require.Equal(t, expected[i], measured[i], measured[i].Name())
	}
}

// Sizes written by hand, words and bytes apart, as the header's own checks have them. They depend
// on neither the parser nor the generator.
func TestSizesAreWordsPlusBytes(t *testing.T) {
	const word = unsafe.Sizeof(uintptr(0))
	sizes := map[string]uintptr{}
	for _, fact := range abi.Measured() {
		if fact.Field == "" {
			sizes[fact.Name()] = fact.Bytes()
		}
	}
	for _, test := range []struct {
		name         string
		words, bytes uintptr
	}{
		{"uform_status_t", 0, 4},
		{"uform_outcome_t", 2, 8},
		{"uform_tape_view_t", 2, 0},
		{"uform_rows_view_t", 4, 0},
		{"uform_rows_tape_view_t", 5, 0},
		{"uform_arena_description_t", 0, 8},
		{"uform_gpu_device_t", 0, 88},
		{"uform_executor_init_t", 2, 24},
		{"uform_model_load_t", 6, 8},
		{"uform_model_description_t", 0, 64},
		{"uform_text_encode_t", 11, 8},
		{"uform_text_choose_t", 13, 8},
		{"uform_audio_encode_samples_t", 11, 16},
		{"uform_trainer_init_t", 8, 32},
		{"uform_trainer_step_t", 14, 16},
	} {
		require.Equal(t, test.words*word+test.bytes, sizes[test.name], test.name)
	}
}

// Every field of every mirror is measured, so that the comparison leaves none out.
func TestNoFieldIsLeftOut(t *testing.T) {
	fields := map[string]int{}
	for _, fact := range abi.Measured() {
		fields[fact.Struct]++
	}
	for _, mirror := range []struct {
		name  string
		value any
	}{
		{"uform_outcome_t", abi.Outcome{}},
		{"uform_gpu_device_t", abi.GPUDevice{}},
		{"uform_model_description_t", abi.ModelDescription{}},
		{"uform_image_encode_pixels_t", abi.ImageEncodePixels{}},
		{"uform_trainer_step_t", abi.TrainerStep{}},
	} {
		require.Equal(t, reflect.TypeOf(mirror.value).NumField()+1, fields[mirror.name], mirror.name)
	}
}

func TestFactsAreAskedForByTheirCNames(t *testing.T) {
	whole := abi.Fact{Struct: "uform_outcome_t", Size: 24}
	require.Equal(t, "uform_outcome_t", whole.Name())
	require.Equal(t, uintptr(24), whole.Bytes())

	field := abi.Fact{Struct: "uform_outcome_t", Field: "item", Offset: 4, Width: 8}
	require.Equal(t, "uform_outcome_t.item", field.Name())
	require.Equal(t, uintptr(4), field.Bytes())
}

// Layouts returns a copy, so that no caller can change what the loader compares with.
func TestLayoutsCannotBeChanged(t *testing.T) {
	first := abi.Layouts()[0]
	abi.Layouts()[0] = abi.Layout{}
	require.Equal(t, first, abi.Layouts()[0])
}

// The table and its symbols have the same order, by which the loader fills the table.
func TestSymbolsFollowTheTable(t *testing.T) {
	table := reflect.TypeFor[abi.Library]()
	for i, symbol := range abi.Symbols {
		require.Equal(t, reflect.Func, table.Field(i).Type.Kind(), symbol.Name)
	}
	last := table.Field(len(abi.Symbols))
	require.Equal(t, "Extensions", last.Name, "one field for each symbol, then the extensions")
	require.Equal(t, "uform_status_to_string", abi.Symbols[0].Name)
	require.Equal(t, "StatusToString", table.Field(0).Name)
	require.Equal(t, "uform_trainer_free", abi.Symbols[len(abi.Symbols)-1].Name)
	require.Equal(t, "TrainerFree", table.Field(len(abi.Symbols)-1).Name)
}

func TestNumbersHaveTheHeadersNames(t *testing.T) {
	require.Equal(t, "invalid_argument", abi.StatusInvalidArgument.String())
	require.Equal(t, "status(-77)", abi.Status(-77).String())
	require.Equal(t, "bf16", abi.ScalarBF16.String())
	require.Equal(t, "scalar(12)", abi.Scalar(12).String())
	require.Equal(t, "vram", abi.ResidencyVRAM.String())
	require.Equal(t, "parked", abi.MoodParked.String())
	require.Equal(t, "exclusive", abi.CallerExclusive.String())
	require.Equal(t, "caller exclusivity(2)", abi.CallerExclusivity(2).String())
	require.Equal(t, "image_files", abi.CapabilityImageFiles.String())
}
