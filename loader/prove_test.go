package loader_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/loader"
)

func TestProven(t *testing.T) {
	library := open(t, stub(t))
	require.Len(t, library.Origin.Proven, 3)
	require.Empty(t, library.Origin.Unproven)
	text := library.Origin.String()
	require.True(t, strings.HasPrefix(text, "native 4.7.1 "+library.Origin.Path+"; proven: version, layout ("), text)
	made, freed := counts(library)
	require.Equal(t, [2]uint64{1, 1}, [2]uint64{made, freed}, "the arena of the proof is freed")
}

// A library that cannot be asked is used, and the origin says what is not known.
func TestUnproven(t *testing.T) {
	library := open(t, stub(t, "STUB_PLAIN"))
	require.Equal(t, []string{"arena"}, library.Origin.Proven)
	require.Equal(t, []string{"version (no uform_version_major)", "layout (no uform_layout_of)"}, library.Origin.Unproven)
	require.Empty(t, library.Origin.Version)
	require.Contains(t, library.Origin.String(), "not proven: version (no uform_version_major), layout (no uform_layout_of)")
	require.Nil(t, library.Table.VersionMajor)
	require.Nil(t, library.Table.LayoutOf)

	require.Equal(t, "4", open(t, stub(t, "STUB_NO_MINOR")).Origin.Version)
}

// The options may want more: then a library that proves nothing is refused, and one that proves
// everything is not.
func TestRequireProven(t *testing.T) {
	for name, test := range map[string]struct {
		fault  string
		reason string
	}{
		"nothing":           {"STUB_PLAIN", "layout (no uform_layout_of)"},
		"all but a version": {"STUB_NO_MINOR", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := stub(t, test.fault)
			library, err := loader.Open(&loader.Options{Path: path, RequireProven: true})
			if test.reason == "" {
				require.NoError(t, err)
				require.Empty(t, library.Origin.Unproven)
				return
			}
			requireFailure(t, err, errors.ErrLibraryMissing, "RequireProven", test.reason, path)
			_, err = loader.Open(&loader.Options{Path: path})
			require.NoError(t, err, "and it can be used without that")
			t.Setenv(loader.Variable, path)
			_, err = loader.Open(&loader.Options{RequireProven: true})
			requireFailure(t, err, errors.ErrLibraryMissing, "RequireProven", test.reason, path)
		})
	}
}

func TestProvenAfterWaiting(t *testing.T) {
	open(t, stub(t, "STUB_DEFERRED"))
}

// Bug 3: a field inserted upstream, hidden by padding; bug 17: a library of another version. Both
// are refused before a verb is called, and the error says what differs.
func TestBug3And17DifferentLibrariesAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		faults  []string
		status  errors.Status
		reasons []string
	}{
		"older": {[]string{"STUB_MAJOR=3"}, errors.ErrLibraryMissing, []string{"found major version 3, want 4"}},
		"newer": {[]string{"STUB_MAJOR=5"}, errors.ErrLibraryMissing, []string{"found major version 5, want 4"}},
		"older and lacking": {[]string{"STUB_MAJOR=3", "STUB_LACKS"}, errors.ErrLibraryMissing,
			[]string{"found major version 3, want 4"}},
		"lacking": {[]string{"STUB_LACKS"}, errors.ErrSymbolMissing,
			[]string{"lacks 2 of the 12 symbols", ": uform_executor_drain, uform_model_free"}},
		"moved field": {[]string{`STUB_LIE="uform_text_encode_t.arena"`}, errors.ErrLibraryMissing,
			[]string{"its layout differs: uform_text_encode_t.arena is at byte ", "these differ: uform_text_encode_t.arena"}},
		"grown struct": {[]string{`STUB_LIE="uform_outcome_t"`}, errors.ErrLibraryMissing,
			[]string{"its layout differs: uform_outcome_t takes "}},
		"unknown field": {[]string{`STUB_FORGET="uform_rows_view_t.scalar"`}, errors.ErrLibraryMissing,
			[]string{"its layout differs: it does not know uform_rows_view_t.scalar"}},
		"two differences": {[]string{`STUB_FORGET="uform_rows_view_t.scalar"`, `STUB_LIE="uform_trainer_step_t"`}, errors.ErrLibraryMissing,
			[]string{"its layout differs: it does not know uform_rows_view_t.scalar;", "these differ: uform_rows_view_t.scalar, uform_trainer_step_t"}},
		"silent": {[]string{"STUB_SILENT"}, errors.ErrLibraryMissing, []string{"uform_arena_init left its outcome unknown"}},
		"no arena": {[]string{"STUB_NO_ARENA"}, errors.ErrLibraryMissing,
			[]string{"uform_arena_init succeeded without an arena"}},
		"failing": {[]string{"STUB_FAILS"}, errors.ErrLibraryMissing,
			[]string{"uform_arena_init failed on the calling thread", "out of memory: the stub was told to fail"}},
		"silent about the arena": {[]string{"STUB_SILENT_DESCRIBE"}, errors.ErrLibraryMissing,
			[]string{"uform_arena_describe left its outcome unknown"}},
		"arena elsewhere": {[]string{"STUB_VRAM"}, errors.ErrLibraryMissing,
			[]string{"residency 1 on device 0 for an arena of the calling thread, want 0 on -1"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := stub(t, test.faults...)
			_, err := loader.Open(&loader.Options{Path: path})
			requireFailure(t, err, test.status, append(test.reasons, path)...)
			_, again := loader.Open(&loader.Options{Path: path})
			require.EqualError(t, again, err.Error(), "a verdict stays")
		})
	}
}

// A library that is not libuform at all lacks everything at once.
func TestRefusedForeign(t *testing.T) {
	needNative(t)
	path := filepath.Join(loadertest.Folder(t), "libforeign.so")
	loadertest.Compile(t, path, filepath.Join("..", "platform", "testdata", "small.c"))
	_, err := loader.Open(&loader.Options{Path: path})
	var required []string
	for _, symbol := range abi.Symbols {
		if !symbol.Optional {
			required = append(required, symbol.Name)
		}
	}
	requireFailure(t, err, errors.ErrSymbolMissing, strings.Join(required, ", "))
}

// The table's text functions copy, and live with what C leaves out.
func TestText(t *testing.T) {
	library := open(t, stub(t))
	require.Equal(t, "fine", library.Table.StatusToString(abi.StatusSuccess))
	require.Empty(t, library.Table.StatusToString(abi.StatusUnknown))
	require.Equal(t, ^uintptr(0), library.Table.LayoutOf(""))
	require.Equal(t, uintptr(4), library.Table.LayoutOf("uform_status_t\x00behind the end"))
}
