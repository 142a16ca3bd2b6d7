//go:build !android

package faults_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// limited lowers a limit of this process while work runs.
func limited(t *testing.T, resource int, soft uint64, work func()) {
	t.Helper()
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(resource, &limit))
	lower := limit
	lower.Cur = soft
	require.NoError(t, unix.Setrlimit(resource, &lower))
	defer func() { require.NoError(t, unix.Setrlimit(resource, &limit)) }()
	work()
}

// virtual is the address space that the process has, in bytes.
func virtual(t *testing.T) uint64 {
	t.Helper()
	told, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages := 0
	for _, digit := range strings.Fields(string(told))[0] {
		pages = 10*pages + int(digit-'0')
	}
	return uint64(pages) * uint64(os.Getpagesize())
}

// If the outputs do not fit the address space, the call returns out of memory, on every receiver,
// and the next call succeeds.
func TestAddressSpaceRunsOut(t *testing.T) {
	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		if !inChild(t) {
			return
		}
		b := newBench(t, library, &uform.ExecutorOptions{Threads: 1})
		want := b.texts(t)
		description, err := b.model.Describe(background)
		require.NoError(t, err)
		var tape uform.Tape
		for filling := strings.Repeat("x", description.Context); len(tape.Data)*description.StateColumns*4 < 3<<29; {
			tape.AppendString(filling)
		}
		limited(t, unix.RLIMIT_AS, virtual(t)+768<<20, func() {
			for name, on := range receivers {
				_, err := on(b.model, b.executor).TextEncode(background, tape, b.arena, &uform.TextOptions{Outputs: uform.States})
				require.ErrorIs(t, err, uform.ErrOutOfMemory, name)
				require.Equal(t, want, b.texts(t), name)
			}
		})
		require.Equal(t, want, b.texts(t))
	})
}

// A load of a checkpoint that does not fit the address space returns out of memory, not an error of
// the path.
func TestCheckpointLargerThanTheAddressSpace(t *testing.T) {
	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		if !inChild(t) {
			return
		}
		path := checkpoint(t)
		require.NoError(t, os.Truncate(path, 1<<30))
		executor, err := library.NewExecutor(nil)
		require.NoError(t, err)
		limited(t, unix.RLIMIT_AS, virtual(t)+768<<20, func() {
			_, err := library.Load(background, path, nil)
			require.ErrorIs(t, err, uform.ErrOutOfMemory)
			_, err = library.NewTrainer(background, path, executor, nil)
			require.ErrorIs(t, err, uform.ErrOutOfMemory)
		})
	})
}

// In a process that may open no more files, a load reports that, for every source of the
// checkpoint. Executors, arenas and calls open no file.
func TestFilesRunOut(t *testing.T) {
	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		if !inChild(t) {
			return
		}
		b := newBench(t, library, nil)
		want := b.texts(t)
		path := checkpoint(t)
		limited(t, unix.RLIMIT_NOFILE, 0, func() {
			_, err := library.Load(background, path, nil)
			require.ErrorIs(t, err, uform.ErrIO)
			require.ErrorIs(t, err, unix.EMFILE)
			model, err := library.LoadBytes(background, mini.Checkpoint(), nil)
			if library.Table().ModelLoadBytes == nil {
				require.ErrorIs(t, err, uform.ErrIO)
				require.ErrorIs(t, err, unix.EMFILE)
			} else {
				require.NoError(t, err)
				require.NoError(t, model.Close())
			}
			require.Equal(t, want, b.texts(t))
		})
		model, err := library.LoadBytes(background, mini.Checkpoint(), nil)
		require.NoError(t, err)
		require.NoError(t, model.Close())
	})
}

// A limit of the size of files holds for private files too, in memory and on disk: the load is an
// error, and leaves no file.
func TestFilesMayNotGrow(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		loadertest.Need(t)
		folder := t.TempDir()
		if !inChild(t, "TMPDIR="+folder) {
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			require.Empty(t, left)
			return
		}
		b := newBench(t, openNative(t), nil)
		want := b.texts(t)
		limited(t, unix.RLIMIT_FSIZE, 4096, func() {
			_, err := b.library.LoadBytes(background, mini.Checkpoint(), nil)
			require.ErrorIs(t, err, uform.ErrIO)
			require.ErrorIs(t, err, unix.EFBIG)
			require.Equal(t, want, b.texts(t))
		})
		require.Equal(t, want, newBench(t, b.library, nil).texts(t))
	})
}

// Loading from memory needs no folder for temporary files where the system has memory files, so the
// folder may be missing, read-only, or mounted without permission to execute.
func TestNoTemporaryFolderIsNeeded(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		library := openNative(t)
		t.Setenv("TMPDIR", "/nowhere/at/all")
		model, err := library.LoadBytes(background, mini.Checkpoint(), nil)
		require.NoError(t, err)
		got, err := model.Embed(background, someTexts)
		require.NoError(t, err)
		require.Len(t, got, len(someTexts))
		require.NoError(t, model.Close())
	})
}
