package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/hooks"
)

// TestSteadyLoopAllocatesNothing counts the heap allocations of a repeated blocking call.
func TestSteadyLoopAllocatesNothing(t *testing.T) {
	w := newWorldWith(t, nil, hooks.Engine{})
	m := w.load(tiny())
	texts := make([]string, 130) // three slices, so that every thread computes each of them
	texts[0], texts[64], texts[129] = "first", "second", "third"
	for name, executor := range map[string]abi.Executor{
		"calling thread": 0, "inline": w.inline(), "two threads": w.executor(2, abi.CallerInclusive), "worker": w.owned(),
	} {
		t.Run(name, func(t *testing.T) {
			for _, scalar := range []abi.Scalar{abi.ScalarF32, abi.ScalarF16} {
				e := w.encoding(m, w.arena(), texts...).on(executor)
				e.Scalar = scalar
				encode := func() { w.TextEncode(&e.TextEncode) }
				for range 50 { // until each thread has had the largest slice
					encode()
				}
				require.Zero(t, testing.AllocsPerRun(20, encode))
				requireSuccess(t, &e.outcome)
			}
			c := w.choosing(m, w.arena(), texts[:2], []string{"abc", "de"})
			c.Executor = executor
			choose := func() { w.TextChoose(&c.TextChoose) }
			choose()
			require.Zero(t, testing.AllocsPerRun(20, choose))
		})
	}
}
