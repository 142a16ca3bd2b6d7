package mpi_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/mpi"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// finished requires that every process has reported these lines and nothing else, and that the
// launcher saw a good end.
func finished(t *testing.T, launcher mpitest.Launcher, count int, scenario string, want ...string) {
	t.Helper()
	reports, said, err := launch(t, launcher, count, scenario)
	require.NoError(t, err, "%q\n%s", reports, said)
	for _, lines := range reports {
		require.Equal(t, want, lines, said)
	}
	require.Empty(t, said)
}

// A nil pointer is a panic that can be recovered from, whatever was loaded: the libraries below MPI
// take its signal.
func nilPointer(w *worker) {
	defer func() { w.report("%v", recover()) }()
	var nothing *[1 << 20]int
	w.report("%d", nothing[len(w.lines)])
}

func TestSignals(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		finished(t, launcher, 2, "nil pointer", "runtime error: invalid memory address or nil pointer dereference")
	})
}

// Sums have the same bits on all processes, whatever their order would make of them, and gathered
// bits are anybody's.
func bits(w *worker) {
	ctx := soon(time.Minute)
	for _, length := range []int{1, 5, 1000, 1<<20 + 7} {
		values := make([]float32, length)
		state := uint32(w.Index() + 1)
		for i := range values {
			state = state*1664525 + 1013904223
			// From 1e-7 to 1e7: every order rounds differently.
			values[i] = float32(math.Exp(float64(int32(state)) / (1 << 27)))
		}
		if err := w.AllReduce(ctx, values); err != nil {
			w.report("%v", err)
			return
		}
		all := make([]float32, length*w.Count())
		if err := w.AllGather(ctx, values, all); err != nil {
			w.report("%v", err)
			return
		}
		for i := range all {
			if math.Float32bits(all[i]) != math.Float32bits(values[i%length]) {
				w.report("sum %d of %d is %v at process %d, %v here", i%length, length, all[i], i/length, values[i%length])
				return
			}
		}
	}
	patterns := []uint32{0x7fc00001, 0xffc0dead, 0x7f800001, 0xff800002, 0x80000000, 1, math.MaxUint32}
	mine := make([]float32, len(patterns))
	for i, pattern := range patterns {
		mine[i] = math.Float32frombits(pattern - uint32(w.Index())*0x1000)
	}
	all := make([]float32, len(mine)*w.Count())
	if err := w.AllGather(ctx, mine, all); err != nil {
		w.report("%v", err)
		return
	}
	for i, got := range all {
		if want := patterns[i%len(patterns)] - uint32(i/len(patterns))*0x1000; math.Float32bits(got) != want {
			w.report("gathered %x, want %x", math.Float32bits(got), want)
			return
		}
	}
	w.report("same")
}

func TestBits(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		for _, count := range []int{3, 4} {
			finished(t, launcher, count, "bits", "same")
		}
	})
}

// MPI ends with a process's last run, and says so to who wants another one.
func afterAnother(w *worker) {
	w.report("%v", w.Close())
	w.report("%v", w.Close())
	w.report("%v", w.AllReduce(context.Background(), make([]float32, 1)))
	_, err := mpi.Join(w.Index(), w.Count())
	w.report("%v", err)
}

func TestAfterAnother(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		finished(t, launcher, 2, "after another", "<nil>", "<nil>", "the run is closed: invalid argument",
			"MPI has ended with this process's last run, and cannot begin again: join the next run before the last is closed: peer")
	})
}

// A process may have several runs, and they do not wait for each other: here each process reduces
// in another order, from goroutines on threads of their own.
func besideAnother(w *worker) {
	runs := []*mpi.Run{w.Run}
	for range 2 {
		run, err := mpi.Join(w.Index(), w.Count())
		if err != nil {
			w.report("%v", err)
			return
		}
		runs = append(runs, run)
	}
	var group sync.WaitGroup
	for i := range runs {
		which := (i + w.Index()) % len(runs)
		group.Go(func() {
			runtime.LockOSThread()
			time.Sleep(time.Duration(i) * 50 * time.Millisecond)
			for call := range 20 {
				values := []float32{float32(which), float32(call)}
				err := runs[which].AllReduce(soon(30*time.Second), values)
				if n := float32(w.Count()); err != nil || values[0] != n*float32(which) || values[1] != n*float32(call) {
					panic(fmt.Sprint(which, call, values, err))
				}
			}
		})
	}
	group.Wait()
	for _, run := range runs[1:] {
		if err := run.Close(); err != nil {
			w.report("%v", err)
		}
	}
	w.report("done")
}

func TestBesideAnother(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		finished(t, launcher, 3, "beside another", "done")
	})
}

// misfit joins as what this process is not, and reports the error without its numbers' owner.
func misfit(w *worker) {
	index, count, _ := mpi.Launched()
	for _, wrong := range [][2]int{{index + 1, count + 1}, {index, count - 1}, {-1, count}, {index, 0}, {count, count}} {
		_, err := mpi.Join(wrong[0], wrong[1])
		w.report("%v", err)
	}
}

func TestMisfit(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		reports, said, err := launch(t, launcher, 2, "misfit")
		require.NoError(t, err, said)
		require.Equal(t, []string{
			"the program calls this process 1 of 3, its launcher calls it 0 of 2: invalid argument",
			"the program calls this process 0 of 1, its launcher calls it 0 of 2: invalid argument",
			"there is no process -1 of 2: invalid argument",
			"there is no process 0 of 0: invalid argument",
			"there is no process 2 of 2: invalid argument",
		}, reports[0], said)
	})
}

// What launchers say, and who has none.
func TestLaunched(t *testing.T) {
	none := map[string]string{}
	for _, c := range []struct {
		environment  map[string]string
		index, count int
		ok           bool
		join         string
	}{
		{none, 0, 1, false, "the program calls this process 1 of 3, but no MPI launcher has started it: start it with mpirun -n 3"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}, 2, 4, true, "calls it 2 of 4"},
		{map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2"}, 0, 2, true, "calls it 0 of 2"},
		{map[string]string{"PMI_RANK": "0"}, 0, 1, false, "no MPI launcher has started it"},
		{map[string]string{"PMI_RANK": "2", "PMI_SIZE": "2"}, 0, 1, false, `PMI_RANK="2" and PMI_SIZE="2", which are not a process`},
		{map[string]string{"PMI_RANK": "", "PMI_SIZE": "x"}, 0, 1, false, `PMI_RANK="" and PMI_SIZE="x", which are not a process`},
		{map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "5"}, 1, 5, true, "calls it 1 of 5"},
	} {
		t.Run(fmt.Sprint(c.environment), func(t *testing.T) {
			for _, name := range []string{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE"} {
				t.Setenv(name, "")
				require.NoError(t, os.Unsetenv(name))
			}
			for name, value := range c.environment {
				t.Setenv(name, value)
			}
			index, count, ok := mpi.Launched()
			require.Equal(t, []any{c.index, c.count, c.ok}, []any{index, count, ok})
			_, err := mpi.Join(1, 3)
			require.ErrorIs(t, err, errors.ErrInvalidArgument)
			require.Contains(t, err.Error(), c.join)
			require.True(t, strings.HasSuffix(err.Error(), ": invalid argument"), err)
		})
	}
}
