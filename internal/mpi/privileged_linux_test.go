package mpi_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/mpi"
)

func init() { report = func() { fmt.Println(mpi.Find()) } }

// A set-uid program does not load what its user's environment names.
func TestPrivileged(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can make a set-uid program and run it as somebody else")
	}
	folder, err := os.MkdirTemp("", "uform-set-uid-")
	require.NoError(t, err)
	defer os.RemoveAll(folder)
	require.NoError(t, os.Chmod(folder, 0o755))
	program := filepath.Join(folder, "program")
	from, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer from.Close()
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	named := filepath.Join(folder, "libmpi.so.12")
	run := func(mode os.FileMode) string {
		require.NoError(t, os.Chmod(program, mode))
		command := exec.Command(program)
		command.Env = []string{scenarioVariable + "=find", mpi.Variable + "=" + named, "PMI_RANK=0", "PMI_SIZE=2"}
		command.Dir = "/"
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		said, err := command.CombinedOutput()
		require.NoError(t, err, string(said))
		return string(said)
	}
	require.Contains(t, run(0o755), "UFORM_MPI names a library of no use: stat "+named)
	require.NotContains(t, run(0o755|os.ModeSetuid), named)
}
