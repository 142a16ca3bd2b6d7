package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// TestHeldCall shows everything that runs a call of an executor without threads, and that nothing
// else does.
func TestHeldCall(t *testing.T) {
	for name, run := range map[string]func(*world, *encoding){
		"wait": func(w *world, e *encoding) { w.OutcomeWait(&e.outcome) },
		"drain": func(w *world, e *encoding) {
			var outcome abi.Outcome
			w.ExecutorDrain(&abi.ExecutorDrain{Executor: e.Executor, Outcome: &outcome})
			requireSuccess(w.t, &outcome)
		},
		"drain without outcome": func(w *world, e *encoding) { w.ExecutorDrain(&abi.ExecutorDrain{Executor: e.Executor}) },
		"blocking call": func(w *world, e *encoding) {
			w.succeeds(w.encoding(e.Model, w.arena(), "blocking").on(e.Executor))
		},
		"description": func(w *world, e *encoding) { // a verb of the model's like any other
			w.ModelDescribe(&abi.ModelDescribe{Model: e.Model, Executor: e.Executor, Description: &abi.ModelDescription{}})
		},
		"load": func(w *world, e *encoding) {
			var loaded abi.Model
			w.ModelLoadBytes(&abi.ModelLoad{Model: &loaded, Executor: e.Executor}, checkpoint(w.t, bare()))
			w.ModelFree(loaded)
		},
		"free of the arena":    func(w *world, e *encoding) { w.ArenaFree(e.Arena) },
		"free of the model":    func(w *world, e *encoding) { w.ModelFree(e.Model) },
		"free of the executor": func(w *world, e *encoding) { w.ExecutorFree(e.Executor) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			e := w.encoding(w.load(tiny()), w.arena(), "held").deferred(w.inline())
			var asked []uintptr
			e.Progress = abi.Progress(w.ProgressCallback)
			e.ProgressState = abi.HoldProgress(func(finished, total uintptr) bool { asked = append(asked, finished, total); return true })
			defer abi.ReleaseProgress(e.ProgressState)
			w.TextEncode(&e.TextEncode)
			require.Equal(t, abi.StatusDeferred, e.outcome.Status)
			require.NotZero(t, e.outcome.Call)
			require.Zero(t, e.embeddings)

			// Describing the handles that it names does not run it.
			var outcome abi.Outcome
			w.ArenaDescribe(&abi.ArenaDescribe{Arena: e.Arena, Outcome: &outcome, Description: &abi.ArenaDescription{}})
			requireSuccess(t, &outcome)
			w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: e.Executor, Outcome: &outcome, Description: &abi.ExecutorDescription{}})
			requireSuccess(t, &outcome)
			w.ModelDescribe(&abi.ModelDescribe{Model: e.Model, Outcome: &outcome, Description: &abi.ModelDescription{}})
			requireSuccess(t, &outcome)
			w.succeeds(w.encoding(e.Model, w.arena(), "elsewhere"))
			require.Equal(t, abi.StatusDeferred, w.OutcomeStatus(&e.outcome))
			require.Empty(t, asked)

			run(w, e)
			requireSuccess(t, &e.outcome)
			require.NotNil(t, e.embeddings.Data)
			require.Equal(t, uintptr(0), asked[0])
			require.Equal(t, []uintptr{1, 1}, asked[len(asked)-2:])
		})
	}
}

// TestBlockingCallKeepsItsTurn submits calls between a held call and the blocking call that runs
// it.
func TestBlockingCallKeepsItsTurn(t *testing.T) {
	w := newWorld(t)
	m, executor := w.load(tiny()), w.inline()
	held := w.encoding(m, w.arena(), "held").deferred(executor)
	between := w.encoding(m, w.arena(), "between").deferred(executor)
	w.TextEncode(&held.TextEncode)
	w.OnFinal(&held.outcome, func() { w.fails(between, abi.StatusContended, -1) })
	w.succeeds(w.encoding(m, w.arena(), "blocking").on(executor))
	requireSuccess(t, &held.outcome)
	requireFailure(t, &between.outcome, abi.StatusContended, -1)
}

// TestHeldCallContends shows that other calls contend with a held call for its executor and its
// arena.
func TestHeldCallContends(t *testing.T) {
	w := newWorld(t)
	m, arena, executor := w.load(tiny()), w.arena(), w.inline()
	before := w.succeeds(w.encoding(m, arena, "before", "that"))
	rows := floats(before.embeddings, 2)
	held := w.encoding(m, arena, "held").deferred(executor)
	w.TextEncode(&held.TextEncode)

	// the executor is held
	w.fails(w.encoding(m, w.arena(), "x").deferred(executor), abi.StatusContended, -1)
	// the arena is
	w.fails(w.encoding(m, arena, "x"), abi.StatusContended, -1)
	w.fails(w.encoding(m, arena, "x").deferred(w.inline()), abi.StatusContended, -1)
	// both are, and the held call stays
	w.fails(w.encoding(m, arena, "x").on(executor), abi.StatusContended, -1)
	describe := &abi.ModelDescribe{
		Model: m, Executor: executor, Completion: abi.CompletionDeferring,
		Outcome: &abi.Outcome{}, Description: &abi.ModelDescription{},
	}
	w.ModelDescribe(describe)
	requireFailure(t, describe.Outcome, abi.StatusContended, -1)

	require.Equal(t, abi.StatusDeferred, w.OutcomeStatus(&held.outcome))
	// nothing refused has rewound the arena, nor has the held call
	require.Equal(t, rows, floats(before.embeddings, 2))
	w.wait(held)
	w.succeeds(w.encoding(m, arena, "free again").on(executor))
}
