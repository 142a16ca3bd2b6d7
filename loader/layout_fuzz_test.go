package loader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/loader"
)

// FuzzLayoutReport has a library answer anything about one of the facts, or about all of them. Only
// the truth is taken.
func FuzzLayoutReport(f *testing.F) {
	needNative(f)
	f.Add(0, uint64(24), false)
	f.Add(1, ^uint64(0), false)
	f.Add(7, uint64(0), true)
	facts := abi.Measured()
	f.Fuzz(func(t *testing.T, at int, answer uint64, all bool) {
		at = int(uint(at) % uint(len(facts)))
		truth := make(map[string]uintptr, len(facts))
		for _, fact := range facts {
			truth[fact.Name()] = fact.Bytes()
		}
		lie := uintptr(answer)
		table := &abi.Library{LayoutOf: func(name string) uintptr {
			if all || name == facts[at].Name() {
				return lie
			}
			return truth[name]
		}}
		err := loader.ProveLayout(table)
		if !all && lie == facts[at].Bytes() {
			require.NoError(t, err)
			return
		}
		require.ErrorIs(t, err, errors.ErrLibraryMissing)
		if lie != facts[at].Bytes() {
			require.ErrorContains(t, err, facts[at].Name())
		}
	})
}
