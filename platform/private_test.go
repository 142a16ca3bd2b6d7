package platform_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

func TestPrivateFile(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("x"), make([]byte, 3<<20)} {
		path, release, err := platform.PrivateFile(data, "model-*.safetensors")
		require.NoError(t, err)
		require.True(t, filepath.IsAbs(path) || runtime.GOARCH == "wasm")
		read, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(data), string(read))
		mapping, err := platform.MapFile(path)
		require.NoError(t, err)
		require.Equal(t, string(data), string(mapping.Bytes()))
		require.NoError(t, mapping.Close())
		require.NoError(t, release())
		require.NoError(t, release(), "releasing twice")
		_, err = os.Stat(path)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// Two at a time are two, and each keeps its path until it is released.
func TestPrivateFilesAreApart(t *testing.T) {
	first, releaseFirst, err := platform.PrivateFile([]byte("first"), "x")
	require.NoError(t, err)
	second, releaseSecond, err := platform.PrivateFile([]byte("second"), "x")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.NoError(t, releaseFirst())
	// It may take over the first one's number.
	third, releaseThird, err := platform.PrivateFile([]byte("third"), "x")
	require.NoError(t, err)
	require.NoError(t, releaseFirst())
	for path, want := range map[string]string{second: "second", third: "third"} {
		read, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(read))
	}
	require.NoError(t, releaseSecond())
	require.NoError(t, releaseThird())
}

func TestPrivateFileRefuses(t *testing.T) {
	for _, pattern := range []string{"", "*", ".", "..", "a/b", "../a", "/a", "a\x00b"} {
		_, _, err := platform.PrivateFile(nil, pattern)
		require.ErrorContains(t, err, "not a file name", "%q", pattern)
	}
}

func TestTemporaryFile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	path, remove, err := platform.TemporaryFile([]byte("weights"), "model")
	require.NoError(t, err)
	require.Equal(t, folder, filepath.Dir(filepath.Dir(path)))
	if runtime.GOOS != "windows" {
		for place, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			info, err := os.Stat(place)
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm(), place)
		}
	}
	read, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "weights", string(read))
	require.NoError(t, remove())
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}
