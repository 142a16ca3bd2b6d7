package arena_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/errors"
)

func TestRowsAreReadInPlace(t *testing.T) {
	_, rows := filled(t, newLibrary())
	require.NoError(t, rows.Err())
	require.Equal(t, 3, rows.Len())
	require.Equal(t, 2, rows.Columns())
	require.Equal(t, 8, rows.Stride())
	require.Equal(t, abi.ScalarF32, rows.Scalar())
	require.Equal(t, abi.Address(memory[:]), rows.Data())

	var seen [][]float32
	for i, row := range rows.All() {
		require.Same(t, &memory[2*i], &row[0], "row %d is a copy", i)
		seen = append(seen, []float32{row[0], row[1]})
	}
	require.Equal(t, [][]float32{{1, 2}, {3, 4}, {5, 6}}, seen)

	copied, err := rows.Copy()
	require.NoError(t, err)
	require.Equal(t, seen, copied)
	require.NotSame(t, &memory[0], &copied[0][0])

	appended, err := rows.AppendTo([]float32{9}, 1)
	require.NoError(t, err)
	require.Equal(t, []float32{9, 3, 4}, appended)
	for _, i := range []int{-1, 3} {
		_, err := rows.AppendTo(nil, i)
		require.ErrorIs(t, err, errors.ErrInvalidArgument, "row %d", i)
	}
}

func TestTapeItems(t *testing.T) {
	a := newArena(t, newLibrary())
	lease, err := begin(a)
	require.NoError(t, err)
	tape := tapeOf(lease, tapeView(), 3, 3)
	lease.End()

	require.Equal(t, 3, tape.Len())
	require.Equal(t, 3, tape.Rows().Len())
	require.Equal(t, abi.Address(offsets[:]), tape.Offsets())
	want := [][][]float32{{{1, 2}, {3, 4}}, {}, {{5, 6}}}
	for i, item := range tape.All() {
		rows, err := item.Copy()
		require.NoError(t, err)
		require.Equal(t, want[i], rows)
	}
	copied, err := tape.Copy()
	require.NoError(t, err)
	require.Equal(t, want, copied)
	last, err := tape.Item(2)
	require.NoError(t, err)
	require.Equal(t, 1, last.Len())
	_, err = tape.Item(3)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
}

// Every way to read goes through the same door.
func TestUnreadableRows(t *testing.T) {
	cases := map[string]struct {
		rows func(*testing.T) arena.Rows
		want error
	}{
		"not asked for": {func(*testing.T) arena.Rows { return arena.Rows{} }, errors.ErrInvalidArgument},
		"stale": {func(t *testing.T) arena.Rows {
			a, rows := filled(t, newLibrary())
			lease, err := begin(a)
			require.NoError(t, err)
			lease.End()
			return rows
		}, errors.ErrInvalidArgument},
		"lent": {func(t *testing.T) arena.Rows {
			a, rows := filled(t, newLibrary())
			lease, err := begin(a)
			require.NoError(t, err)
			t.Cleanup(lease.End)
			return rows
		}, errors.ErrInvalidArgument},
		"closed": {func(t *testing.T) arena.Rows {
			a, rows := filled(t, newLibrary())
			require.NoError(t, a.Close())
			return rows
		}, errors.ErrClosed},
		"on a device": {func(t *testing.T) arena.Rows {
			l := newLibrary()
			l.where = abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: 1}
			_, rows := filled(t, l)
			return rows
		}, errors.ErrDevice},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rows := c.rows(t)
			require.ErrorIs(t, rows.Err(), c.want)
			_, err := rows.Copy()
			require.ErrorIs(t, err, c.want)
			_, err = rows.Pin()
			require.ErrorIs(t, err, c.want)
			if rows.Len() > 0 {
				_, err = rows.AppendTo(nil, 0)
				require.ErrorIs(t, err, c.want)
			}
			require.PanicsWithError(t, rows.Err().Error(), func() {
				for range rows.All() {
					require.Fail(t, "a row was yielded")
				}
			})
		})
	}
}

func TestARefusedCallLeavesOutputs(t *testing.T) {
	a, rows := filled(t, newLibrary())
	lease, err := begin(a)
	require.NoError(t, err)
	lease.Refuse()
	lease.End()
	require.NoError(t, rows.Err())
}

func TestPinsKeepCallsOut(t *testing.T) {
	l := newLibrary()
	a, rows := filled(t, l)
	pin, err := rows.Pin()
	require.NoError(t, err)
	_, err = begin(a)
	require.ErrorIs(t, err, errors.ErrContended)
	for range rows.All() {
		_, err = begin(a)
		require.ErrorIs(t, err, errors.ErrContended)
	}

	floats, err := pin.Float32s(1)
	require.NoError(t, err)
	require.Equal(t, []float32{3, 4}, floats)
	require.Len(t, pin.Bytes(), 24)
	_, err = pin.Int8s(0)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	_, err = pin.Float32s(3)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)

	require.NoError(t, a.Close(), "a pin does not keep Close waiting")
	require.Zero(t, l.freed)
	require.ErrorIs(t, rows.Err(), errors.ErrClosed)
	require.Equal(t, float32(3), floats[0], "pinned memory outlives the close")
	pin.Release()
	pin.Release()
	require.Equal(t, 1, l.freed)
	_, err = pin.Float32s(0)
	require.ErrorIs(t, err, errors.ErrInvalidArgument, "a released pin lends nothing")
	require.Nil(t, pin.Bytes())
}

