package arena_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/lending"
)

func TestClosedArena(t *testing.T) {
	l := newLibrary()
	a := newArena(t, l)
	description, err := a.Describe()
	require.NoError(t, err)
	require.Equal(t, arena.Description{Residency: abi.ResidencyRAM, Device: -1}, description)

	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	require.Equal(t, 1, l.freed)
	_, err = a.Describe()
	require.ErrorIs(t, err, errors.ErrClosed)
	_, err = begin(a)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	require.ErrorIs(t, err, errors.ErrClosed)
}

func TestOneCallAtATime(t *testing.T) {
	a := newArena(t, newLibrary())
	lease, err := begin(a)
	require.NoError(t, err)
	require.EqualValues(t, 1, lease.Arena())
	_, err = begin(a)
	require.ErrorIs(t, err, errors.ErrContended)
	lease.End()
	lease, err = begin(a)
	require.NoError(t, err)
	lease.End()
}

// final is a deferred call that is over, though nobody has noticed.
type final struct{ lease lending.Lease }

func (f *final) SettleFinal() bool {
	f.lease.End()
	return true
}

func (f *final) Finish() { f.lease.End() }

func TestAFinalCallGivesTheArenaBack(t *testing.T) {
	a := newArena(t, newLibrary())
	lease, err := begin(a)
	require.NoError(t, err)
	lease.Hold(&final{lease})
	lease, err = begin(a)
	require.NoError(t, err)
	lease.End()
}

func TestWhatIsInTheWayOfTheNextCall(t *testing.T) {
	a := newArena(t, newLibrary())
	way := func() [2]bool {
		lent, pinned := lent(a).Finish()
		return [2]bool{lent, pinned}
	}
	require.Equal(t, [2]bool{false, false}, way())
	lease, err := begin(a)
	require.NoError(t, err)
	require.Equal(t, [2]bool{true, false}, way())
	lease.Hold(&final{lease})
	require.Equal(t, [2]bool{false, false}, way(), "a deferred call is waited for")
	lease, err = begin(a)
	require.NoError(t, err)
	rows := rowsOf(lease, abi.RowsView{}, 0)
	lease.End()
	pin, err := rows.Pin()
	require.NoError(t, err)
	require.Equal(t, [2]bool{false, true}, way())
	pin.Release()
	require.Equal(t, [2]bool{false, false}, way())
}

func TestADeviceArenaKeepsItsExecutor(t *testing.T) {
	l := newLibrary()
	l.where = abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: 0}
	var order []string
	l.ArenaFree = func(abi.Arena) { order = append(order, "arena") }
	executor := handle.New(abi.Executor(5), func(abi.Executor) { order = append(order, "executor") })
	a, err := newOn(l, executor)
	require.NoError(t, err)
	require.True(t, executor.Close())
	require.Empty(t, order)
	require.NoError(t, a.Close())
	require.Equal(t, []string{"arena", "executor"}, order)

	_, err = newOn(l, executor)
	require.ErrorIs(t, err, errors.ErrClosed)
}

func TestAFailedInitIsAnError(t *testing.T) {
	l := newLibrary()
	l.ArenaInit = func(a *abi.ArenaInit) { a.Outcome.Status = abi.StatusOutOfMemory }
	_, err := newOn(l, nil)
	require.ErrorIs(t, err, errors.ErrOutOfMemory)
	l.ArenaInit = func(*abi.ArenaInit) {}
	_, err = newOn(l, nil)
	require.ErrorIs(t, err, errors.ErrUnknown, "an outcome that nobody wrote is no success")

	l = newLibrary()
	l.ArenaDescribe = func(a *abi.ArenaDescribe) { a.Outcome.Status = abi.StatusUnknown }
	_, err = newOn(l, nil)
	require.ErrorIs(t, err, errors.ErrUnknown)
	require.Equal(t, 1, l.freed, "an arena that cannot be placed is freed")
}
