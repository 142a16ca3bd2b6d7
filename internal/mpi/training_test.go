package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
	"github.com/unum-cloud/uform-go/uform"
)

// small is an architecture with something of everything that texts use.
var small = model.Config{
	Modalities: []string{"text"}, Context: 64, Width: 16, Layers: 2, Heads: 2, Hidden: 24, Columns: 20, Skip: true,
	Grams: &model.Grams{Sizes: []int{2, 3}, Hashes: 2, Buckets: 50, Words: true, Fold: true},
}

// crowd is what a step learns from: item i is in group i/2, so that with most divisions a pair is
// in two processes.
func crowd(step int) (texts []string, groups []uint32) {
	for i := range 16 {
		texts = append(texts, fmt.Sprintf("%c text of step %d, number %d", 'a'+i/2, step, i))
		groups = append(groups, uint32(i/2))
	}
	return texts, groups
}

// shares are the bounds of the items of each process, which need not have as many.
var shares = map[int][]int{1: {0, 16}, 4: {0, 7, 10, 15, 16}}

const steps = 6

// trainRun trains as the launcher says, and answers what every step reports.
func trainRun(ctx context.Context, path string, broken func(step int, texts []string) []string) (lines []string) {
	report := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return []string{err.Error()}
	}
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
	if err != nil {
		return []string{err.Error()}
	}
	defer executor.Close()
	checkpoint, err := train.Fresh(&small, 7)
	if err != nil {
		return []string{err.Error()}
	}
	process, processes := uform.Launched()
	trainer, err := library.NewTrainerBytes(ctx, checkpoint, executor, &uform.TrainerOptions{Process: process, Processes: processes})
	if err != nil {
		return []string{err.Error()}
	}
	defer trainer.Close()
	for step := range steps {
		texts, groups := crowd(step)
		begin, end := shares[processes][process], shares[processes][process+1]
		texts, groups = texts[begin:end], groups[begin:end]
		if broken != nil {
			texts = broken(step, texts)
		}
		stepped, err := trainer.On(executor).Step(ctx, uform.Examples{Contents: uform.Strings(texts), Groups: groups}, nil, nil)
		if err != nil {
			var failure *uform.Error
			errors.As(err, &failure)
			report("item %d: %v", failure.Item, failure.Status)
			continue
		}
		report("%d %d %.9g %.9g", stepped.Step, stepped.Items, stepped.Loss, stepped.GradientNorm)
	}
	if err := trainer.On(executor).Save(ctx, path, nil); err != nil {
		report("%v", err)
	}
	return lines
}

func training(w *worker) {
	path := filepath.Join(os.Getenv(reportsVariable), fmt.Sprint("saved by ", w.index()))
	w.lines = trainRun(context.Background(), path, nil)
	w.save()
}

// At the second step process 2 has a text that is none.
func trainingBadly(w *worker) {
	path := filepath.Join(os.Getenv(reportsVariable), fmt.Sprint("saved by ", w.index()))
	w.lines = trainRun(context.Background(), path, func(step int, texts []string) []string {
		if step == 1 && w.index() == 2 {
			texts[3] = "\xff"
		}
		return texts
	})
	w.save()
}

// At the third step process 3 is no more.
func trainingToDeath(w *worker) {
	w.lines = trainRun(soon(5*time.Second), filepath.Join(os.Getenv(reportsVariable), "saved"), func(step int, texts []string) []string {
		if self, err := os.FindProcess(os.Getpid()); err == nil && step == 2 && w.index() == 3 {
			_ = self.Kill()
		}
		return texts
	})
	w.save()
}

// Four processes learn what one learns from the same items, however these are divided, and only the
// first of them writes.
func TestTraining(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "alone")
	want := trainRun(t.Context(), alone, nil)
	require.Len(t, want, steps, "%q", want)
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		folder, reports := launchIn(t, launcher, 4, "training")
		for process, got := range reports {
			require.Equal(t, reports[0], got, "process %d", process)
			_, err := os.Stat(filepath.Join(folder, fmt.Sprint("saved by ", process)))
			require.Equal(t, process == 0, err == nil, "process %d: %v", process, err)
		}
		for i := range want {
			var a, b [4]float64
			for text, values := range map[string]*[4]float64{want[i]: &a, reports[0][i]: &b} {
				_, err := fmt.Sscan(text, &values[0], &values[1], &values[2], &values[3])
				require.NoError(t, err, text)
			}
			require.Equal(t, a[:2], b[:2])
			require.InEpsilonSlice(t, a[2:], b[2:], 1e-4)
		}
		requireSameWeights(t, alone, filepath.Join(folder, "saved by 0"))
	})
}

// requireSameWeights compares two checkpoints. Adam makes steps of about the learning rate,
// whatever the slope's size: so a slope that is nothing but rounding may move a weight by a part of
// it.
func requireSameWeights(t *testing.T, a, b string) {
	t.Helper()
	var runs []*train.Trainer
	for _, path := range []string{a, b} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		run, err := train.New(content, nil)
		require.NoError(t, err)
		require.EqualValues(t, steps, run.Steps())
		runs = append(runs, run)
	}
	var most, total float64
	count := 0
	for _, layout := range small.Layouts() {
		x, y := runs[0].Tensor(layout.Name), runs[1].Tensor(layout.Name)
		require.Len(t, y, len(x), layout.Name)
		for i := range x {
			difference := math.Abs(float64(x[i]) - float64(y[i]))
			most, total, count = max(most, difference), total+difference, count+1
		}
	}
	t.Logf("%d weights after %d steps: differ by %.2g at most, %.2g on average", count, steps, most, total/float64(count))
	require.Less(t, most, 1e-5)
	require.Less(t, total/float64(count), 1e-7)
}

// What is wrong with one process's items fails the step of all, and changes nothing: the next one
// goes well.
func TestBadItems(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		_, reports := launchIn(t, launcher, 4, "training badly")
		for process, lines := range reports {
			require.Len(t, lines, steps, "%q", lines)
			for step, line := range lines {
				switch {
				case step != 1:
					done := step
					if step == 0 {
						done = 1
					}
					require.True(t, strings.HasPrefix(line, fmt.Sprintf("%d 16 ", done)), "step %d of process %d: %s", step, process, line)
				case process == 2:
					require.Equal(t, "item 3: malformed", line)
				default:
					require.Equal(t, "item -1: peer", line)
				}
			}
		}
	})
}

// The launcher ends those who train with a process that was killed.
func TestTrainingToDeath(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		begin := time.Now()
		_, said, err := launch(t, launcher, 4, "training to death")
		require.Error(t, err, said)
		require.Less(t, time.Since(begin), 2*time.Minute)
	})
}
