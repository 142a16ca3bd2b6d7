package engine_test

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/platform"
)

func TestArenaDescribe(t *testing.T) {
	w := newWorld(t)
	executor := w.inline()
	var arena abi.Arena
	var outcome abi.Outcome
	w.ArenaInit(&abi.ArenaInit{Arena: &arena, Executor: executor, Outcome: &outcome})
	requireSuccess(t, &outcome)
	w.ExecutorFree(executor) // a host arena outlives its maker
	description := abi.ArenaDescription{Residency: 9, Device: 9}
	w.ArenaDescribe(&abi.ArenaDescribe{Arena: arena, Outcome: &outcome, Description: &description})
	requireSuccess(t, &outcome)
	require.Equal(t, abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}, description)
	// without an outcome
	w.ArenaDescribe(&abi.ArenaDescribe{Arena: arena, Description: &description})

	w.ArenaDescribe(&abi.ArenaDescribe{Arena: arena, Outcome: &outcome})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	w.ArenaDescribe(&abi.ArenaDescribe{Outcome: &outcome, Description: &description})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	w.ArenaInit(&abi.ArenaInit{Outcome: &outcome})
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	w.ArenaFree(arena)
	w.ArenaFree(0)
}

// Rule A22: an arena keeps nothing of the executor that made it.
func TestAnArenaKeepsNoExecutor(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	var executor abi.Executor
	var arena abi.Arena
	var outcome abi.Outcome
	w.ExecutorInit(&abi.ExecutorInit{Executor: &executor, Outcome: &outcome, Threads: 2, Exclusivity: abi.CallerExclusive})
	requireSuccess(t, &outcome)
	w.ArenaInit(&abi.ArenaInit{Arena: &arena, Executor: executor, Outcome: &outcome})
	requireSuccess(t, &outcome)
	e := w.encoding(m, arena, "one", "two").on(executor)
	w.TextEncode(&e.TextEncode)
	requireSuccess(t, &e.outcome)
	collected := w.inside.Collected(executor)
	w.ExecutorFree(executor)
	for begun := time.Now(); !collected.Load(); runtime.GC() {
		require.Less(t, time.Since(begun), time.Minute, "somebody keeps it")
	}
	e = w.encoding(m, arena, "one", "two")
	w.TextEncode(&e.TextEncode)
	requireSuccess(t, &e.outcome)
	w.ArenaFree(arena)
}

func TestArenaGrowsOnlyPastItsLargest(t *testing.T) {
	var grown []int
	w := newWorldWith(t, nil, hooks.Engine{PoisonRewound: true, ArenaGrown: func(_ abi.Arena, bytes int) { grown = append(grown, bytes) }})
	m, arena := w.load(tiny()), w.arena()
	growths, bytes := w.inside.Arena(arena)
	require.Zero(t, growths)
	require.Zero(t, bytes)

	page := platform.PageSize()
	large := make([]string, 100)
	for i := range large {
		large[i] = strings.Repeat("z", i%50)
	}
	const columns, stateColumns = 84, 16
	rows := 0
	for _, text := range large {
		rows += len(text)
	}
	align := func(n int) int { return (n + 63) / 64 * 64 }
	need := align(align(len(large)*columns*4)+rows*stateColumns*4) + (len(large)+1)*int(unsafe.Sizeof(uintptr(0)))
	exact := (need + page - 1) / page * page

	w.succeeds(w.encoding(m, arena, "small"))
	require.Equal(t, []int{page}, grown)
	first := w.succeeds(w.encoding(m, arena, large...))
	require.Equal(t, []int{page, exact}, grown)
	address := first.embeddings.Data
	for range 20 {
		w.succeeds(w.encoding(m, arena, "small"))
		again := w.succeeds(w.encoding(m, arena, large...))
		require.Equal(t, address, again.embeddings.Data)
	}
	growths, bytes = w.inside.Arena(arena)
	require.Equal(t, 2, growths)
	require.Equal(t, exact, bytes)
}

func TestOutputsArePackedAndAligned(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	for _, scalar := range []struct {
		kind  abi.Scalar
		bytes uintptr
	}{{abi.ScalarF32, 4}, {abi.ScalarF16, 2}, {abi.ScalarBF16, 2}} {
		e := w.encoding(m, w.arena(), "abc", "", "de")
		e.Scalar = scalar.kind
		w.succeeds(e)
		require.Equal(t, abi.RowsView{Data: e.embeddings.Data, Stride: 84 * scalar.bytes, Columns: 84, Scalar: scalar.kind}, e.embeddings)
		require.Equal(t, abi.RowsView{Data: e.states.Rows.Data, Stride: 16 * scalar.bytes, Columns: 16, Scalar: scalar.kind}, e.states.Rows)
		require.Equal(t, []uintptr{0, 3, 3, 5}, offsets(e.states, 3))
		begin := uintptr(e.embeddings.Data)
		for _, address := range []uintptr{begin, uintptr(e.states.Rows.Data), uintptr(e.states.Offsets)} {
			require.Zero(t, address%64)
			require.GreaterOrEqual(t, address, begin)
			require.Less(t, address, begin+uintptr(platform.PageSize()))
		}
	}
}

