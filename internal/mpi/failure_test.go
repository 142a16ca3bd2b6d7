package mpi_test

import (
	"context"
	stderrors "errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// outcome is an error as a line of a report: its status, and how it came.
func outcome(err error, since time.Time) string {
	status := "success"
	if err != nil {
		status = "other"
		if known, ok := errors.StatusOf(err); ok {
			status = known.Error()
		}
	}
	speed := "at once"
	if time.Since(since) > 30*time.Second {
		speed = "late"
	}
	return fmt.Sprintf("%s %s: %v", status, speed, err)
}

// One process does not come in time. Those who waited name it, and it hears that they have left.
func late(w *worker) {
	begin := time.Now()
	if w.Index() == 1 {
		time.Sleep(2 * time.Second)
	}
	w.report("%s", outcome(w.AllReduce(soon(time.Second), make([]float32, 10)), begin))
	w.report("%s", outcome(w.AllReduce(soon(time.Minute), make([]float32, 10)), begin))
	w.report("%s", outcome(w.AllGather(soon(time.Minute), make([]float32, 1), make([]float32, w.Count())), begin))
}

// One process gives up while all others wait, long before their deadline.
func givesUp(w *worker) {
	begin := time.Now()
	ctx := soon(time.Minute)
	if w.Index() == 2 {
		time.Sleep(100 * time.Millisecond)
		cancelled, cancel := context.WithCancelCause(ctx)
		cancel(stderrors.New("the user had enough"))
		ctx = cancelled
	}
	w.report("%s", outcome(w.AllReduce(ctx, make([]float32, 10)), begin))
}

// One process gives up while others are in the middle of a call whose length is right.
func givesUpWithin(w *worker) {
	begin := time.Now()
	if w.Index() == 0 {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(100*time.Millisecond, func() { cancel(stderrors.New("the user had enough")) })
		w.report("%s", outcome(w.AllReduce(ctx, make([]float32, 1<<24)), begin))
		return
	}
	w.report("%s", outcome(w.AllReduce(soon(time.Minute), make([]float32, 1<<24)), begin))
}

// Processes do not agree on a length, on a call, and on a slice of their own.
func disagreesOnLength(w *worker) {
	w.report("%s", outcome(w.AllReduce(soon(time.Minute), make([]float32, 5+w.Index()/3)), time.Now()))
}

func disagreesOnCall(w *worker) {
	begin := time.Now()
	if w.Index() == 3 {
		w.report("%s", outcome(w.AllGather(soon(time.Minute), make([]float32, 5), make([]float32, 5*w.Count())), begin))
		return
	}
	w.report("%s", outcome(w.AllReduce(soon(time.Minute), make([]float32, 5)), begin))
}

func disagreesWithItself(w *worker) {
	begin := time.Now()
	wrong := 0
	if w.Index() == 3 {
		wrong = 1
	}
	w.report("%s", outcome(w.AllGather(soon(time.Minute), make([]float32, 5), make([]float32, 5*w.Count()+wrong)), begin))
}

// One process closes the run while the others go on.
func leaves(w *worker) {
	begin := time.Now()
	w.report("%s", outcome(w.AllReduce(soon(time.Minute), make([]float32, 5)), begin))
	if w.Index() != 0 {
		w.report("%s", outcome(w.AllReduce(soon(time.Minute), make([]float32, 5)), begin))
		return
	}
	w.report("%s", outcome(w.Close(), begin))
}

// One process is killed within a loop of calls.
func killed(w *worker) {
	begin := time.Now()
	for i := 0; ; i++ {
		if w.Index() == 1 && i == 20 {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			w.report("still here: %v", err)
		}
		if err := w.AllReduce(soon(6*time.Second), make([]float32, 100000)); err != nil {
			w.report("%s", outcome(err, begin))
			return
		}
		if i == 0 {
			w.report("began")
		}
	}
}

// says is whether a line begins as wanted, where a star stands for anything.
func says(line, wanted string) bool {
	for i, part := range strings.Split(wanted, "*") {
		at := strings.Index(line, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		line = line[at+len(part):]
	}
	return true
}

// Every failure of one process is a failure of all, with a status, a reason and without waiting
// longer than it must.
func TestFailures(t *testing.T) {
	for scenario, want := range map[string]func(index int) []string{
		"late": func(index int) []string {
			if index == 1 { // it hears why, or finds that nobody is there any more
				return []string{"peer at once: process 1 of 4: ", "peer at once: process 1 of 4: ", "peer at once: process 1 of 4: "}
			}
			// its own deadline, or that of another one which it has heard of first
			gave := fmt.Sprintf("peer at once: process %d of 4: *gave up waiting for process 1 to come to call 1, AllReduce of 10 values: context deadline exceeded: peer", index)
			return []string{gave, gave, gave}
		},
		"gives up": func(index int) []string {
			if index == 2 {
				return []string{"peer at once: process 2 of 4: gave up before call 1, AllReduce of 10 values: the user had enough: peer"}
			}
			return []string{fmt.Sprintf("peer at once: process %d of 4: process 2 has left the run: gave up before call 1, AllReduce of 10 values: the user had enough: peer", index)}
		},
		"gives up within": func(index int) []string {
			if index == 0 {
				return []string{"peer at once: process 0 of 4: gave up waiting for "}
			}
			return []string{fmt.Sprintf("peer at once: process %d of 4: process ", index)}
		},
		"disagrees on length": func(index int) []string {
			if index == 3 {
				return []string{"peer at once: process 3 of 4: disagrees with process 0: here it is call 1, AllReduce of 6 values, there call 1, AllReduce of 5 values: peer"}
			}
			return []string{fmt.Sprintf("peer at once: process %d of 4: ", index)}
		},
		"disagrees on call": func(index int) []string {
			if index == 3 {
				return []string{"peer at once: process 3 of 4: disagrees with process 0: here it is call 1, AllGather of 5 values, there call 1, AllReduce of 5 values: peer"}
			}
			return []string{fmt.Sprintf("peer at once: process %d of 4: ", index)}
		},
		"disagrees with itself": func(index int) []string {
			if index == 3 {
				return []string{"invalid argument at once: process 3 of 4: AllGather of 4 processes' 5 values each into 21: invalid argument"}
			}
			return []string{fmt.Sprintf("peer at once: process %d of 4: process 3 has left the run: AllGather of 4 processes' 5 values each into 21: peer", index)}
		},
		"leaves": func(index int) []string {
			if index == 0 {
				return []string{"success at once: <nil>", "peer at once: process 0 of 4: process "}
			}
			return []string{"success at once: <nil>", fmt.Sprintf("peer at once: process %d of 4: process 0 has left the run: it has closed the run: peer", index)}
		},
	} {
		t.Run(strings.ReplaceAll(scenario, " ", "_"), func(t *testing.T) {
			mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
				reports, said, _ := launch(t, launcher, 4, scenario, launcher.Survive...)
				for index, got := range reports {
					wanted := want(index)
					require.Len(t, got, len(wanted), "process %d: %q\n%s", index, got, said)
					for i := range got {
						require.True(t, says(got[i], wanted[i]), "process %d says %q, want %q\n%s", index, got[i], wanted[i], said)
					}
				}
			})
		})
	}
}

// A process that is killed takes the others with it, whom its launcher ends.
func TestKilled(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		begin := time.Now()
		reports, said, err := launch(t, launcher, 4, "killed")
		require.Error(t, err, said)
		require.Less(t, time.Since(begin), time.Minute)
		require.Equal(t, []string{"began"}, reports[1], said)
	})
}

// Where the launcher leaves the others alone, their calls end by their deadline. MPICH's launcher
// ends those whose connection to it breaks all the same; that of a process which another one stands
// before does not.
func TestSurvivors(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		reports, said, _ := launch(t, launcher, 4, "killed behind another", launcher.Survive...)
		require.Equal(t, []string{"began"}, reports[1], said)
		for _, index := range []int{0, 2, 3} {
			require.Len(t, reports[index], 2, "process %d: %q\n%s", index, reports[index], said)
			require.True(t, strings.HasPrefix(reports[index][1], "peer at once: process "), "process %d: %q\n%s", index, reports[index], said)
		}
	})
}
