package engine_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// One long text, many short ones, and both: results have the same bits on any number of threads, in
// either mood, and while another executor computes.
func TestThreadsChangeNoBits(t *testing.T) {
	w := newWorld(t)
	m := w.load(long())
	batches := [][]string{
		{strings.Repeat("one long text. ", 200)},
		sentences(200),
		append(sentences(30), strings.Repeat("long among short; ", 100)),
	}
	type result struct{ embeddings, states []uint32 }
	encode := func(executor abi.Executor, arena abi.Arena, items []string) result {
		e := w.encoding(m, arena, items...).on(executor)
		w.TextEncode(&e.TextEncode)
		requireSuccess(t, &e.outcome)
		count := len(items)
		return result{
			bits(floats(e.embeddings, count)),
			bits(floats(e.states.Rows, int(offsets(e.states, count)[count]))),
		}
	}
	var want []result
	for _, items := range batches {
		want = append(want, encode(w.inline(), w.arena(), items))
	}
	var group sync.WaitGroup
	for _, exclusivity := range []abi.CallerExclusivity{abi.CallerInclusive, abi.CallerExclusive} {
		for _, threads := range []int{1, 2, 3, 8} {
			for _, mood := range []abi.Mood{abi.MoodParked, abi.MoodSpinning} {
				executor, arena := w.executorIn(mood, threads, exclusivity), w.arena()
				group.Go(func() {
					for i, items := range batches {
						require.Equal(t, want[i], encode(executor, arena, items), "%d threads, %v", threads, mood)
					}
				})
			}
		}
	}
	group.Wait()
}

func TestASpinningCrewLooksMoreOften(t *testing.T) {
	w := newWorld(t)
	parked := w.inside.Looks(w.executorIn(abi.MoodParked, 2, abi.CallerExclusive))
	spinning := w.inside.Looks(w.executorIn(abi.MoodSpinning, 2, abi.CallerExclusive))
	require.Positive(t, parked)
	require.Greater(t, spinning, 10*parked)
}
