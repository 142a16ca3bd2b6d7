package errors_test

import (
	"context"
	stderrors "errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// sentinels are spelled out here with the header's numbers, so that a generator that mixes them up
// fails this test.
var sentinels = map[errors.Status]int32{
	errors.ErrDeferred: 1, errors.ErrUnknown: -1, errors.ErrInvalidArgument: -2, errors.ErrOutOfMemory: -3,
	errors.ErrContended: -4, errors.ErrDevice: -5, errors.ErrUnsupported: -6, errors.ErrMalformed: -7,
	errors.ErrShapeMismatch: -8, errors.ErrCancelled: -9, errors.ErrIO: -10, errors.ErrPeer: -11,
	errors.ErrLibraryMissing: -100, errors.ErrSymbolMissing: -101,
}

func TestEachStatusIsItsOwnSentinel(t *testing.T) {
	require.Len(t, sentinels, 14)
	for sentinel, number := range sentinels {
		require.EqualValues(t, number, sentinel)
		failure := errors.New("verb", sentinel, errors.NoItem, nil)
		for other := range sentinels {
			require.Equal(t, sentinel == other, stderrors.Is(failure, other), "%v is %v", sentinel, other)
		}
		var status errors.Status
		require.ErrorAs(t, fmt.Errorf("wrapped: %w", failure), &status)
		require.Equal(t, sentinel, status)
	}
}

func TestUnknownNumbersSurvive(t *testing.T) {
	err := errors.Of("encode texts", &abi.Outcome{Status: -77, Item: -1})
	require.ErrorIs(t, err, errors.Status(-77))
	require.NotErrorIs(t, err, errors.ErrUnknown)
	require.ErrorContains(t, err, "-77")
	status, known := errors.StatusOf(err)
	require.True(t, known)
	require.EqualValues(t, -77, status)
	_, known = errors.StatusOf(fs.ErrNotExist)
	require.False(t, known)
}

func TestErrorsSayWhatFailed(t *testing.T) {
	text := []byte("offsets decrease\x00")
	cases := map[string]struct {
		err  error
		says string
		is   []error
	}{
		"status alone": {errors.New("encode texts", errors.ErrContended, errors.NoItem, nil),
			"uform: encode texts: contended", []error{errors.ErrContended}},
		"item and cause": {errors.New("encode texts", errors.ErrMalformed, 3, fs.ErrInvalid),
			"uform: encode texts: item 3: malformed: invalid argument", []error{errors.ErrMalformed, fs.ErrInvalid}},
		"a context's cause": {errors.New("encode texts", errors.ErrCancelled, errors.NoItem, context.Canceled),
			"uform: encode texts: cancelled: context canceled", []error{errors.ErrCancelled, context.Canceled}},
		"an outcome": {errors.Of("choose", &abi.Outcome{Status: abi.StatusInvalidArgument, Item: 2, Message: abi.Address(text)}),
			"uform: choose: item 2: invalid argument: offsets decrease", []error{errors.ErrInvalidArgument}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.EqualError(t, c.err, c.says)
			for _, target := range c.is {
				require.ErrorIs(t, c.err, target)
			}
			var failure *errors.Error
			require.ErrorAs(t, c.err, &failure)
		})
	}
	require.NoError(t, errors.Of("choose", &abi.Outcome{}))
}
