//go:build !android

package faults_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// newRun returns a training run that has made a step.
func newRun(t *testing.T) (*uform.Trainer, uform.TrainerOn) {
	t.Helper()
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
	require.NoError(t, err)
	trainer, err := library.NewTrainerBytes(background, mini.Checkpoint(), executor, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, trainer.Close())
		require.NoError(t, executor.Close())
	})
	on := trainer.On(executor)
	_, err = on.Step(background, uform.Examples{Contents: uform.Strings([]string{"a cat", "some cat", "a dog", "some dog"})}, nil, nil)
	require.NoError(t, err)
	return trainer, on
}

// whole requires that a path holds a checkpoint that loads, and that a run resumes from.
func whole(t *testing.T, path string) {
	t.Helper()
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	b := newBench(t, library, nil)
	model, err := library.Load(background, path, nil)
	require.NoError(t, err)
	require.NoError(t, model.Close())
	trainer, err := library.NewTrainer(background, path, b.executor, nil)
	require.NoError(t, err)
	require.NoError(t, trainer.Close())
}

// If a disk has no room for a checkpoint, the save is an error. The path keeps its old content, no
// other file is left, and the same run is saved as soon as there is room.
func TestSavingToADiskThatIsFull(t *testing.T) {
	if !inChild(t) {
		return
	}
	_, on := newRun(t)
	path := filepath.Join(t.TempDir(), "run.safetensors")
	require.NoError(t, on.Save(background, path, nil))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, room := range []int{0, 100, len(before) / 2, len(before) - 1} {
		limited(t, unix.RLIMIT_FSIZE, uint64(room), func() {
			require.ErrorIs(t, on.Save(background, path, nil), uform.ErrIO, "%d bytes", room)
		})
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, now)
		left, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
	require.NoError(t, on.Save(background, path, nil))
	whole(t, path)
}

// A process that is killed while it saves leaves a complete file at the path: the old one or the
// new one.
func TestBeingKilledWhileSaving(t *testing.T) {
	const variable = "UFORM_FAULTS_SAVE"
	if path := os.Getenv(variable); path != "" {
		_, on := newRun(t)
		for {
			require.NoError(t, on.Save(background, path, nil))
			_, err := os.Stdout.WriteString("saved\n")
			require.NoError(t, err)
		}
	}
	path := filepath.Join(t.TempDir(), "run.safetensors")
	partial := 0
	for round := range 8 {
		command := exec.Command(os.Args[0], "-test.run=^TestBeingKilledWhileSaving$")
		command.Env = append(os.Environ(), variable+"="+path)
		printed, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		for lines := bufio.NewScanner(printed); lines.Scan() && !strings.Contains(lines.Text(), "saved"); {
		}
		time.Sleep(time.Duration(round) * 700 * time.Microsecond) // at some time during the saves
		require.NoError(t, command.Process.Kill())
		_, err = command.Process.Wait()
		require.NoError(t, err)
		whole(t, path)
		left, err := filepath.Glob(path + ".*.partial")
		require.NoError(t, err)
		partial += len(left)
		for _, name := range left {
			require.NoError(t, os.Remove(name))
		}
	}
	t.Logf("%d of 8 were killed within a save", partial)
}
