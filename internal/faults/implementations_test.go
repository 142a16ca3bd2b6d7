package faults_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

var background = context.Background()

// eachLibrary runs a test on the engine, and on the C library if there is one.
func eachLibrary(t *testing.T, test func(t *testing.T, library *uform.Library)) {
	t.Run("engine", func(t *testing.T) {
		test(t, uform.OpenTable(hooks.With(hooks.Engine{PoisonRewound: true}, engine.New)))
	})
	t.Run("native", func(t *testing.T) { test(t, openNative(t)) })
}

func openNative(t testing.TB) *uform.Library {
	t.Helper()
	library, err := uform.Open(&uform.OpenOptions{Path: loadertest.Need(t)})
	require.NoError(t, err)
	return library
}

// bench is what a call needs.
type bench struct {
	library  *uform.Library
	model    *uform.Model
	executor *uform.Executor
	arena    *uform.Arena
}

func newBench(t testing.TB, library *uform.Library, options *uform.ExecutorOptions) bench {
	t.Helper()
	model, err := mini.Load(background, library, nil)
	require.NoError(t, err)
	executor, err := library.NewExecutor(options)
	require.NoError(t, err)
	arena, err := library.NewArena(executor)
	require.NoError(t, err)
	b := bench{library, model, executor, arena}
	t.Cleanup(func() { b.close(t) })
	return b
}

func (b bench) close(t testing.TB) {
	t.Helper()
	require.NoError(t, b.arena.Close())
	require.NoError(t, b.executor.Close())
	require.NoError(t, b.model.Close())
}

// texts are the embeddings of some texts on the executor.
func (b bench) texts(t testing.TB) [][]float32 {
	t.Helper()
	got, err := encoded(b.model.On(b.executor).TextEncode(background, uform.Strings(someTexts), b.arena, nil))
	require.NoError(t, err)
	return got.Embeddings
}

// checkpoint is a file of the example model.
func checkpoint(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	return path
}

// quiet waits until no more goroutines run than before, and fails if they do not end.
func quiet(t testing.TB, before int) {
	t.Helper()
	patience := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(patience) {
			stacks := make([]byte, 1<<20)
			require.Fail(t, "goroutines are left", "%d where %d were\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(time.Millisecond)
	}
}
