package loadertest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/platform"
)

// Many processes may build at once; whoever gets a path gets a whole library.
func TestLibraryConcurrently(t *testing.T) {
	loadertest.Need(t) // skips where there is none
	cache := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, cache)
	}
	paths := make([]string, 2)
	errs := make([]error, len(paths))
	var group sync.WaitGroup
	for i := range paths {
		group.Go(func() {
			if paths[i], errs[i] = loadertest.BuildLibrary(); errs[i] == nil {
				errs[i] = platform.Inspect(paths[i])
			}
		})
	}
	group.Wait()
	for i := range paths {
		require.NoError(t, errs[i])
		require.Equal(t, paths[0], paths[i])
	}
	require.Contains(t, paths[0], cache)
	left, err := os.ReadDir(filepath.Dir(paths[0]))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing but the library")

	before, err := os.Stat(paths[0])
	require.NoError(t, err)
	again, err := loadertest.BuildLibrary()
	require.NoError(t, err)
	after, err := os.Stat(again)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "what is built is kept")
}

func TestHash(t *testing.T) {
	root := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	seen := map[string]string{}
	fresh := func(what, identity string) {
		t.Helper()
		key, err := loadertest.Hash(identity, root)
		require.NoError(t, err)
		require.NotContains(t, seen, key, what)
		seen[key] = what
		again, err := loadertest.Hash(identity, root)
		require.NoError(t, err)
		require.Equal(t, key, again)
	}
	write("abi/uform.h", "int x;")
	write("testdata/libuform/a.c", "int a;")
	fresh("first", "gcc 12")
	fresh("another compiler", "gcc 13")
	write("abi/uform.h", "int y;")
	fresh("another header", "gcc 12")
	write("testdata/libuform/a.c", "int b;")
	fresh("another source", "gcc 12")
	write("testdata/libuform/b.h", "")
	fresh("one more source", "gcc 12")
	write("testdata/libuform/inner/c.c", "")
	fresh("an inner source", "gcc 12")
	require.NoError(t, os.Rename(filepath.Join(root, "testdata/libuform/b.h"), filepath.Join(root, "testdata/libuform/c.h")))
	fresh("another name", "gcc 12")
	require.Len(t, seen, 7)
}

func TestTryCompiler(t *testing.T) {
	require.Error(t, loadertest.TryCompiler("uform-no-such-compiler"))
	other := "aarch64-linux-gnu-gcc"
	if runtime.GOARCH == "arm64" {
		other = "x86_64-linux-gnu-gcc"
	}
	if _, err := exec.LookPath(other); err != nil {
		t.Skip("no cross compiler on this machine")
	}
	require.ErrorContains(t, loadertest.TryCompiler(other), "another target")
}

// A compiler that is named and cannot do its work is a failure, not a reason to skip.
func TestNamedCompiler(t *testing.T) {
	if os.Getenv(loadertest.Variable) == "uform-no-such-compiler" {
		_, err := loadertest.BuildLibrary()
		require.ErrorContains(t, err, `UFORM_CC names ["uform-no-such-compiler"]`)
		require.NotErrorIs(t, err, loadertest.ErrNoCompiler)
		return
	}
	if !platform.Native {
		t.Skip(platform.Unsupported())
	}
	command := exec.Command(os.Args[0], "-test.run=^TestNamedCompiler$")
	command.Env = append(os.Environ(), loadertest.Variable+"=uform-no-such-compiler")
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s", said)
}
