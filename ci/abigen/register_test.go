package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The generated code runs, in a module of its own, on a package native that records what it is
// asked to call. What it must do stands in testdata/register.
func TestGeneratedTableCallsWhatItShould(t *testing.T) {
	root := checkout(t)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "internal", "native"), 0o755))
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o644))
	}
	write("go.mod", "module github.com/unum-cloud/uform-go\n\ngo 1.26\n")
	write("abi/extensions.go", "package abi\n\ntype Extensions struct{}\n")
	for _, path := range []string{"internal/native/native.go", "loader/register_test.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", "register", filepath.Base(path)))
		require.NoError(t, err)
		write(path, string(text))
	}
	command := exec.Command("go", "test", "./loader")
	command.Dir = root
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
}

// A pointer to a callback's state is no pointer to Go; one that nothing precedes is.
func TestVoidPointersAreToldApartByShape(t *testing.T) {
	const declaration = "typedef struct uform_watch_t { void *data; uform_progress_callback_t seen; void *seen_state; size_t reserved; } uform_watch_t;"
	h, err := parse(columns[0].Target, alone(withDeclaration(t, declaration)))
	require.NoError(t, err)
	watch := h.Structs[len(h.Structs)-1]
	require.Equal(t, "unsafe.Pointer", watch.Fields[0].Type.Go)
	require.Equal(t, "Progress", watch.Fields[1].Type.Go)
	require.Equal(t, "uintptr", watch.Fields[2].Type.Go)
}

func TestFieldsHaveTheGoTypesTheirShapeAsksFor(t *testing.T) {
	h, err := parse(columns[0].Target, alone(headerText(t)))
	require.NoError(t, err)
	for _, test := range []struct{ c, field, want string }{
		{"uform_outcome_t", "status", "Status"},
		{"uform_outcome_t", "item", "int32"},
		{"uform_outcome_t", "message", "uintptr"},
		{"uform_outcome_t", "call", "uintptr"},
		{"uform_tape_view_t", "data", "unsafe.Pointer"},
		{"uform_tape_view_t", "offsets", "*uintptr"},
		{"uform_rows_view_t", "data", "unsafe.Pointer"},
		{"uform_rows_view_t", "stride", "uintptr"},
		{"uform_rows_tape_view_t", "rows", "RowsView"},
		{"uform_rows_tape_view_t", "offsets", "unsafe.Pointer"},
		{"uform_gpu_device_t", "name", "[64]byte"},
		{"uform_gpu_devices_t", "devices", "*GPUDevice"},
		{"uform_gpu_devices_t", "count", "*uintptr"},
		{"uform_executor_init_t", "executor", "*Executor"},
		{"uform_executor_init_t", "memory_domains", "uint64"},
		{"uform_executor_init_vram_t", "devices", "*int32"},
		{"uform_model_load_t", "path", "*byte"},
		{"uform_model_load_t", "progress", "Progress"},
		{"uform_model_load_t", "progress_state", "uintptr"},
		{"uform_text_encode_t", "model", "Model"},
		{"uform_text_encode_t", "outcome", "*Outcome"},
		{"uform_text_encode_t", "texts", "TapeView"},
		{"uform_text_encode_t", "states", "*RowsTapeView"},
		{"uform_trainer_init_t", "learning_rate", "float64"},
		{"uform_trainer_step_t", "modalities", "*Modality"},
	} {
		s, i := field(t, h, test.c, test.field)
		require.Equal(t, test.want, s.Fields[i].Type.Go, test.c+"."+test.field)
	}
}

func TestEntryPointsHaveTheGoTypesTheirShapeAsksFor(t *testing.T) {
	h, err := parse(columns[0].Target, alone(headerText(t)))
	require.NoError(t, err)
	signatures := map[string]string{}
	for _, f := range h.Functions {
		signatures[f.Go] = signature(f, "")
	}
	for name, want := range map[string]string{
		"StatusToString": "func(status Status) string",
		"OutcomeWait":    "func(outcome *Outcome) Status",
		"VersionMajor":   "func() int32",
		"LayoutOf":       "func(name string) uintptr",
		"Capabilities":   "func(compiled, detected *uint64)",
		"ArenaFree":      "func(arena Arena)",
		"ModelLoadVRAM":  "func(arguments *ModelLoad)",
		"TextEncode":     "func(arguments *TextEncode)",
	} {
		require.Equal(t, want, signatures[name], name)
	}
	optional := 0
	for _, f := range h.Functions {
		if f.Optional {
			optional++
		}
	}
	require.Equal(t, 21, optional)
}
