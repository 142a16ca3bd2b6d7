package uform_test

import (
	"bytes"
	"context"
	"encoding/json"
	stderrors "errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Every way that a call can end is counted once, whatever the receiver, and nothing stays in
// flight.
func TestObserverCountsEveryCall(t *testing.T) {
	f := newFixture(t, nil)
	row := uint64(4 * len(vectors(t, f.model, "")[0]))
	var observer uform.Observer
	f.library.Observe(&observer)
	defer f.library.Observe(nil)
	var want uform.Counters
	check := func(name string) {
		t.Helper()
		require.Equal(t, want, observer.Counters(), name)
	}
	texts := uform.Strings([]string{"ab", "", "cde"})
	_, err := f.model.TextEncode(background, texts, f.arena, nil)
	require.NoError(t, err)
	want.Calls, want.InputBytes, want.OutputBytes, want.Growths = 1, 5, 3*row, 1
	check("blocking")

	_, err = f.model.On(f.executor).TextEncode(background, texts, f.arena, nil)
	require.NoError(t, err)
	want.Calls, want.InputBytes, want.OutputBytes = 2, 10, 6*row
	check("the same again, where the arena need not grow")

	call, err := f.model.Deferred(f.executor).TextEncode(background, texts, f.arena, nil)
	require.NoError(t, err)
	_, err = call.Wait(background)
	require.NoError(t, err)
	want.Calls, want.InputBytes, want.OutputBytes = 3, 15, 9*row
	check("deferred")

	encoded, err := f.model.TextEncode(background, uform.Strings([]string{"x"}), f.arena, nil)
	require.NoError(t, err)
	want.Calls, want.InputBytes, want.OutputBytes = 4, 16, 10*row
	check("smaller")
	pin, err := encoded.Embeddings.Pin()
	require.NoError(t, err)
	_, err = f.model.TextEncode(background, texts, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrContended)
	pin.Release()
	want.Calls, want.Failed, want.Contended, want.InputBytes = 5, 1, 1, 21
	check("refused by a pin")

	ended, cancel := context.WithCancel(background)
	cancel()
	_, err = f.model.Deferred(f.executor).TextEncode(ended, texts, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrCancelled)
	want.Calls, want.Failed, want.Cancelled, want.InputBytes = 6, 2, 1, 26
	check("cancelled before it began")

	_, err = f.model.TextEncode(background, uform.Tape{Data: []byte("ab"), Offsets: []int64{0, 1 << 60}}, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	want.Calls, want.Failed, want.InputBytes = 7, 3, 28
	check("offsets past the data count no more than there is")

	boom := stderrors.New("boom")
	require.Panics(t, func() {
		_, _ = f.model.TextEncode(background, texts, f.arena, &uform.TextOptions{Progress: func(int, int) error { panic(boom) }})
	})
	want.Calls, want.Failed, want.Cancelled, want.InputBytes = 8, 4, 2, 33
	check("a handler that panicked")

	_, err = f.library.LoadBytes(background, []byte("something else"), nil)
	require.ErrorIs(t, err, uform.ErrMalformed)
	want.Calls, want.Failed, want.InputBytes = 9, 5, 47
	check("a load that failed")

	raising := func(int, int) error { panic(boom) }
	require.Panics(t, func() {
		_, _ = f.library.LoadBytes(background, mini.Checkpoint(), &uform.LoadOptions{Progress: raising})
	})
	require.Panics(t, func() {
		_, _ = f.library.NewTrainerBytes(background, mini.Checkpoint(), f.executor, &uform.TrainerOptions{Progress: raising})
	})
	want.Calls, want.Failed, want.Cancelled, want.InputBytes = 11, 7, 4, 47+2*uint64(len(mini.Checkpoint()))
	check("handlers that panicked at the start")

	f.library.Observe(nil)
	_, err = f.model.TextEncode(background, texts, f.arena, nil)
	require.NoError(t, err)
	check("no observer any more")
}

// A call in flight is counted as such, by the observer it began with.
func TestObserverSeesCallsInFlight(t *testing.T) {
	f := newFixture(t, heldOptions)
	var before, after uform.Observer
	f.library.Observe(&before)
	defer f.library.Observe(nil)
	call, err := f.model.Deferred(f.executor).TextEncode(background, uform.Strings(someTexts), f.arena, nil)
	require.NoError(t, err)
	require.Equal(t, uform.Counters{InFlight: 1}, before.Counters())
	f.library.Observe(&after)
	_, err = call.Wait(background)
	require.NoError(t, err)
	require.Zero(t, before.Counters().InFlight)
	require.EqualValues(t, 1, before.Counters().Calls)
	require.Zero(t, after.Counters())
}

// The log has one record for each call: successes for those who debug, failures as warnings, with
// the cause.
func TestObserverLogs(t *testing.T) {
	f := newFixture(t, nil)
	row := 4 * len(vectors(t, f.model, "")[0])
	var log bytes.Buffer
	observer := uform.Observer{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	f.library.Observe(&observer)
	defer f.library.Observe(nil)
	_, err := f.model.TextEncode(background, uform.Strings([]string{"abc"}), f.arena, nil)
	require.NoError(t, err)
	_, failure := f.model.TextEncode(background, uform.Strings([]string{"abc", "\xff"}), f.arena, nil)
	require.ErrorIs(t, failure, uform.ErrMalformed)

	type record struct {
		Level, Msg  string
		Items       int
		InputBytes  int `json:"input_bytes"`
		OutputBytes int `json:"output_bytes"`
		Duration    *int
		Error       string
	}
	decoder := json.NewDecoder(&log)
	var records []record
	for decoder.More() {
		var r record
		require.NoError(t, decoder.Decode(&r))
		require.NotNil(t, r.Duration)
		require.GreaterOrEqual(t, *r.Duration, 0) // some clocks are too coarse for a call
		r.Duration = nil
		records = append(records, r)
	}
	require.Equal(t, []record{
		{Level: "DEBUG", Msg: "encode texts", Items: 1, InputBytes: 3, OutputBytes: row},
		{Level: "WARN", Msg: "encode texts", Items: 2, InputBytes: 4, Error: failure.Error()},
	}, records)
}

// An observer that only counts costs a call nothing that the collector sees, and neither does the
// lack of one.
func TestObservedCallsAllocateNothing(t *testing.T) {
	f := newFixture(t, heldOptions)
	texts := uform.Strings(someTexts)
	encode := func() {
		if _, err := f.model.On(f.executor).TextEncode(background, texts, f.arena, nil); err != nil {
			panic(err)
		}
	}
	var observer uform.Observer
	f.library.Observe(&observer)
	defer f.library.Observe(nil)
	encode()
	require.Equal(t, offsetsCopied, testing.AllocsPerRun(100, encode))
	require.Positive(t, observer.Counters().Calls)
}
