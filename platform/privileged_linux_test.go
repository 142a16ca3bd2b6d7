//go:build !android

package platform_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

// reportVariable turns this test program into one that only says how it was started.
const reportVariable = "UFORM_TEST_REPORT_PRIVILEGED"

func TestMain(m *testing.M) {
	if os.Getenv(reportVariable) != "" {
		fmt.Println(os.Geteuid() != os.Getuid(), platform.Privileged(), platform.Places()[0])
		return
	}
	os.Exit(m.Run())
}

// A set-uid program is privileged for everybody but its owner, and its own folder is not believed.
func TestPrivilegedSetUID(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can make a set-uid program and run it as somebody else")
	}
	folder, err := os.MkdirTemp("", "uform-set-uid-")
	require.NoError(t, err)
	defer os.RemoveAll(folder)
	require.NoError(t, os.Chmod(folder, 0o755))
	program := filepath.Join(folder, "program")
	copyFile(t, program)

	run := func(mode os.FileMode) string {
		require.NoError(t, os.Chmod(program, mode))
		command := exec.Command(program)
		command.Env = append(os.Environ(), reportVariable+"=1")
		command.Dir = "/"
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		said, err := command.Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(said))
	}
	require.Equal(t, "false false "+folder, run(0o755))
	said := run(0o755 | os.ModeSetuid)
	if strings.HasPrefix(said, "false") {
		t.Skip("the temporary files lie where the system ignores the set-uid bit")
	}
	require.True(t, strings.HasPrefix(said, "true true /usr/"), said)
}

// copyFile copies the running test program.
func copyFile(t *testing.T, path string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	from, err := os.Open(program)
	require.NoError(t, err)
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
}
