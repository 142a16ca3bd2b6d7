package loader_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/platform"
)

// One file is one instance under all of its names, and proven once.
func TestOpenTwice(t *testing.T) {
	path := stub(t)
	first := open(t, path)
	link, hard := filepath.Join(t.TempDir(), "link.so"), filepath.Join(filepath.Dir(path), "hard.so")
	require.NoError(t, os.Link(path, hard))
	names := []string{path, filepath.Dir(path) + "/../" + filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path), hard}
	err := os.Symlink(path, link)
	// On Windows links need a privilege, and those of Wine lead nowhere.
	if _, broken := os.Stat(link); runtime.GOOS != "windows" || err == nil && broken == nil {
		require.NoError(t, err)
		names = append(names, link)
	}
	for _, name := range names {
		again := open(t, name)
		require.Same(t, first.Table, again.Table)
		require.Equal(t, filepath.Clean(name), again.Origin.Path)
	}
	made, _ := counts(first)
	require.Equal(t, uint64(1), made)

	again := open(t, path)
	again.Origin.Skipped = []loader.Candidate{{Path: "x"}}
	require.Empty(t, open(t, path).Origin.Skipped, "an origin is its opener's own")
}

// Two files are two instances, whatever they hold.
func TestOpenCopies(t *testing.T) {
	path := stub(t)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	copied := filepath.Join(loadertest.Folder(t), filepath.Base(path))
	require.NoError(t, os.WriteFile(copied, content, 0o755))
	require.NotSame(t, open(t, path).Table, open(t, copied).Table)
}

func TestOpenConcurrently(t *testing.T) {
	paths := []string{stub(t), stub(t)}
	tables := make([]*abi.Library, 64)
	var group sync.WaitGroup
	for i := range tables {
		group.Go(func() {
			library, err := loader.Open(&loader.Options{Path: paths[i%2]})
			if err != nil {
				t.Error(err)
				return
			}
			tables[i] = library.Table
		})
	}
	group.Wait()
	require.NotSame(t, tables[0], tables[1])
	for i, table := range tables {
		require.Same(t, tables[i%2], table)
	}
	for _, path := range paths {
		made, freed := counts(open(t, path))
		require.Equal(t, [2]uint64{1, 1}, [2]uint64{made, freed})
	}
}

// The system keeps what it has loaded under a path, also when another file has taken the path over.
func TestOpenReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a library in use cannot be replaced")
	}
	path, other := stub(t), stub(t, "STUB_NO_MINOR")
	first := open(t, path)
	require.NoError(t, os.Rename(other, path))
	library, err := loader.Open(&loader.Options{Path: path})
	if err == nil { // a system that looks behind the path
		require.NotSame(t, first.Table, library.Table)
		require.Equal(t, "4", library.Origin.Version)
		return
	}
	require.ErrorContains(t, err, "before it changed")
}

// A library without a file: its path is a number that the next one may get.
func TestOpenMemory(t *testing.T) {
	content, err := os.ReadFile(stub(t))
	require.NoError(t, err)
	path, release, err := platform.PrivateFile(content, platform.LibraryNames()[0])
	require.NoError(t, err)
	library := open(t, path)
	require.Equal(t, path, library.Origin.Path)
	require.Equal(t, "4.7.1", library.Origin.Version)
	if runtime.GOOS != "linux" {
		return
	}

	require.NoError(t, release())
	require.Equal(t, "fine", library.Table.StatusToString(abi.StatusSuccess), "it stays loaded")
	older, err := os.ReadFile(stub(t, "STUB_NO_MINOR"))
	require.NoError(t, err)
	second, _, err := platform.PrivateFile(older, "libuform.so")
	require.NoError(t, err)
	if second != path {
		return // somebody else took the number
	}
	other, err := loader.Open(&loader.Options{Path: second})
	if err == nil {
		require.Nil(t, other.Table.VersionMinor, "musl knows a library by more than its name, and loads the one that is there now")
		return
	}
	require.ErrorContains(t, err, "before it changed", "never the older library under the newer one's name")
}
