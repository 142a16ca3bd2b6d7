package platform_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

func TestPlaces(t *testing.T) {
	places := platform.Places()
	if runtime.GOARCH == "wasm" {
		require.Empty(t, places)
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	program, err = filepath.EvalSymlinks(program)
	require.NoError(t, err)
	require.Equal(t, filepath.Dir(program), places[0], "the program's folder comes first")
	require.Greater(t, len(places), 1)
	for _, place := range places {
		require.True(t, filepath.IsAbs(place), place)
		require.Equal(t, filepath.Clean(place), place)
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(places))), len(places), "none twice")
}

// Neither the environment nor the working directory has a say.
func TestPlacesIgnoreTheEnvironment(t *testing.T) {
	before := platform.Places()
	folder := t.TempDir()
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "HOME"} {
		t.Setenv(name, folder)
	}
	t.Chdir(folder)
	require.Equal(t, before, platform.Places())
	require.NotContains(t, before, folder)
}

func TestLibraryNames(t *testing.T) {
	names := platform.LibraryNames()
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Contains(t, name, "uform")
		require.Equal(t, filepath.Base(name), name)
	}
}

func TestPrivileged(t *testing.T) {
	require.False(t, platform.Privileged(), "tests are not run set-uid")
}
