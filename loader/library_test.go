package loader_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/loader"
)

// The C library of testdata passes every proof, with nothing left to believe.
func TestOpenTheLibrary(t *testing.T) {
	library := open(t, loadertest.Need(t))
	require.Equal(t, loader.KindNative, library.Origin.Kind)
	require.Len(t, library.Origin.Proven, 3, "%v", library.Origin)
	require.Empty(t, library.Origin.Unproven)
	table := library.Table
	require.Equal(t, fmt.Sprintf("%d.%d.%d", table.VersionMajor(), table.VersionMinor(), table.VersionPatch()), library.Origin.Version)
	for _, fact := range abi.Expected() {
		require.Equal(t, fact.Bytes(), table.LayoutOf(fact.Name()), fact.Name())
	}
	require.NotEmpty(t, table.StatusToString(abi.StatusContended))
	require.NotEmpty(t, table.StatusToString(-77), "never NULL")
	compiled, detected := new(uint64), new(uint64)
	table.Capabilities(compiled, detected)
	require.NotZero(t, *compiled)
	require.NotZero(t, *detected)
	table.Capabilities(nil, nil)
}

// Arenas are made, described and freed, one after the other.
func TestArenasOfTheLibrary(t *testing.T) {
	table := open(t, loadertest.Need(t)).Table
	for range 1000 {
		box := new(struct {
			arguments
			arena abi.Arena
			init  abi.ArenaInit
		})
		box.outcome.Status = abi.StatusUnknown
		box.init = abi.ArenaInit{Arena: &box.arena, Outcome: &box.outcome}
		table.ArenaInit(&box.init)
		require.Equal(t, abi.StatusSuccess, box.outcome.Status)
		runtime.Gosched()
		box.describe = abi.ArenaDescribe{Arena: box.arena, Outcome: &box.outcome, Description: &box.description}
		box.description.Device = -2
		table.ArenaDescribe(&box.describe)
		require.Equal(t, abi.StatusSuccess, box.outcome.Status)
		require.Equal(t, abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}, box.description)
		table.ArenaFree(box.arena)
	}
	table.ArenaFree(0)
}
