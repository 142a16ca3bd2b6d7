package platform_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

func TestOpenLibrary(t *testing.T) {
	if !platform.Native {
		for _, err := range []error{platform.Unsupported(), second(platform.OpenLibrary("/x")), second(platform.Symbol(1, "x"))} {
			require.ErrorIs(t, err, errors.ErrUnsupported)
		}
		return
	}
	require.NoError(t, platform.Unsupported())
	path := small(t)
	handle, err := platform.OpenLibrary(path)
	require.NoError(t, err)
	again, err := platform.OpenLibrary(path)
	require.NoError(t, err)
	require.Equal(t, handle, again)
	address, err := platform.Symbol(handle, "uform_test_answer")
	require.NoError(t, err)
	require.NotZero(t, address)

	_, err = platform.Symbol(handle, "uform_test_absent")
	require.ErrorContains(t, err, "uform_test_absent")
	_, err = platform.Symbol(0, "malloc")
	require.Error(t, err, "no handle is not the whole process")
	for _, name := range []string{"", filepath.Base(path), "./" + filepath.Base(path)} {
		_, err = platform.OpenLibrary(name)
		require.ErrorContains(t, err, "not an absolute path")
	}
}

func second[T any](_ T, err error) error { return err }

// Every failure keeps its own message, whichever threads the goroutines meet on.
func TestOpenLibraryConcurrentFailures(t *testing.T) {
	if !platform.Native {
		t.Skip(platform.Unsupported())
	}
	folder := t.TempDir()
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			path := filepath.Join(folder, fmt.Sprintf("libabsent-%d-.so", i))
			for range 200 {
				if _, err := platform.OpenLibrary(path); err == nil || !ownMessage(err, path) {
					t.Errorf("%s: %v", path, err)
					return
				}
			}
		})
	}
	group.Wait()
}
