//go:build !android

package platform_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
	"golang.org/x/sys/unix"
)

// A temporary folder that is full or read-only is an error that leaves nothing behind; nothing is
// ever executed from it, so it may forbid that. The disk is a small one in memory, mounted in a
// process that has its mounts to itself.
func TestTemporaryFilesOnBadDisks(t *testing.T) {
	const variable = "UFORM_TEST_DISK"
	folder := os.Getenv(variable)
	if folder == "" {
		command := exec.Command(os.Args[0], "-test.run=^TestTemporaryFilesOnBadDisks$")
		command.Env = append(os.Environ(), variable+"="+t.TempDir())
		command.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		printed, err := command.CombinedOutput()
		if command.Process == nil {
			t.Skip("this system lets no process mount a disk of its own: ", err)
		}
		require.NoError(t, err, "%s", printed)
		return
	}
	t.Setenv("TMPDIR", folder)
	weights := make([]byte, 1<<20)
	empty := func() {
		t.Helper()
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	require.NoError(t, unix.Mount("full", folder, "tmpfs", unix.MS_NOEXEC, "size=64k"))
	_, _, err := platform.TemporaryFile(weights, "model")
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NotContains(t, err.Error(), folder, "a private path is nobody's business")
	empty()
	path, remove, err := platform.TemporaryFile([]byte("a few"), "model")
	require.NoError(t, err)
	read, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "a few", string(read))
	require.NoError(t, remove())
	empty()

	require.NoError(t, unix.Mount("full", folder, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	_, _, err = platform.TemporaryFile(weights, "model")
	require.ErrorIs(t, err, unix.EROFS)
	require.NotContains(t, err.Error(), folder)
	// The memory file needs no disk.
	path, release, err := platform.PrivateFile(weights, "model")
	require.NoError(t, err)
	read, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, weights, read)
	require.NoError(t, release())
	empty()
}
