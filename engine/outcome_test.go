package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
)

func TestOutcomeWithoutCall(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, abi.StatusInvalidArgument, w.OutcomeStatus(nil))
	require.Equal(t, abi.StatusInvalidArgument, w.OutcomeWait(nil))
	for _, final := range []abi.Status{abi.StatusSuccess, abi.StatusMalformed, -77} {
		outcome := abi.Outcome{Status: final, Call: 99}
		require.Equal(t, final, w.OutcomeStatus(&outcome))
		require.Equal(t, final, w.OutcomeWait(&outcome))
	}
	// An outcome that reads deferred but belongs to no call is not waited for.
	arena := w.arena()
	for _, call := range []uintptr{0, 1, uintptr(arena), ^uintptr(0)} {
		outcome := abi.Outcome{Status: abi.StatusDeferred, Call: call}
		require.Equal(t, abi.StatusInvalidArgument, w.OutcomeWait(&outcome))
	}
	held := w.encoding(w.load(tiny()), arena, "held").deferred(w.inline())
	w.TextEncode(&held.TextEncode)
	moved := held.outcome // a copy is not the call's outcome
	require.Equal(t, abi.StatusInvalidArgument, w.OutcomeWait(&moved))
	w.wait(held)
	require.Equal(t, abi.StatusSuccess, w.OutcomeWait(&held.outcome)) // any number of times
}

func TestWaitOnAnotherGoroutine(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	for _, executor := range []abi.Executor{w.inline(), w.owned(), w.executor(3, abi.CallerInclusive)} {
		e := w.encoding(m, w.arena(), "text").deferred(executor)
		w.TextEncode(&e.TextEncode)
		ended := make(chan abi.Status)
		go func() { ended <- w.OutcomeWait(&e.outcome) }()
		require.Equal(t, abi.StatusSuccess, <-ended)
		requireSuccess(t, &e.outcome)
	}
}

func TestOnFinal(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	calls := 0
	count := func() { calls++ }
	w.OnFinal(nil, count)
	w.OnFinal(&abi.Outcome{}, count)
	w.OnFinal(&abi.Outcome{Status: abi.StatusDeferred, Call: 12345}, count)
	require.Equal(t, 3, calls)

	held := w.encoding(m, w.arena(), "held").deferred(w.inline())
	w.TextEncode(&held.TextEncode)
	w.OnFinal(&held.outcome, count)
	w.OnFinal(&held.outcome, count)
	require.Equal(t, 3, calls)
	// it does not advance the call
	require.Equal(t, abi.StatusDeferred, w.OutcomeStatus(&held.outcome))
	w.wait(held)
	require.Equal(t, 5, calls)
	w.OnFinal(&held.outcome, count)
	require.Equal(t, 6, calls)

	running := w.encoding(m, w.arena(), "running").deferred(w.owned())
	g := w.running(running)
	statuses := make(chan abi.Status, 1)
	w.OnFinal(&running.outcome, func() { statuses <- w.OutcomeWait(&running.outcome) })
	g.open()
	require.Equal(t, abi.StatusSuccess, <-statuses)
}

// TestNextCallAtOnce submits a call in a notification: the handles of the final call are free by
// then.
func TestNextCallAtOnce(t *testing.T) {
	w := newWorld(t)
	m, arena, executor := w.load(tiny()), w.arena(), w.owned()
	const rounds = 200
	ended := make(chan abi.Status)
	var submit func(round int)
	submit = func(round int) {
		e := w.encoding(m, arena, "text").deferred(executor)
		w.TextEncode(&e.TextEncode)
		w.OnFinal(&e.outcome, func() {
			if status := w.OutcomeStatus(&e.outcome); status != abi.StatusSuccess || round == rounds {
				ended <- status
			} else {
				go submit(round + 1)
			}
		})
	}
	submit(1)
	require.Equal(t, abi.StatusSuccess, <-ended)
}

// TestMessagesAreBounded fails in more ways than are kept. Texts that were given out stay
// unchanged.
func TestMessagesAreBounded(t *testing.T) {
	defer engine.ForgetMessages()()
	w := newWorld(t)
	failure := func(i int) uintptr {
		var loaded abi.Model
		var outcome abi.Outcome
		w.ModelLoad(&abi.ModelLoad{Model: &loaded, Outcome: &outcome, Path: text(fmt.Sprintf("no such file %d", i))})
		requireFailure(t, &outcome, abi.StatusIO, -1)
		return outcome.Message
	}
	addresses := make([]uintptr, engine.MaxMessages)
	for i := range addresses {
		addresses[i] = failure(i)
	}
	require.Equal(t, w.StatusToString(abi.StatusIO), abi.TextAt(failure(engine.MaxMessages)))
	require.Equal(t, failure(engine.MaxMessages+1), failure(engine.MaxMessages+2))
	for i, address := range addresses {
		require.Contains(t, abi.TextAt(address), fmt.Sprintf("no such file %d:", i))
		require.Equal(t, address, failure(i))
	}
}