// TestRewindPoisons shows that the option works and that a call rewinds before it can fail on its
// computation.
func TestRewindPoisons(t *testing.T) {
	w := newWorld(t)
	m, arena := w.load(tiny()), w.arena()
	kept := w.succeeds(w.encoding(m, arena, "one", "two")).embeddings
	require.False(t, math.IsNaN(float64(floats(kept, 1)[0])))
	w.fails(w.encoding(m, arena, "fine", "\xff"), abi.StatusMalformed, 1)
	for _, v := range floats(kept, 2) {
		require.Equal(t, uint32(math.MaxUint32), math.Float32bits(v))
	}
}

func TestAnotherArenaKeepsOutputs(t *testing.T) {
	w := newWorld(t)
	m, first, second := w.load(tiny()), w.arena(), w.arena()
	kept := w.succeeds(w.encoding(m, first, "one", "two"))
	before := floats(kept.embeddings, 2)
	w.succeeds(w.encoding(m, second, "three"))
	require.Equal(t, before, floats(kept.embeddings, 2))
}

// TestInputsInTheArena leaves outputs in an arena and passes them to the next call as inputs.
func TestInputsInTheArena(t *testing.T) {
	w := newWorld(t)
	m, arena := w.load(tiny()), w.arena()
	kept := w.succeeds(w.encoding(m, arena, "one", "two"))
	before := floats(kept.embeddings, 2)
	inside := kept.embeddings.Data
	number := (*uintptr)(kept.states.Offsets)
	last := unsafe.Add(inside, platform.PageSize()-1)

	for name, change := range map[string]func(*abi.TapeView){
		"data":             func(tape *abi.TapeView) { tape.Data = inside },
		"last byte":        func(tape *abi.TapeView) { tape.Data, tape.Offsets = last, &[]uintptr{0, 1, 1}[0] },
		"offsets":          func(tape *abi.TapeView) { tape.Offsets = number },
		"last offset":      func(tape *abi.TapeView) { tape.Offsets = (*uintptr)(unsafe.Add(last, -7)) },
		"behind its start": func(tape *abi.TapeView) { tape.Data, tape.Offsets = unsafe.Add(inside, -2), &[]uintptr{0, 0, 3}[0] },
	} {
		t.Run(name, func(t *testing.T) {
			for _, executor := range []abi.Executor{0, w.owned()} {
				e := w.encoding(m, arena, "one", "two")
				if executor != 0 {
					e.deferred(executor)
				}
				change(&e.Texts)
				w.fails(e, abi.StatusInvalidArgument, -1)
			}
			c := w.choosing(m, arena, []string{"one", "two"}, []string{"ab", "cd"})
			change(&c.Texts)
			w.failsToChoose(c, abi.StatusInvalidArgument, -1)
			c = w.choosing(m, arena, []string{"one", "two"}, []string{"ab", "cd"})
			change(&c.Choices)
			w.failsToChoose(c, abi.StatusInvalidArgument, -1)
		})
	}
	c := w.choosing(m, arena, []string{"one"}, []string{"ab"})
	c.QuestionTypes = (*uint32)(inside)
	w.failsToChoose(c, abi.StatusInvalidArgument, -1)

	require.Equal(t, before, floats(kept.embeddings, 2)) // a refused call changes nothing
	e := w.encoding(m, w.arena(), "one", "two")          // in another arena it is a valid input
	e.Texts.Offsets = &append([]uintptr{}, offsets(kept.states, 2)...)[0]
	w.succeeds(e)
}

// TestOutOfPages shows that an arena that could not grow is empty, and grows again when pages are
// available.
func TestOutOfPages(t *testing.T) {
	config := tiny()
	config.Columns = 1024
	w := newWorld(t)
	m, arena := w.load(config), w.arena()
	w.succeeds(w.encoding(m, arena, "small"))
	large := strings.Split(strings.Repeat("large ", 100), " ")
	restore := w.inside.ExhaustPages()
	w.fails(w.encoding(m, arena, large...), abi.StatusOutOfMemory, -1)
	w.fails(w.encoding(m, arena, "small"), abi.StatusOutOfMemory, -1)
	_, bytes := w.inside.Arena(arena)
	require.Zero(t, bytes)
	c := w.choosing(m, arena, []string{"x"}, []string{"abc"})
	w.failsToChoose(c, abi.StatusOutOfMemory, -1)
	many := w.encoding(m, arena, make([]string, 1<<19)...) // more bytes than 32 bits count
	many.Scalar = abi.ScalarF32
	w.fails(many, abi.StatusOutOfMemory, -1)
	e := w.encoding(m, arena, large...).deferred(w.owned())
	w.TextEncode(&e.TextEncode)
	require.Equal(t, abi.StatusOutOfMemory, w.OutcomeWait(&e.outcome))
	requireFailure(t, &e.outcome, abi.StatusOutOfMemory, -1)
	restore()
	w.succeeds(w.encoding(m, arena, large...))
}
