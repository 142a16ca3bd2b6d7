package platform_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

func TestRegularFiles(t *testing.T) {
	for _, content := range []string{"", "some content"} {
		path := writeFile(t, []byte(content))
		file, size, err := platform.OpenRegular(path)
		require.NoError(t, err)
		require.EqualValues(t, len(content), size)
		require.NoError(t, file.Close())
		read, err := platform.ReadRegular(path)
		require.NoError(t, err)
		require.Equal(t, content, string(read))
		read, err = platform.ReadRegularFS(os.DirFS(filepath.Dir(path)), filepath.Base(path))
		require.NoError(t, err)
		require.Equal(t, content, string(read))
		require.NoError(t, platform.Replaceable(path))
	}
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	require.NoError(t, platform.Replaceable(missing))
	_, err := platform.ReadRegular(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = platform.ReadRegularFS(fstest.MapFS{}, "missing")
	require.ErrorIs(t, err, fs.ErrNotExist)
	notRegular(t, folder)
}

// notRegular requires that everybody refuses a path, and says why.
func notRegular(t *testing.T, path string) {
	t.Helper()
	_, _, opening := platform.OpenRegular(path)
	_, reading := platform.ReadRegular(path)
	_, ofSystem := platform.ReadRegularFS(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	_, mapping := platform.MapFile(path)
	for _, err := range []error{opening, reading, ofSystem, mapping, platform.Inspect(path), platform.Replaceable(path)} {
		require.ErrorContains(t, err, "not a regular file")
		var named *fs.PathError
		require.ErrorAs(t, err, &named)
	}
}
