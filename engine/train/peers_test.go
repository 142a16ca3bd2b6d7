package train_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/traintest"
)

// together runs a function for each process concurrently, and returns their errors.
func together(count int, run func(process int) error) []error {
	failures := make([]error, count)
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() { failures[i] = run(i) })
	}
	group.Wait()
	return failures
}

// runOf returns a run of count processes over the same checkpoint.
func runOf(t *testing.T, config *model.Config, count int, deadline time.Duration) []*train.Trainer {
	t.Helper()
	file, err := train.Fresh(config, 3)
	require.NoError(t, err)
	run := make([]*train.Trainer, count)
	for i, reducer := range traintest.Processes(count) {
		run[i], err = train.New(file, &train.Options{Reducer: reducer, Deadline: deadline, Spread: train.Threads(1)})
		require.NoError(t, err)
	}
	return run
}

// dealt returns a process's part of a batch: the items from begin to end, and what refers to them
// alone.
func dealt(b *train.Batch, begin, end int) *train.Batch {
	part := &train.Batch{Items: b.Items[begin:end], Groups: b.Groups[begin:end], Targets: b.Targets[begin:end]}
	for _, p := range b.Pairs {
		if p.A >= begin && p.A < end && p.B >= begin && p.B < end {
			part.Pairs = append(part.Pairs, train.Pair{A: p.A - begin, B: p.B - begin, Score: p.Score})
		}
	}
	return part
}

// Four processes with parts of a batch, one of them empty, compute the same as one process with the
// whole.
func TestFourProcessesAreOne(t *testing.T) {
	for name, config := range map[string]*model.Config{"media": mediaConfig(), "bag": bagConfig()} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(9, 9))
			whole := batchFor(config, random, config.Columns)
			whole.Pairs = []train.Pair{{A: 0, B: 1, Score: 5}, {A: 5, B: 6, Score: 1}, {A: 8, B: 9, Score: 3}}
			bounds := []int{0, 4, 4, 7, len(whole.Items)}
			questions := whole.Questions
			one := runOf(t, config, 1, 0)[0]
			four := runOf(t, config, 4, time.Minute)
			for step := range 3 {
				whole.Questions = questions
				want, err := one.Step(t.Context(), whole, &train.StepOptions{Losses: allLosses})
				require.NoError(t, err)
				got := make([]*train.Stats, 4)
				for _, err := range together(4, func(i int) (err error) {
					part := dealt(whole, bounds[i], bounds[i+1])
					if i < len(questions) {
						part.Questions = questions[i : i+1]
					}
					got[i], err = four[i].Step(t.Context(), part, &train.StepOptions{Losses: allLosses})
					return err
				}) {
					require.NoError(t, err)
				}
				for i := range got {
					require.Equal(t, want.Step, got[i].Step)
					require.Equal(t, want.Items, got[i].Items)
					require.InEpsilon(t, want.Loss, got[i].Loss, 1e-4, "step %d", step)
					require.InEpsilon(t, want.GradientNorm, got[i].GradientNorm, 1e-3, "step %d", step)
				}
			}
			for _, layout := range config.Layouts() {
				for i := range four {
					require.Equal(t, four[0].Tensor(layout.Name), four[i].Tensor(layout.Name), "replicas drifted: %s", layout.Name)
				}
				require.InDeltaSlice(t, one.Tensor(layout.Name), four[0].Tensor(layout.Name), 5e-4, layout.Name)
			}
		})
	}
}

// A fault in one process's part fails all processes, none hangs, and the run continues afterwards.
func TestProcessesFailTogether(t *testing.T) {
	config := textConfig()
	run := runOf(t, config, 3, time.Minute)
	pair := func(texts ...string) *train.Batch {
		b := &train.Batch{Neighbours: true}
		for _, text := range texts {
			b.Items = append(b.Items, train.Item{Text: []byte(text)})
		}
		return b
	}
	good := func() *train.Batch { return pair("a cat", "cats", "a dog", "dogs") }
	before := append([]float32(nil), run[0].Tensor("bytes")...)
	stop := func(after int) func(int, int) bool {
		return func(int, int) bool { after--; return after >= 0 }
	}
	for name, test := range map[string]struct {
		batch   *train.Batch
		options *train.StepOptions
		status  error
	}{
		"not UTF-8":              {pair("a", "\xff"), nil, errors.ErrMalformed},
		"a question unanswered":  {&train.Batch{Questions: []train.Question{{Answer: 1}}}, nil, errors.ErrInvalidArgument},
		"stopped at the start":   {good(), &train.StepOptions{Progress: stop(0)}, errors.ErrCancelled},
		"stopped going forward":  {good(), &train.StepOptions{Progress: stop(1)}, errors.ErrCancelled},
		"stopped going backward": {good(), &train.StepOptions{Progress: stop(5)}, errors.ErrCancelled},
		"found elsewhere":        {good(), &train.StepOptions{Fault: fmt.Errorf("no: %w", errors.ErrDevice)}, errors.ErrDevice},
		"another rate":           {good(), &train.StepOptions{LearningRate: 0.5}, errors.ErrPeer},
	} {
		t.Run(name, func(t *testing.T) {
			failures := together(3, func(i int) error {
				batch, options := good(), (*train.StepOptions)(nil)
				if i == 1 {
					batch, options = test.batch, test.options
				}
				_, err := run[i].Step(t.Context(), batch, options)
				return err
			})
			require.ErrorIs(t, failures[1], test.status)
			require.ErrorIs(t, failures[0], errors.ErrPeer)
			require.ErrorIs(t, failures[2], errors.ErrPeer)
			require.Equal(t, before, run[0].Tensor("bytes"))
		})
	}
	for _, err := range together(3, func(i int) error {
		_, err := run[i].Step(t.Context(), pair(), nil)
		return err
	}) {
		require.NoError(t, err, "a step of nothing")
	}
	for _, err := range together(3, func(i int) error {
		stats, err := run[i].Step(t.Context(), good(), nil)
		if err == nil && stats.Step != 1 {
			err = fmt.Errorf("%d steps", stats.Step)
		}
		return err
	}) {
		require.NoError(t, err)
	}
}

// A process that is gone, or late, ends the step of every other process.
func TestLostProcesses(t *testing.T) {
	config := textConfig()
	batch := &train.Batch{Neighbours: true, Items: []train.Item{{Text: []byte("a")}, {Text: []byte("b")}}}
	t.Run("gone", func(t *testing.T) {
		run := runOf(t, config, 3, time.Minute)
		require.NoError(t, run[2].Close())
		for _, err := range together(2, func(i int) error {
			_, err := run[i].Step(context.Background(), batch, nil)
			return err
		}) {
			require.ErrorIs(t, err, errors.ErrPeer)
		}
	})
	t.Run("late", func(t *testing.T) {
		run := runOf(t, config, 3, 50*time.Millisecond)
		for range 2 {
			for _, err := range together(2, func(i int) error {
				_, err := run[i].Step(context.Background(), batch, nil)
				return err
			}) {
				require.ErrorIs(t, err, errors.ErrPeer)
			}
		}
	})
}
