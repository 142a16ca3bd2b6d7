package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

func describe(w *world, m abi.Model) abi.ModelDescription {
	w.t.Helper()
	var description abi.ModelDescription
	var outcome abi.Outcome
	w.ModelDescribe(&abi.ModelDescribe{Model: m, Outcome: &outcome, Description: &description})
	requireSuccess(w.t, &outcome)
	return description
}

func TestLoad(t *testing.T) {
	w := newWorld(t)
	content := checkpoint(t, tiny())
	want := floats(w.succeeds(w.encoding(w.load(tiny()), w.arena(), "text")).embeddings, 1)
	executor := w.inline()
	for name, load := range map[string]func(*abi.ModelLoad){
		"path": func(a *abi.ModelLoad) {
			a.Path = file(t, content)
			w.ModelLoad(a)
		},
		"path on an executor": func(a *abi.ModelLoad) {
			a.Path, a.Executor = file(t, content), executor
			w.ModelLoad(a)
		},
		"path on a worker": func(a *abi.ModelLoad) {
			a.Path, a.Executor = file(t, content), w.owned()
			w.ModelLoad(a)
		},
		"bytes":               func(a *abi.ModelLoad) { w.ModelLoadBytes(a, content) },
		"bytes ignore a path": func(a *abi.ModelLoad) { a.Path = text("nowhere"); w.ModelLoadBytes(a, content) },
		"f32":                 func(a *abi.ModelLoad) { a.Scalar = abi.ScalarF32; w.ModelLoadBytes(a, content) },
	} {
		t.Run(name, func(t *testing.T) {
			var m abi.Model
			var outcome abi.Outcome
			load(&abi.ModelLoad{Model: &m, Outcome: &outcome})
			requireSuccess(t, &outcome)
			defer w.ModelFree(m)
			require.Equal(t, want, floats(w.succeeds(w.encoding(m, w.arena(), "text")).embeddings, 1))
			description := describe(w, m)
			require.NotZero(t, description.WeightsBytes)
			description.WeightsBytes, description.Parameters = 0, 0
			require.Equal(t, abi.ModelDescription{
				EmbeddingColumns: 84, StateColumns: 16, Context: 96, Layers: 2, Heads: 2, ByteDecoder: 1, QuestionTypes: 2,
				Modalities: 1 << abi.ModalityText, Scalar: abi.ScalarF32, Residency: abi.ResidencyRAM, Device: -1,
			}, description)
		})
	}
}

func TestLoadNarrow(t *testing.T) {
	w := newWorld(t)
	var m abi.Model
	w.ModelLoad(&abi.ModelLoad{Model: &m, Path: file(t, checkpoint(t, bare())), Scalar: abi.ScalarBF16}) // without an outcome
	require.NotZero(t, m)
	defer w.ModelFree(m)
	description := describe(w, m)
	require.Equal(t, abi.ScalarBF16, description.Scalar)
	require.Zero(t, description.ByteDecoder)
	require.Zero(t, description.QuestionTypes)
	require.Less(t, description.WeightsBytes, describe(w, w.load(bare())).WeightsBytes)
}

func TestLoadRefuses(t *testing.T) {
	w := newWorld(t)
	content := checkpoint(t, tiny())
	broken := append([]byte{}, content...)
	broken[len(broken)-1], broken[len(broken)-2] = 0x7f, 0xc0 // a NaN in the last tensor
	path := file(t, content)
	for name, row := range map[string]struct {
		change func(*abi.ModelLoad)
		status abi.Status
		says   string
	}{
		"no path":       {func(a *abi.ModelLoad) { a.Path = nil }, abi.StatusInvalidArgument, "path"},
		"reserved":      {func(a *abi.ModelLoad) { a.Reserved = 1 }, abi.StatusInvalidArgument, "reserved"},
		"scalar 99":     {func(a *abi.ModelLoad) { a.Scalar = 99 }, abi.StatusInvalidArgument, "99"},
		"f16":           {func(a *abi.ModelLoad) { a.Scalar = abi.ScalarF16 }, abi.StatusUnsupported, "f16"},
		"callback":      {func(a *abi.ModelLoad) { a.Progress = 1 }, abi.StatusInvalidArgument, "callback"},
		"executor":      {func(a *abi.ModelLoad) { a.Executor = 1 }, abi.StatusInvalidArgument, "executor"},
		"empty path":    {func(a *abi.ModelLoad) { a.Path = text("") }, abi.StatusIO, ""},
		"missing file":  {func(a *abi.ModelLoad) { a.Path = text(filepath.Join(t.TempDir(), "none")) }, abi.StatusIO, "none"},
		"directory":     {func(a *abi.ModelLoad) { a.Path = text(t.TempDir()) }, abi.StatusIO, ""},
		"empty file":    {func(a *abi.ModelLoad) { a.Path = file(t, nil) }, abi.StatusMalformed, ""},
		"cut file":      {func(a *abi.ModelLoad) { a.Path = file(t, content[:len(content)-1]) }, abi.StatusMalformed, ""},
		"NaN in weight": {func(a *abi.ModelLoad) { a.Path = file(t, broken) }, abi.StatusMalformed, "tensor"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, on := range []abi.Executor{0, w.inline(), w.owned()} {
				m := abi.Model(9)
				outcome := abi.Outcome{Status: -77, Item: -77, Call: 77}
				arguments := &abi.ModelLoad{Model: &m, Executor: on, Outcome: &outcome, Path: path}
				row.change(arguments)
				w.ModelLoad(arguments)
				requireFailure(t, &outcome, row.status, -1)
				require.Contains(t, abi.TextAt(outcome.Message), row.says)
				require.Zero(t, m)
			}
		})
	}
	var outcome abi.Outcome
	w.ModelLoad(&abi.ModelLoad{Outcome: &outcome, Path: path})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	m := abi.Model(9)
	w.ModelLoadBytes(&abi.ModelLoad{Model: &m, Outcome: &outcome}, nil)
	requireFailure(t, &outcome, abi.StatusMalformed, -1)
	require.Zero(t, m)
}

