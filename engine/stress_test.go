package engine_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// TestManyGoroutinesOnFewExecutors shares executors and arenas among more goroutines than there are
// of them: each call succeeds with the right rows, or is contended and has changed nothing.
// Goroutines read outputs only of arenas that they own at that moment.
func TestManyGoroutinesOnFewExecutors(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	executors := []abi.Executor{
		0, w.inline(), w.inline(), w.owned(), w.executor(2, abi.CallerInclusive), w.executor(3, abi.CallerExclusive),
	}
	texts := make([]string, 70) // two slices
	texts[0], texts[30], texts[69] = "first", "in the middle", "last"
	want := floats(w.succeeds(w.encoding(m, w.arena(), texts...)).embeddings, len(texts))
	shared := w.arena()

	var succeeded, contended atomic.Int64
	var group sync.WaitGroup
	for seed := range uint64(64) {
		own := w.arena()
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 20 {
				executor := executors[random.IntN(len(executors))]
				arena := own
				if random.IntN(4) == 0 {
					arena = shared
				}
				e := w.encoding(m, arena, texts...).on(executor)
				if executor != 0 && random.IntN(2) == 0 {
					e.deferred(executor)
				}
				w.TextEncode(&e.TextEncode)
				if random.IntN(3) == 0 && executor != 0 {
					w.ExecutorDrain(&abi.ExecutorDrain{Executor: executor})
				}
				switch status := w.OutcomeWait(&e.outcome); status {
				case abi.StatusSuccess:
					succeeded.Add(1)
					if arena == own && !equal(want, floats(e.embeddings, len(texts))) {
						t.Error("other rows than alone")
					}
				case abi.StatusContended:
					contended.Add(1)
					if e.embeddings.Data != nil {
						t.Error("a contended call left a view")
					}
				default:
					t.Errorf("status %v", status)
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 64*20, succeeded.Load()+contended.Load())
	require.Positive(t, succeeded.Load())
	require.Positive(t, contended.Load())
}

func equal(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestFreesAmongCalls makes, uses and frees handles concurrently, including handles that others are
// about to name.
func TestFreesAmongCalls(t *testing.T) {
	w := newWorld(t)
	content := checkpoint(t, bare())
	var executors, arenas, models [4]atomic.Uintptr
	var group sync.WaitGroup
	for seed := range uint64(16) {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, 2))
			for range 200 {
				i := random.IntN(4)
				switch random.IntN(8) {
				case 0:
					var id abi.Executor
					w.ExecutorInit(&abi.ExecutorInit{Executor: &id, Threads: uint32(random.IntN(3) + 1), Exclusivity: abi.CallerExclusivity(random.IntN(2))})
					w.ExecutorFree(abi.Executor(executors[i].Swap(uintptr(id))))
				case 1:
					var id abi.Arena
					w.ArenaInit(&abi.ArenaInit{Arena: &id})
					w.ArenaFree(abi.Arena(arenas[i].Swap(uintptr(id))))
				case 2:
					var id abi.Model
					w.ModelLoadBytes(&abi.ModelLoad{Model: &id}, content)
					w.ModelFree(abi.Model(models[i].Swap(uintptr(id))))
				default:
					e := w.encoding(abi.Model(models[i].Load()), abi.Arena(arenas[i].Load()), "some", "texts")
					e.on(abi.Executor(executors[i].Load()))
					if random.IntN(2) == 0 {
						e.deferred(e.Executor)
					}
					w.TextEncode(&e.TextEncode)
					switch status := w.OutcomeWait(&e.outcome); status {
					case abi.StatusSuccess, abi.StatusContended, abi.StatusInvalidArgument:
					default:
						t.Errorf("status %v", status)
					}
				}
			}
		})
	}
	group.Wait()
	for i := range executors {
		w.ExecutorFree(abi.Executor(executors[i].Load()))
		w.ArenaFree(abi.Arena(arenas[i].Load()))
		w.ModelFree(abi.Model(models[i].Load()))
	}
}
