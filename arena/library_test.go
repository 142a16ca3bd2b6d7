package arena_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// library is a table of arenas alone, so that these tests see what the binding does and no call
// gets in between. Its memory is static, as C memory is to Go.
type library struct {
	abi.Library
	made, freed int
	where       abi.ArenaDescription
}

func newLibrary() *library {
	l := &library{where: abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}}
	l.ArenaInit = func(a *abi.ArenaInit) {
		l.made++
		*a.Arena = 1
		a.Outcome.Status = abi.StatusSuccess
	}
	l.ArenaDescribe = func(a *abi.ArenaDescribe) {
		*a.Description = l.where
		a.Outcome.Status = abi.StatusSuccess
	}
	l.ArenaFree = func(abi.Arena) { l.freed++ }
	return l
}

func newArena(t *testing.T, l *library) *arena.Arena {
	t.Helper()
	a, err := newOn(l, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// newOn makes an arena as package uform does.
func newOn(l *library, executor *handle.Handle[abi.Executor]) (*arena.Arena, error) {
	a, err := lending.New(&l.Library, executor)
	return (*arena.Arena)(a), err
}

// lent is an arena as package uform lends it.
func lent(a *arena.Arena) *lending.Arena { return (*lending.Arena)(a) }

func begin(a *arena.Arena) (lending.Lease, error) { return lent(a).Begin("encode") }

func rowsOf(lease lending.Lease, view abi.RowsView, count int) arena.Rows {
	return arena.Rows(lease.Rows(view, count))
}

func tapeOf(lease lending.Lease, view abi.RowsTapeView, items, rows int) arena.RowsTape {
	return arena.RowsTape(lease.RowsTape(view, items, rows))
}

var (
	// memory stands for an arena's pages.
	memory  = [6]float32{1, 2, 3, 4, 5, 6}
	offsets = [4]uintptr{0, 2, 2, 3}
)

// rowsView is three rows of two floats.
func rowsView() abi.RowsView {
	return abi.RowsView{Data: unsafe.Pointer(&memory), Stride: 8, Columns: 2, Scalar: abi.ScalarF32}
}

// tapeView is two rows, none, and one.
func tapeView() abi.RowsTapeView {
	return abi.RowsTapeView{Rows: rowsView(), Offsets: unsafe.Pointer(&offsets)}
}

// filled is an arena with three rows that a call left.
func filled(t *testing.T, l *library) (*arena.Arena, arena.Rows) {
	t.Helper()
	a := newArena(t, l)
	lease, err := begin(a)
	require.NoError(t, err)
	rows := rowsOf(lease, rowsView(), 3)
	lease.End()
	return a, rows
}
