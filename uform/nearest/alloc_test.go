//go:build !race

package nearest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// The race detector makes pools drop what they hold, so it has no such test.
func TestASteadySearchAllocatesNothing(t *testing.T) {
	eachKind(t, func(t *testing.T, scalar uform.Scalar, metric nearest.Metric) {
		index := create(t, 96, scalar, metric)
		random := rand.New(rand.NewPCG(6, 1))
		rows := vectors(random, 500, 96)
		require.NoError(t, index.Add(keysFrom(0, len(rows)), rows))
		options := &nearest.SearchOptions{Threads: 1}
		require.LessOrEqual(t, testing.AllocsPerRun(200, func() {
			var err error
			if options.Into, err = index.Search(t.Context(), rows[5], 10, options); err != nil {
				t.Fatal(err)
			}
		}), 0.0)
	})
}
