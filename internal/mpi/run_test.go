package mpi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// lengths are around what the windows of a run hold, for one to four processes.
var lengths = []int{0, 1, 2, 3, 4, 5, 7, 1000, 1<<18 - 1, 1<<18 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 1<<21 + 12345}

// part is what process index has at a place: whole numbers, so that the sum over some processes is
// exact.
func part(index, i int) float32 { return float32((i*31+index*17)%1000 - 500) }

func collectives(w *worker) {
	ctx := soon(time.Minute)
	for _, length := range lengths {
		mine := make([]float32, length)
		for i := range mine {
			mine[i] = part(w.Index(), i)
		}
		summed := append([]float32{}, mine...)
		if err := w.AllReduce(ctx, summed); err != nil {
			w.report("reduce %d: %v", length, err)
			return
		}
		for i, got := range summed {
			var want float32
			for index := range w.Count() {
				want += part(index, i)
			}
			if got != want {
				w.report("reduce %d: at %d is %v, want %v", length, i, got, want)
				return
			}
		}
		all := make([]float32, w.Count()*length)
		if err := w.AllGather(ctx, mine, all); err != nil {
			w.report("gather %d: %v", length, err)
			return
		}
		for i, got := range all {
			if want := part(i/length, i%length); got != want {
				w.report("gather %d: at %d is %v, want %v", length, i, got, want)
				return
			}
		}
	}
	w.report("done %d of %d", w.Index(), w.Count())
}

func TestCollectives(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		for _, count := range []int{1, 2, 3, 4} {
			reports, said, err := launch(t, launcher, count, "collectives")
			require.NoError(t, err, said)
			for index, lines := range reports {
				require.Equal(t, []string{fmt.Sprintf("done %d of %d", index, count)}, lines, said)
			}
			require.Empty(t, said)
		}
	})
}
