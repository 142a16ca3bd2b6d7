//go:build !android

package platform_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
	"golang.org/x/sys/unix"
)

func TestPrivateFileIsSealed(t *testing.T) {
	path, release, err := platform.PrivateFile([]byte("weights"), "model")
	require.NoError(t, err)
	defer release()
	require.Regexp(t, `^/proc/self/fd/\d+$`, path)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_, err = file.Write([]byte("W"))
		require.ErrorIs(t, err, unix.EPERM)
		require.ErrorIs(t, file.Truncate(0), unix.EPERM)
		require.NoError(t, file.Close())
	} else {
		require.ErrorIs(t, err, unix.EPERM)
	}
}

// A caller that drops release loses the memory, but never the path: no cleanup closes it.
func TestPrivateFileOutlivesItsRelease(t *testing.T) {
	path, _, err := platform.PrivateFile([]byte("weights"), "model")
	require.NoError(t, err)
	for range 3 {
		runtime.GC()
	}
	read, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "weights", string(read))
}
