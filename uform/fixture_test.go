package uform_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// fixture is a library of its own with a model, an executor and an arena.
type fixture struct {
	library  *uform.Library
	model    *uform.Model
	executor *uform.Executor
	arena    *uform.Arena
}

// newFixture uses an engine that overwrites rewound memory, so that a stale read is seen.
func newFixture(t testing.TB, options *uform.ExecutorOptions) fixture {
	t.Helper()
	library := uform.OpenTable(hooks.With(hooks.Engine{PoisonRewound: true}, engine.New))
	model, err := mini.Load(t.Context(), library, nil)
	require.NoError(t, err)
	executor, err := library.NewExecutor(options)
	require.NoError(t, err)
	arena, err := library.NewArena(executor)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, arena.Close())
		require.NoError(t, executor.Close())
		require.NoError(t, model.Close())
	})
	return fixture{library, model, executor, arena}
}

// heldOptions are an executor without threads of its own.
var heldOptions = &uform.ExecutorOptions{Threads: 1, WithCaller: true}

var (
	background = context.Background()
	someTexts  = []string{"a cat on a mat", "", "a dog in the fog"}
)

// vectors returns the model's embeddings of texts, each alone.
func vectors(t testing.TB, model *uform.Model, texts ...string) [][]float32 {
	t.Helper()
	rows, err := model.Embed(t.Context(), texts)
	require.NoError(t, err)
	return rows
}