func TestLoadProgress(t *testing.T) {
	w := newWorld(t)
	content := checkpoint(t, tiny())
	load := func(answer func(finished, total uintptr) bool) (abi.Model, abi.Outcome, [][2]uintptr) {
		l := &listener{t: t, answer: func(_ int, finished, total uintptr) bool { return answer(finished, total) }}
		state := abi.HoldProgress(l.hear)
		defer abi.ReleaseProgress(state)
		var m abi.Model
		var outcome abi.Outcome
		w.ModelLoad(&abi.ModelLoad{
			Model: &m, Outcome: &outcome, Path: file(t, content),
			Progress: abi.Progress(w.ProgressCallback), ProgressState: state,
		})
		return m, outcome, l.reports
	}
	m, outcome, reports := load(func(finished, total uintptr) bool { return finished < total })
	requireSuccess(t, &outcome)
	w.ModelFree(m)
	size := uintptr(len(content))
	require.Equal(t, [2]uintptr{0, size}, reports[0])
	require.Equal(t, [2]uintptr{size, size}, reports[len(reports)-1])

	m, outcome, reports = load(func(uintptr, uintptr) bool { return false })
	requireFailure(t, &outcome, abi.StatusCancelled, -1)
	require.Zero(t, m)
	require.Len(t, reports, 1)
	m, outcome, _ = load(func(uintptr, uintptr) bool { panic("of the handler") })
	requireFailure(t, &outcome, abi.StatusCancelled, -1)
	require.Zero(t, m)
}

// TestModelOutlivesItsLoader frees the executor that loaded the model, and removes the file.
func TestModelOutlivesItsLoader(t *testing.T) {
	w := newWorld(t)
	executor := w.owned()
	path := filepath.Join(t.TempDir(), "model.uform")
	require.NoError(t, os.WriteFile(path, checkpoint(t, tiny()), 0o600))
	var m abi.Model
	w.ModelLoad(&abi.ModelLoad{Model: &m, Executor: executor, Path: text(path)})
	require.NotZero(t, m)
	defer w.ModelFree(m)
	w.ExecutorFree(executor)
	w.succeeds(w.encoding(m, w.arena(), "still there"))
}

func TestModelDescribe(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	want := describe(w, m)
	for _, executor := range []abi.Executor{w.inline(), w.owned(), w.executor(2, abi.CallerInclusive)} {
		for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
			var description abi.ModelDescription
			outcome := abi.Outcome{Status: -77}
			w.ModelDescribe(&abi.ModelDescribe{
				Model: m, Executor: executor, Completion: completion, Outcome: &outcome, Description: &description,
			})
			require.Equal(t, abi.StatusSuccess, w.OutcomeWait(&outcome))
			requireSuccess(t, &outcome)
			require.Equal(t, want, description)
		}
	}
	for name, arguments := range map[string]abi.ModelDescribe{
		"no model":        {Description: &abi.ModelDescription{}},
		"no description":  {Model: m},
		"reserved":        {Model: m, Description: &abi.ModelDescription{}, Reserved: 1},
		"completion":      {Model: m, Description: &abi.ModelDescription{}, Completion: 2},
		"nobody to defer": {Model: m, Description: &abi.ModelDescription{}, Completion: abi.CompletionDeferring},
	} {
		t.Run(name, func(t *testing.T) {
			var outcome abi.Outcome
			arguments.Outcome = &outcome
			w.ModelDescribe(&arguments)
			requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
		})
	}
	w.ModelFree(0)
}

// What is refused leaves the share as it was.
func TestLaneShare(t *testing.T) {
	w := newToyWorld(t)
	m := w.load(tiny())
	var outcome abi.Outcome
	for status, bad := range map[abi.Status]abi.ModelShareLane{
		abi.StatusInvalidArgument: {Model: m, Share: 1},
		abi.StatusUnsupported:     {Model: w.loadFolder(toyFolder(t)), Share: 0.5},
	} {
		bad.Outcome = &outcome
		w.ModelShareLane(&bad)
		require.Equal(t, status, outcome.Status)
	}
	for _, unknown := range []abi.Model{0, 77} {
		w.ModelShareLane(&abi.ModelShareLane{Model: unknown, Outcome: &outcome, Share: 0.5})
		require.Equal(t, abi.StatusInvalidArgument, outcome.Status)
	}
	w.ModelShareLane(nil)

	lane := func() (squares float64) {
		for _, v := range floats(w.succeeds(w.encoding(m, w.arena(), "text")).embeddings, 1)[20:] {
			squares += float64(v) * float64(v)
		}
		return squares
	}
	require.InDelta(t, tiny().Lexical.Share, lane(), 1e-6)
	w.ModelShareLane(&abi.ModelShareLane{Model: m, Outcome: &outcome, Share: 0.9})
	requireSuccess(t, &outcome)
	require.InDelta(t, 0.9, lane(), 1e-6)
}
