package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	for c, want := range map[string]string{
		"uform_text_encode_t":        "TextEncode",
		"uform_executor_init_vram_t": "ExecutorInitVRAM",
		"uform_gpu_devices_t":        "GPUDevices",
		"uform_progress_callback_t":  "Progress",
		"uform_arena_t":              "Arena",
	} {
		require.Equal(t, want, typeName(c))
	}
	for c, want := range map[string]string{
		"uform_status_out_of_memory_k": "StatusOutOfMemory",
		"uform_status_io_k":            "StatusIO",
		"uform_residency_ram_k":        "ResidencyRAM",
		"uform_scalar_bf16_k":          "ScalarBF16",
		"uform_scalar_e5m2_k":          "ScalarE5M2",
		"uform_scalar_b1_k":            "ScalarB1",
		"uform_capability_rocm_k":      "CapabilityROCm",
		"uform_capability_numa_k":      "CapabilityNUMA",
		"uform_capability_cuda_k":      "CapabilityCUDA",
		"uform_caller_inclusive_k":     "CallerInclusive",
	} {
		require.Equal(t, want, constantName(c))
	}
	require.Equal(t, "ModelLoadVRAM", functionName("uform_model_load_vram"))
	require.Equal(t, "progressState", parameterName("progress_state"))
	require.Equal(t, "typeValue", parameterName("type"), "a keyword of Go")
	require.Equal(t, "functionValue", parameterName("function"), "a variable of the generated code")
	require.Equal(t, "_", parameterName("_"))
}

func TestShortNames(t *testing.T) {
	for _, test := range []struct{ enum, enumerator, want string }{
		{"uform_status_t", "uform_status_invalid_argument_k", "invalid_argument"},
		{"uform_caller_exclusivity_t", "uform_caller_exclusive_k", "exclusive"},
		{"uform_mood_t", "uform_mood_k", "mood"},
		{"uform_memory_t", "uform_memory_memory_k", "memory"},
	} {
		require.Equal(t, test.want, shortName(test.enum, test.enumerator))
	}
}
