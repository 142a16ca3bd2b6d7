package mpitest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unum-cloud/uform-go/platform"
)

// Launcher is an MPI launcher of this machine.
type Launcher struct {
	// Name is "Open MPI" or "MPICH".
	Name string
	// Survive are the arguments with which it leaves processes alone when another has died.
	Survive []string

	command, environment []string
}

// known are the launchers by the names that Debian gives them, which others may stand beside, and
// by their own.
var known = []struct {
	Launcher
	programs []string
}{
	{Launcher{
		Name:    "Open MPI",
		Survive: []string{"--enable-recovery"},
		// More processes than cores is what a test wants, and in a container they are root's and
		// may not look at each other.
		command:     []string{"--oversubscribe", "--bind-to", "none", "--mca", "btl_vader_single_copy_mechanism", "none"},
		environment: []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
	}, []string{"mpirun.openmpi", "mpirun"}},
	{Launcher{
		Name:    "MPICH",
		Survive: []string{"-disable-auto-cleanup"},
	}, []string{"mpiexec.mpich", "mpiexec.hydra", "mpiexec"}},
}

// find is the program of a launcher, by what it says of itself.
func find(name string, programs []string) (string, bool) {
	sign := map[string]string{"Open MPI": "Open MPI", "MPICH": "HYDRA"}[name]
	for _, program := range programs {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		if said, _ := exec.Command(path, "--version").CombinedOutput(); bytes.Contains(said, []byte(sign)) {
			return path, true
		}
	}
	return "", false
}

// Launchers are those that this machine has.
func Launchers() (found []Launcher) {
	for _, candidate := range known {
		if path, ok := find(candidate.Name, candidate.programs); ok {
			launcher := candidate.Launcher
			launcher.command = append([]string{path}, launcher.command...)
			found = append(found, launcher)
		}
	}
	return found
}

// Each runs a test with each launcher. One that the machine lacks is skipped, and so is everything
// where the build loads no shared libraries.
func Each(t *testing.T, test func(t *testing.T, launcher Launcher)) {
	t.Helper()
	launchers := Launchers()
	for _, candidate := range known {
		t.Run(strings.ReplaceAll(candidate.Name, " ", ""), func(t *testing.T) {
			if err := platform.Unsupported(); err != nil {
				t.Skip(err)
			}
			at := slices.IndexFunc(launchers, func(l Launcher) bool { return l.Name == candidate.Name })
			if at < 0 {
				t.Skipf("no launcher of %s: install one of %s", candidate.Name, strings.Join(candidate.programs, ", "))
			}
			test(t, launchers[at])
		})
	}
}

// Run starts a program as count processes, and waits for all of them. Variables are for their
// environments, as name=value; arguments before the word "--" are for the launcher. A run that
// takes four minutes fails the test.
//
// Hydra, the launcher of MPICH, ends by SIGPIPE where its processes end before it has told them
// everything, which those without MPI may do. Such a run is tried again.
func (l Launcher) Run(t testing.TB, count int, variables []string, arguments ...string) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	line := append([]string{}, l.command[1:]...)
	for i, argument := range arguments {
		if argument == "--" {
			line, arguments = append(line, arguments[:i]...), arguments[i+1:]
			break
		}
	}
	line = append(append(line, "-n", fmt.Sprint(count)), arguments...)
	const tries = 5
	for range tries {
		command := exec.CommandContext(ctx, l.command[0], line...)
		command.Env = append(append(os.Environ(), l.environment...), variables...)
		// The launcher ends its processes first.
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
		command.WaitDelay = 10 * time.Second
		var output []byte
		output, err = command.CombinedOutput()
		if ctx.Err() != nil {
			t.Fatalf("%s: %d processes did not end:\n%s", l.Name, count, output)
		}
		said = string(output)
		if err == nil || err.Error() != "signal: broken pipe" {
			break
		}
	}
	return said, err
}
