package uform_test

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// threadCount is how many threads the process has.
func threadCount(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("this system does not list threads: ", err)
	}
	return len(entries)
}

// The C library works on 64 deferred calls at once, each on an executor of one thread of its own.
// Waiting for them takes no thread for each: there are the executors' threads and those that Go
// needs for anything.
func TestSixtyFourExecutorsAtOnce(t *testing.T) {
	const executors, rounds = 64, 20
	library, err := uform.Open(&uform.OpenOptions{Path: loadertest.Need(t)})
	require.NoError(t, err)
	model, err := mini.Load(background, library, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, model.Close()) }()
	before := threadCount(t)
	type place struct {
		executor *uform.Executor
		arena    *uform.Arena
		texts    []string
		want     [][]float32
	}
	places := make([]place, executors)
	for i := range places {
		p := &places[i]
		p.executor, err = library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
		require.NoError(t, err)
		p.arena, err = library.NewArena(p.executor)
		require.NoError(t, err)
		defer func() {
			require.NoError(t, p.arena.Close())
			require.NoError(t, p.executor.Close())
		}()
		p.texts = []string{fmt.Sprint("text ", i), "", fmt.Sprint(i, " cats on a mat")}
		p.want = vectors(t, model, p.texts...)
	}
	most := before + executors + runtime.GOMAXPROCS(0) + 4 // waiter, collector, monitor, a spare

	submit := func(progress uform.Handler) (calls []*deferred.Call[uform.Encoded]) {
		for _, p := range places {
			call, err := model.Deferred(p.executor).TextEncode(background, uform.Strings(p.texts), p.arena, &uform.TextOptions{Progress: progress})
			require.NoError(t, err)
			calls = append(calls, call)
		}
		return calls
	}
	// right waits for every call, on a goroutine each.
	right := func(calls []*deferred.Call[uform.Encoded]) {
		var group sync.WaitGroup
		for i, call := range calls {
			group.Go(func() {
				encoded, err := call.Wait(background)
				if err != nil {
					t.Errorf("executor %d: %v", i, err)
					return
				}
				got, err := encoded.Embeddings.Copy()
				if err != nil || fmt.Sprint(got) != fmt.Sprint(places[i].want) {
					t.Errorf("executor %d: got %v, %v, want %v", i, got, err, places[i].want)
				}
			})
		}
		group.Wait()
	}

	t.Run("all in flight", func(t *testing.T) {
		// No call gets past the first report before all have reached it.
		var arrived sync.WaitGroup
		arrived.Add(executors)
		leave := make(chan struct{})
		met := make([]sync.Once, executors)
		var calls []*deferred.Call[uform.Encoded]
		for i, p := range places {
			call, err := model.Deferred(p.executor).TextEncode(background, uform.Strings(p.texts), p.arena,
				&uform.TextOptions{Progress: func(int, int) error {
					met[i].Do(arrived.Done)
					<-leave
					return nil
				}})
			require.NoError(t, err)
			calls = append(calls, call)
		}
		arrived.Wait()
		for _, call := range calls {
			require.ErrorIs(t, call.Status(), uform.ErrDeferred)
		}
		require.LessOrEqual(t, threadCount(t), most)
		close(leave)
		right(calls)
	})
	t.Run("many times", func(t *testing.T) {
		for range rounds {
			right(submit(nil))
		}
		require.LessOrEqual(t, threadCount(t), most)
	})
}
