package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
)

// TestHandlesOfNobody shows that a verb refuses, and a free ignores, every id that is not a live
// handle of its kind and library.
func TestHandlesOfNobody(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	m, arena, executor := w.load(bare()), w.arena(), w.inline()
	freed := func(make func() uintptr, free func(uintptr)) uintptr {
		id := make()
		free(id)
		return id
	}
	staleArena := freed(func() uintptr {
		var id abi.Arena
		w.ArenaInit(&abi.ArenaInit{Arena: &id})
		return uintptr(id)
	}, func(id uintptr) { w.ArenaFree(abi.Arena(id)) })
	staleExecutor := freed(func() uintptr {
		var id abi.Executor
		w.ExecutorInit(&abi.ExecutorInit{Executor: &id, Threads: 1})
		return uintptr(id)
	}, func(id uintptr) { w.ExecutorFree(abi.Executor(id)) })
	staleModel := freed(func() uintptr {
		var id abi.Model
		w.ModelLoadBytes(&abi.ModelLoad{Model: &id}, checkpoint(t, bare()))
		require.NotZero(t, id)
		return uintptr(id)
	}, func(id uintptr) { w.ModelFree(abi.Model(id)) })

	type set struct {
		m        uintptr
		executor uintptr
		arena    uintptr
	}
	good := set{uintptr(m), uintptr(executor), uintptr(arena)}
	for name, bad := range map[string]set{
		"no model":          {0, good.executor, good.arena},
		"no arena":          {good.m, good.executor, 0},
		"small number":      {1, good.executor, good.arena},
		"all ones":          {^uintptr(0), good.executor, good.arena},
		"stale model":       {staleModel, good.executor, good.arena},
		"stale executor":    {good.m, staleExecutor, good.arena},
		"stale arena":       {good.m, good.executor, staleArena},
		"foreign model":     {uintptr(other.load(bare())), good.executor, good.arena},
		"foreign executor":  {good.m, uintptr(other.inline()), good.arena},
		"foreign arena":     {good.m, good.executor, uintptr(other.arena())},
		"arena as model":    {good.arena, good.executor, good.arena},
		"model as executor": {good.m, good.m, good.arena},
		"executor as arena": {good.m, good.executor, good.executor},
	} {
		t.Run(name, func(t *testing.T) {
			for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
				e := w.encoding(abi.Model(bad.m), abi.Arena(bad.arena), "a").on(abi.Executor(bad.executor))
				e.Completion = completion
				w.fails(e, abi.StatusInvalidArgument, -1)
			}
			var outcome abi.Outcome
			if bad.arena != good.arena {
				w.ArenaDescribe(&abi.ArenaDescribe{Arena: abi.Arena(bad.arena), Outcome: &outcome, Description: &abi.ArenaDescription{}})
				requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
				w.ArenaFree(abi.Arena(bad.arena))
			}
			if bad.executor != good.executor {
				id := abi.Executor(bad.executor)
				w.ExecutorDrain(&abi.ExecutorDrain{Executor: id, Outcome: &outcome})
				requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
				w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: id, Outcome: &outcome, Description: &abi.ExecutorDescription{}})
				requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
				made := abi.Arena(7)
				w.ArenaInit(&abi.ArenaInit{Arena: &made, Executor: id, Outcome: &outcome})
				requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
				require.Zero(t, made)
				loaded := abi.Model(7)
				w.ModelLoadBytes(&abi.ModelLoad{Model: &loaded, Executor: id, Outcome: &outcome}, checkpoint(t, bare()))
				requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
				require.Zero(t, loaded)
				w.ExecutorFree(id)
			}
			if bad.m != good.m {
				id := abi.Model(bad.m)
				w.ModelDescribe(&abi.ModelDescribe{Model: id, Outcome: &outcome, Description: &abi.ModelDescription{}})
				requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
				w.ModelFree(id)
			}
		})
	}
	// nothing of the above freed anything
	w.succeeds(w.encoding(m, arena, "still there").on(executor))
	other.succeeds(other.encoding(other.load(bare()), other.arena(), "there too"))
}

// TestIdsAreNotUsedAgain frees and makes many more handles than there are slots in use.
func TestIdsAreNotUsedAgain(t *testing.T) {
	library, inside := engine.NewObserved(nil, hooks.Engine{})
	seen := map[abi.Arena]bool{}
	for range 10 * engine.RestingSlots {
		var id abi.Arena
		library.ArenaInit(&abi.ArenaInit{Arena: &id})
		require.NotZero(t, id)
		require.False(t, seen[id])
		seen[id] = true
		library.ArenaFree(id)
	}
	require.LessOrEqual(t, inside.Slots(), engine.RestingSlots+1)
	require.Zero(t, inside.Ids())
	var live []abi.Arena
	for range inside.Slots() { // one in each slot, and more
		var id abi.Arena
		library.ArenaInit(&abi.ArenaInit{Arena: &id})
		live = append(live, id)
	}
	for id := range seen {
		library.ArenaFree(id) // all stale
	}
	require.Equal(t, len(live), inside.Ids())
	for _, id := range live {
		library.ArenaFree(id)
	}
}

// TestThousandsOfHandlesAtOnce has as many handles as a large pool of requests.
func TestThousandsOfHandlesAtOnce(t *testing.T) {
	library, inside := engine.NewObserved(nil, hooks.Engine{})
	const many = 10_000
	ids := map[abi.Arena]bool{}
	for range many {
		var id abi.Arena
		library.ArenaInit(&abi.ArenaInit{Arena: &id})
		ids[id] = true
	}
	require.Len(t, ids, many)
	require.Equal(t, many, inside.Ids())
	for id := range ids {
		library.ArenaFree(id)
	}
	require.Zero(t, inside.Ids())
}

// TestOutOfIds uses every slot, including resting ones, and then makes one more of everything.
func TestOutOfIds(t *testing.T) {
	w := newWorld(t)
	m, arena, executor := w.load(tiny()), w.arena(), w.inline()
	var last abi.Arena
	w.ArenaInit(&abi.ArenaInit{Arena: &last})
	w.inside.LimitSlots()

	var outcome abi.Outcome
	made := abi.Arena(9)
	w.ArenaInit(&abi.ArenaInit{Arena: &made, Outcome: &outcome})
	requireFailure(t, &outcome, abi.StatusOutOfMemory, -1)
	require.Zero(t, made)
	started := abi.Executor(9)
	w.ExecutorInit(&abi.ExecutorInit{Executor: &started, Outcome: &outcome, Threads: 2})
	requireFailure(t, &outcome, abi.StatusOutOfMemory, -1)
	require.Zero(t, started)
	loaded := abi.Model(9)
	w.ModelLoad(&abi.ModelLoad{Model: &loaded, Outcome: &outcome, Path: file(t, checkpoint(t, bare()))})
	requireFailure(t, &outcome, abi.StatusOutOfMemory, -1)
	require.Zero(t, loaded)
	w.fails(w.encoding(m, arena, "x").deferred(executor), abi.StatusOutOfMemory, -1)
	w.succeeds(w.encoding(m, arena, "a blocking call has no id").on(executor))

	w.ArenaFree(last)
	held := w.encoding(m, arena, "and now there is one").deferred(executor)
	w.TextEncode(&held.TextEncode)
	w.wait(held)
}
