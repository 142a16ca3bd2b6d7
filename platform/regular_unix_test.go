//go:build unix

package platform_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
	"golang.org/x/sys/unix"
)

// A pipe without a writer would block whoever opens it, a device of zeroes whoever reads it.
func TestIrregularFiles(t *testing.T) {
	folder, err := os.MkdirTemp("", "") // a socket's path is short
	require.NoError(t, err)
	defer os.RemoveAll(folder)
	pipe, socket, link := filepath.Join(folder, "pipe"), filepath.Join(folder, "socket"), filepath.Join(folder, "link")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	require.NoError(t, os.Symlink(pipe, link))
	for _, path := range []string{pipe, socket, link, "/dev/zero"} {
		notRegular(t, path)
	}
}

// A pipe that takes the path between the first look at it and the opening keeps nobody waiting.
func TestAPipeThatTakesThePath(t *testing.T) {
	folder := t.TempDir()
	path, pipe, file := filepath.Join(folder, "path"), filepath.Join(folder, "pipe"), filepath.Join(folder, "file")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	require.NoError(t, os.Symlink(file, path))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(folder, "next")
			_ = os.Symlink([]string{pipe, file}[i%2], next)
			_ = os.Rename(next, path)
		}
	}()
	for range 2_000 {
		if content, err := platform.ReadRegular(path); err == nil {
			require.Equal(t, "content", string(content))
		} else {
			require.ErrorContains(t, err, "not a regular file")
		}
	}
	close(stop)
	<-stopped
}