func TestDenseRows(t *testing.T) {
	pinned := func(t *testing.T, view abi.RowsView, count int) *arena.Pin {
		lease, err := begin(newArena(t, newLibrary()))
		require.NoError(t, err)
		rows := rowsOf(lease, view, count)
		lease.End()
		pin, err := rows.Pin()
		require.NoError(t, err)
		t.Cleanup(pin.Release)
		return pin
	}
	pin := pinned(t, rowsView(), 3)
	floats, err := pin.Dense()
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, floats)
	require.Same(t, &memory[0], &floats[0], "a copy")
	pin.Release()
	_, err = pin.Dense()
	require.ErrorIs(t, err, errors.ErrInvalidArgument, "a released pin lends nothing")

	gaps := rowsView()
	gaps.Columns = 1
	_, err = pinned(t, gaps, 3).Dense()
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	require.ErrorContains(t, err, "a row begins every 8 bytes and has 4")
	floats, err = pinned(t, gaps, 1).Dense()
	require.NoError(t, err)
	require.Equal(t, []float32{1}, floats, "one row has no gaps")

	bytes := rowsView()
	bytes.Scalar = abi.ScalarI8
	_, err = pinned(t, bytes, 3).Dense()
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	floats, err = pinned(t, rowsView(), 0).Dense()
	require.NoError(t, err)
	require.Empty(t, floats)
}

func TestADroppedArenaIsFreedAfterItsPins(t *testing.T) {
	l := newLibrary()
	freed := make(chan struct{})
	l.ArenaFree = func(abi.Arena) { close(freed) }
	pin := func() *arena.Pin {
		a, err := newOn(l, nil)
		require.NoError(t, err)
		lease, err := begin(a)
		require.NoError(t, err)
		rows := rowsOf(lease, rowsView(), 3)
		lease.End()
		pin, err := rows.Pin()
		require.NoError(t, err)
		return pin
	}()
	for range 5 {
		runtime.GC()
	}
	select {
	case <-freed:
		require.Fail(t, "freed under a pin")
	default:
	}
	floats, err := pin.Float32s(0)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, floats)
	pin.Release()
	for {
		select {
		case <-freed:
			return
		default:
			runtime.GC()
		}
	}
}

// Found by an example: rows whose arena nobody mentions any more were closed under the reader.
func TestRowsKeepTheirArena(t *testing.T) {
	l := newLibrary()
	rows := func() arena.Rows {
		a, err := newOn(l, nil)
		require.NoError(t, err)
		lease, err := begin(a)
		require.NoError(t, err)
		defer lease.End()
		return rowsOf(lease, rowsView(), 3)
	}()
	for range 5 {
		runtime.GC()
	}
	require.NoError(t, rows.Err())
	for i, row := range rows.All() {
		require.Equal(t, memory[2*i], row[0])
	}
}

func TestHolds(t *testing.T) {
	a, _ := filled(t, newLibrary())
	inside := abi.Memory(abi.Address(memory[:])+8, 4)
	require.True(t, lent(a).Holds(inside))
	require.False(t, lent(a).Holds(make([]byte, 4)))
	require.False(t, lent(a).Holds(nil))
}

func TestWidening(t *testing.T) {
	cases := map[string]struct {
		scalar abi.Scalar
		bytes  []byte
		want   []float32
	}{
		"f32":  {abi.ScalarF32, []byte{0, 0, 0x80, 0x3f}, []float32{1}},
		"bf16": {abi.ScalarBF16, []byte{0x80, 0x3f, 0x20, 0xc1}, []float32{1, -10}},
		"f16": {abi.ScalarF16, []byte{0, 0x3c, 0, 0xc0, 1, 0, 0xff, 3, 0, 4, 0xff, 0x7b, 0, 0x7c, 0, 0x80},
			[]float32{1, -2, 0x1p-24, 0x3ffp-24, 0x1p-14, 65504, float32(math.Inf(1)), float32(math.Copysign(0, -1))}},
		"i8": {abi.ScalarI8, []byte{127, 0, 0x81}, []float32{1, 0, -1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, arena.AppendFloats(nil, c.bytes, c.scalar))
		})
	}
	require.True(t, math.IsNaN(float64(arena.AppendFloats(nil, []byte{1, 0x7e}, abi.ScalarF16)[0])))
}
