//go:build unix

package faults_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
)

// A library whose file was removed keeps working. Opening it again reports that there is no file.
func TestALibraryThatVanishes(t *testing.T) {
	content, err := os.ReadFile(loadertest.Need(t))
	require.NoError(t, err)
	folder := t.TempDir()
	path := filepath.Join(folder, "libuform-vanishing.so")
	require.NoError(t, os.WriteFile(path, content, 0o700))
	library, err := uform.Open(&uform.OpenOptions{Path: path})
	require.NoError(t, err)
	before := newBench(t, library, nil).texts(t)
	require.NoError(t, os.RemoveAll(folder))
	b := newBench(t, library, &uform.ExecutorOptions{Threads: 2})
	require.Equal(t, before, b.texts(t))
	_, err = b.model.On(b.executor).TextEncode(background, uform.Strings([]string{"\xff"}), b.arena, nil)
	require.ErrorIs(t, err, uform.ErrMalformed)
	_, err = uform.Open(&uform.OpenOptions{Path: path})
	require.ErrorIs(t, err, uform.ErrLibraryMissing)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, before, b.texts(t))
}

// working runs calls on all receivers and threads of a library while disturb runs, and requires
// every result to be right.
func working(t *testing.T, library *uform.Library, disturb func()) {
	t.Helper()
	want := newBench(t, library, nil).texts(t)
	var over atomic.Bool
	var calls atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		b := newBench(t, library, &uform.ExecutorOptions{Threads: 2})
		group.Go(func() {
			for !over.Load() {
				for _, on := range receivers {
					got, err := encoded(on(b.model, b.executor).TextEncode(background, uform.Strings(someTexts), b.arena,
						&uform.TextOptions{Progress: func(int, int) error { return nil }}))
					if err != nil {
						t.Error(err)
						return
					}
					for i := range want {
						if !equal(want[i], got.Embeddings[i]) {
							t.Error("another result than undisturbed")
							return
						}
					}
					calls.Add(1)
				}
			}
		})
	}
	disturb()
	over.Store(true)
	group.Wait()
	require.Positive(t, calls.Load())
	t.Logf("%d calls", calls.Load())
}

func equal(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// storm is how long signals are sent.
func storm() time.Duration {
	if long() {
		return time.Minute
	}
	return time.Second
}

// Signals reach C's threads as well as Go's: a profile at a high rate, and SIGURG, which the
// runtime uses to preempt, from two senders.
func TestSignals(t *testing.T) {
	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		// Set first, the rate holds for the profile too; the runtime says so on stderr.
		runtime.SetCPUProfileRate(2000)
		require.NoError(t, pprof.StartCPUProfile(io.Discard))
		defer pprof.StopCPUProfile()
		sent := 0
		working(t, library, func() {
			var group sync.WaitGroup
			var rest atomic.Int64
			for range 2 {
				group.Go(func() {
					count := 0
					for begin := time.Now(); time.Since(begin) < storm(); count++ {
						if err := unix.Kill(os.Getpid(), unix.SIGURG); err != nil {
							t.Error(err)
							return
						}
						runtime.Gosched()
					}
					rest.Add(int64(count))
				})
			}
			group.Wait()
			sent = int(rest.Load())
		})
		t.Logf("%d signals", sent)
	})
}

// childVariable marks a process as the child of a test.
const childVariable = "UFORM_FAULTS_CHILD"

// inChild runs the test again in a process of its own, which it may change, and reports what that
// process printed. It returns true in that process, which has to do the work.
func inChild(t *testing.T, environment ...string) bool {
	t.Helper()
	if os.Getenv(childVariable) != "" {
		return true
	}
	command := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	command.Env = append(append(os.Environ(), childVariable+"=1"), environment...)
	printed, err := command.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	require.Contains(t, string(printed), "--- PASS: "+t.Name())
	for line := range strings.Lines(string(printed)) {
		if strings.Contains(line, "_test.go:") {
			t.Log(strings.TrimSpace(line))
		}
	}
	return false
}

// Processes are started while C's threads run and models are loaded and closed. The children work,
// and inherit no file.
func TestProcessesAreStartedMeanwhile(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		open, err := os.ReadDir("/dev/fd")
		require.NoError(t, err)
		t.Logf("%d files", len(open))
		require.LessOrEqual(t, len(open), 8, "the three, what the poller and this listing take, and nothing of the parent")
		return
	}
	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		working(t, library, func() {
			for range 10 {
				var group sync.WaitGroup
				group.Go(func() {
					b := newBench(t, library, nil)
					b.texts(t)
				})
				command := exec.Command(os.Args[0], "-test.run=^TestProcessesAreStartedMeanwhile$")
				command.Env = append(os.Environ(), childVariable+"=1")
				printed, err := command.CombinedOutput()
				require.NoError(t, err, "%s", printed)
				require.True(t, bytes.Contains(printed, []byte("PASS")))
				group.Wait()
			}
		})
	})
}
