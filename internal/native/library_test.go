package native_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/internal/native"
	"github.com/unum-cloud/uform-go/platform"
)

// small is the library of testdata/small.c, as a path.
func small(t testing.TB) string {
	t.Helper()
	if err := native.Unsupported(); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(loadertest.Folder(t), platform.LibraryNames()[0])
	loadertest.Compile(t, path, "-D_POSIX_C_SOURCE=200809L", filepath.Join("testdata", "small.c"))
	return path
}

// opened is that library, opened.
func opened(t testing.TB) uintptr {
	t.Helper()
	handle, err := native.Open(small(t))
	require.NoError(t, err)
	return handle
}

func TestUnsupported(t *testing.T) {
	if native.Supported {
		require.NoError(t, native.Unsupported())
		return
	}
	for _, err := range []error{
		native.Unsupported(), second(native.Open("/x")), second(native.Symbol(1, "x")), second(native.Callback(nil)),
	} {
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
	native.KeepSignals()()
}

func second[T any](_ T, err error) error { return err }

func TestOpen(t *testing.T) {
	path := small(t)
	handle, err := native.Open(path)
	require.NoError(t, err)
	again, err := native.Open(path)
	require.NoError(t, err)
	require.Equal(t, handle, again)
	address, err := native.Symbol(handle, "uform_test_digits")
	require.NoError(t, err)
	require.NotZero(t, address)

	_, err = native.Symbol(handle, "uform_test_absent")
	require.ErrorContains(t, err, "uform_test_absent")
	_, err = native.Symbol(0, "malloc")
	require.Error(t, err, "no handle is not the whole process")
	for _, name := range []string{"", filepath.Base(path), "./" + filepath.Base(path)} {
		_, err = native.Open(name)
		require.ErrorContains(t, err, "not an absolute path")
	}
}

// Every failure keeps its own message, whichever threads the goroutines meet on.
func TestOpenConcurrentFailures(t *testing.T) {
	if err := native.Unsupported(); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			path := filepath.Join(folder, fmt.Sprintf("libabsent-%d-.so", i))
			for range 200 {
				if _, err := native.Open(path); err == nil || !ownMessage(err, path) {
					t.Errorf("%s: %v", path, err)
					return
				}
			}
		})
	}
	group.Wait()
}
