//go:build unix

package faults_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// The engine maps the file of a checkpoint. If the file is truncated meanwhile, the calls that need
// the missing part return an error, on every receiver, and so does a load. The process and all else
// continue.
func TestACheckpointThatIsCutShort(t *testing.T) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	other := newBench(t, library, nil)
	want := other.texts(t)
	path := checkpoint(t)
	model, err := library.Load(background, path, nil)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 0))
	for name, on := range receivers {
		_, err = encoded(on(model, other.executor).TextEncode(background, uform.Strings(someTexts), other.arena, nil))
		require.ErrorIs(t, err, uform.ErrIO, name)
		require.ErrorContains(t, err, "was truncated", name)
		description, err := on(model, other.executor).Describe(background)
		require.NoError(t, err)
		require.Positive(t, description.Context)
		require.Equal(t, want, other.texts(t), "another model, on the same handles")
	}
	require.NoError(t, model.Close())

	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	cut := func(int, int) error { return os.Truncate(path, 0) }
	_, err = library.Load(background, path, &uform.LoadOptions{Progress: cut})
	require.ErrorIs(t, err, uform.ErrIO)
	require.ErrorContains(t, err, "was truncated")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	_, err = library.NewTrainer(background, path, other.executor, &uform.TrainerOptions{Progress: cut})
	require.ErrorIs(t, err, uform.ErrIO)
	require.ErrorContains(t, err, "was truncated")

	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	model, err = library.Load(background, path, nil)
	require.NoError(t, err)
	other.model, model = model, other.model
	require.Equal(t, want, other.texts(t))
	require.NoError(t, other.model.Close())
	other.model = model
}

// The same of the model of a folder, whose tables are read where they lie. What was packed is not
// read any more.
func TestAFolderThatIsCutShort(t *testing.T) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	other := newBench(t, library, nil)
	path := t.TempDir()
	require.NoError(t, os.CopyFS(path, os.DirFS("../folder/testdata/bert")))
	weights := filepath.Join(path, "model.safetensors")
	content, err := os.ReadFile(weights)
	require.NoError(t, err)
	model, err := library.Load(background, path, nil)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(weights, 0))
	for name, on := range receivers {
		_, err = encoded(on(model, other.executor).TextEncode(background, uform.Strings(someTexts), other.arena, nil))
		require.ErrorIs(t, err, uform.ErrIO, name)
		require.ErrorContains(t, err, "was truncated", name)
	}
	require.NoError(t, model.Close())
	require.NoError(t, os.WriteFile(weights, content, 0o600))
	_, err = library.Load(background, path, &uform.LoadOptions{Progress: func(int, int) error { return os.Truncate(weights, 0) }})
	require.ErrorIs(t, err, uform.ErrIO)
	require.ErrorContains(t, err, "truncated")
	require.NoError(t, os.WriteFile(weights, content, 0o600))
	model, err = library.Load(background, path, nil)
	require.NoError(t, err)
	_, err = model.Embed(background, someTexts)
	require.NoError(t, err)
	require.NoError(t, model.Close())
}
