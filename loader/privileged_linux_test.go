//go:build !android

package loader_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/loader"
)

// A set-uid program loads neither what its user's environment names nor what lies beside it.
func TestSearchPrivileged(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can make a set-uid program and run it as somebody else")
	}
	child := newChild(t)
	writeStub(t, child.beside(0))
	named := stub(t)
	for _, folder := range []string{child.folder, filepath.Dir(child.folder), filepath.Dir(named), filepath.Dir(filepath.Dir(named))} {
		require.NoError(t, os.Chmod(folder, 0o755))
	}
	run := func(mode os.FileMode) found {
		require.NoError(t, os.Chmod(child.program, mode))
		command := child.command("optional")
		command.Dir = "/"
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return reported(t, command)
	}
	child.environment = []string{loader.Variable + "=" + named}
	require.Equal(t, named, run(0o755).Path)
	report := run(0o755 | os.ModeSetuid)
	if !report.Different {
		t.Skip("the temporary files lie where the system ignores the set-uid bit")
	}
	require.NotContains(t, []string{named, child.beside(0)}, report.Path)
	require.Equal(t, [2]string{named, "UFORM_LIBRARY is ignored in a set-uid program"}, report.Skipped[0])
	require.NotContains(t, report.Skipped[1][0], child.folder)
}
