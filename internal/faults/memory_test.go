package faults_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// step is an operation that allocates memory in the C library.
type step struct {
	name string
	// run does it on handles that have not grown yet, and frees what it made.
	run func(t *testing.T, b bench) (answer, error)
}

func memorySteps(t *testing.T, model *uform.Model) (steps []step, want map[string]answer) {
	path := checkpoint(t)
	load := func(options func(bench) *uform.LoadOptions, bytes bool) func(*testing.T, bench) (answer, error) {
		return func(t *testing.T, b bench) (answer, error) {
			var model *uform.Model
			var err error
			if bytes {
				model, err = b.library.LoadBytes(background, mini.Checkpoint(), options(b))
			} else {
				model, err = b.library.Load(background, path, options(b))
			}
			if err != nil {
				require.Nil(t, model)
				return answer{}, err
			}
			return answer{}, model.Close()
		}
	}
	steps = []step{
		{"model_load", load(func(bench) *uform.LoadOptions { return nil }, false)},
		{"model_load of bytes", load(func(bench) *uform.LoadOptions { return nil }, true)},
		{"model_load on an executor, to bf16", load(func(b bench) *uform.LoadOptions {
			return &uform.LoadOptions{Executor: b.executor, Scalar: uform.BF16, Progress: func(int, int) error { return nil }}
		}, false)},
		{"executor_init", func(t *testing.T, b bench) (answer, error) {
			executor, err := b.library.NewExecutor(&uform.ExecutorOptions{Threads: 3})
			if err != nil {
				require.Nil(t, executor)
				return answer{}, err
			}
			return answer{}, executor.Close()
		}},
		{"arena_init", func(t *testing.T, b bench) (answer, error) {
			arena, err := b.library.NewArena(b.executor)
			if err != nil {
				require.Nil(t, arena)
				return answer{}, err
			}
			return answer{}, arena.Close()
		}},
	}
	loss := 0.0
	steps = append(steps, step{"a run: trainer_init, trainer_step, trainer_save", func(t *testing.T, b bench) (answer, error) {
		trainer, err := b.library.NewTrainer(background, path, b.executor, nil)
		if err != nil {
			require.Nil(t, trainer)
			return answer{}, err
		}
		defer trainer.Close()
		on := trainer.On(b.executor)
		stepped, err := on.Step(background, uform.Examples{Contents: uform.Strings([]string{"a cat", "some cat", "a dog", "some dog"})}, b.arena, nil)
		if err != nil {
			return answer{}, err
		}
		if loss == 0 {
			loss = stepped.Loss
		}
		require.InDelta(t, loss, stepped.Loss, 1e-9)
		return answer{}, on.Save(background, filepath.Join(t.TempDir(), "run"), nil)
	}})
	all, alone := served(t, model)
	want = map[string]answer{}
	for _, verb := range all {
		for receiver, on := range receivers {
			if receiver != "bare" && strings.HasPrefix(verb.name, "model_") {
				continue
			}
			name := verb.name + ", " + receiver
			want[name] = alone[verb.name]
			steps = append(steps, step{name, func(t *testing.T, b bench) (answer, error) {
				return verb.run(background, on(b.model, b.executor), b.arena, nil)
			}})
		}
	}
	return steps, want
}

// Every allocation of the C library fails in turn. Each time the call returns out of memory,
// nothing leaks, and the same call on the same handles succeeds as soon as there is memory.
func TestOutOfMemory(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		control := loadertest.NeedControl(t)
		library := openNative(t)
		steps, want := memorySteps(t, newBench(t, library, nil).model)
		total := int64(0)
		for _, step := range steps {
			t.Run(step.name, func(t *testing.T) {
				fresh := func() bench {
					model, err := mini.Load(background, library, nil)
					require.NoError(t, err)
					executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 2})
					require.NoError(t, err)
					arena, err := library.NewArena(executor)
					require.NoError(t, err)
					return bench{library, model, executor, arena}
				}
				live := control.Ask("live_allocations", 0, nil)
				b := fresh()
				before := control.Ask("allocations", 0, nil)
				got, err := step.run(t, b)
				require.NoError(t, err)
				require.Equal(t, want[step.name], got)
				count := control.Ask("allocations", 0, nil) - before
				b.close(t)
				require.Equal(t, live, control.Ask("live_allocations", 0, nil))
				total += count

				for nth := int64(1); nth <= count; nth++ {
					b := fresh()
					control.Ask("fail_allocation", nth, nil)
					_, err := step.run(t, b)
					control.Ask("fail_allocation", 0, nil)
					require.ErrorIs(t, err, uform.ErrOutOfMemory, "allocation %d of %d", nth, count)
					got, err := step.run(t, b)
					require.NoError(t, err, "after allocation %d of %d", nth, count)
					require.Equal(t, want[step.name], got, "after allocation %d of %d", nth, count)
					b.close(t)
					require.Equal(t, live, control.Ask("live_allocations", 0, nil), "left behind by allocation %d of %d", nth, count)
				}
				t.Logf("%d allocations", count)
			})
		}
		t.Logf("%d allocations in all", total)
		require.Positive(t, total)
	})
}
