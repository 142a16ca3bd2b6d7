package abi_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

func TestTapesGoThereAndBack(t *testing.T) {
	data := []byte("abcdef")
	offsets := abi.Offsets([]int64{1, 3, 3, 6})
	tape := abi.Tape(data, offsets)
	require.Equal(t, []uintptr{1, 3, 3, 6}, tape.Bounds(3))
	require.Equal(t, data, tape.Bytes(6))
	require.Same(t, &data[0], &tape.Bytes(1)[0], "read in place")

	floats := []float32{1, 2}
	require.Equal(t, floats, abi.Tape(floats, offsets).Floats(2))

	empty := abi.Tape([]byte(nil), []uintptr{0, 0})
	require.NotNil(t, empty.Data, "a tape of empty items does not begin at NULL")
	require.Nil(t, empty.Bytes(0))
	require.Nil(t, abi.TapeView{}.Bounds(0))
	require.Nil(t, abi.TapeView{}.Bytes(5))
	require.Nil(t, abi.TapeView{}.Floats(5))
	require.Nil(t, tape.Bounds(math.MaxUint), "one more would be none")
}

func TestTexts(t *testing.T) {
	require.Equal(t, "a path", abi.Text(abi.CText("a path")))
	require.Empty(t, abi.Text(abi.CText("")))
	require.Empty(t, abi.Text(nil))
	require.Empty(t, abi.TextAt(0))
	memory := []byte("message\x00behind")
	require.Equal(t, "message", abi.TextAt(abi.Address(memory)))
	require.Equal(t, memory[:3], abi.Memory(abi.Address(memory), 3))
	require.Nil(t, abi.Memory(0, 3))
	require.Zero(t, abi.Address([]byte(nil)))
}

func TestElements(t *testing.T) {
	values := []uint32{4, 5}
	require.Equal(t, values, abi.Elements(&values[0], 2))
	require.Nil(t, abi.Elements[uint32](nil, 2))
	require.Nil(t, abi.Elements(&values[0], 0))
}

func TestOutcomesArePublished(t *testing.T) {
	outcome := &abi.Outcome{Status: abi.StatusDeferred}
	var group sync.WaitGroup
	group.Go(func() {
		for outcome.Load() == abi.StatusDeferred {
		}
		require.EqualValues(t, 7, outcome.Item, "what was written before the status is seen after it")
	})
	outcome.Item = 7
	outcome.Store(abi.StatusMalformed)
	group.Wait()
}

// Bug 2: a table of callbacks that fills up. Handlers have numbers here, which do not run out.
func TestTenThousandProgressHandlers(t *testing.T) {
	states := map[uintptr]bool{}
	for i := range uintptr(10_000) {
		state := abi.HoldProgress(func(finished, total uintptr) bool { return finished < i })
		require.False(t, states[state])
		require.NotZero(t, state)
		states[state] = true
		require.False(t, abi.ReportProgress(state, i, i))
		abi.ReleaseProgress(state)
		require.True(t, abi.ReportProgress(state, i, i), "a released handler receives nothing")
	}
}
