package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

const sentence = "a cat sat on the mat and looked at a dog"

// serving prints the texts per second of one big batch, of many goroutines with a small call each
// through a Pool, and of one deferred call per executor, on each implementation that is available,
// and the latency of a small call.
func serving(out io.Writer) error {
	fmt.Fprintf(out, "| implementation | way | texts a second | median | 99 %% |\n| --- | --- | --: | --: | --: |\n")
	for _, implementation := range []struct {
		name    string
		options *uform.OpenOptions
	}{{"the embedded engine", &uform.OpenOptions{Embedded: true}}, {"the library found", nil}} {
		library, err := uform.Open(implementation.options)
		if err != nil {
			return err
		}
		if implementation.options == nil && library.Origin().Kind == loader.KindEmbedded {
			continue
		}
		model, err := mini.Load(ctx, library, nil)
		if err != nil {
			return err
		}
		for _, way := range []struct {
			name  string
			serve func(*uform.Library, *uform.Model) (int, []time.Duration, error)
		}{{"one batch of 10,000", batched}, {"a Pool, 64 goroutines", pooled}, {"deferred calls", deferring}} {
			begin := time.Now()
			texts, waits, err := way.serve(library, model)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			rate := float64(texts) / time.Since(begin).Seconds()
			slices.Sort(waits)
			fmt.Fprintf(out, "| %s | %s | %.0f | %v | %v |\n", implementation.name, way.name, rate,
				waits[len(waits)/2].Round(time.Microsecond), waits[len(waits)*99/100].Round(time.Microsecond))
		}
		if err := model.Close(); err != nil {
			return err
		}
	}
	return nil
}

func batched(library *uform.Library, model *uform.Model) (texts int, waits []time.Duration, err error) {
	executor, err := library.NewExecutor(&uform.ExecutorOptions{WithCaller: true})
	if err != nil {
		return 0, nil, err
	}
	defer executor.Close()
	arena, err := library.NewArena(executor)
	if err != nil {
		return 0, nil, err
	}
	defer arena.Close()
	const count = 10_000
	tape := uform.Bytes(repeated([]byte(sentence), count))
	for range 3 {
		begin := time.Now()
		if _, err := model.On(executor).TextEncode(ctx, tape, arena, nil); err != nil {
			return 0, nil, err
		}
		waits = append(waits, time.Since(begin))
	}
	return len(waits) * count, waits, nil
}

// calls is the number of small calls.
const calls = 20_000

func pooled(_ *uform.Library, model *uform.Model) (texts int, waits []time.Duration, err error) {
	pool, err := uform.NewPool(model, nil)
	if err != nil {
		return 0, nil, err
	}
	defer pool.Close()
	const goroutines = 64
	waits = make([]time.Duration, calls)
	failed := make([]error, goroutines)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := g; i < calls; i += goroutines {
				begin := time.Now()
				if _, err := pool.Embed(ctx, []string{sentence}); err != nil {
					failed[g] = err
				}
				waits[i] = time.Since(begin)
			}
		})
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return 0, nil, err
		}
	}
	return calls, waits, nil
}

func deferring(library *uform.Library, model *uform.Model) (texts int, waits []time.Duration, err error) {
	type lane struct {
		executor *uform.Executor
		arena    *uform.Arena
		call     *deferred.Call[uform.Encoded]
		begin    time.Time
	}
	var lanes []*lane
	for range runtime.GOMAXPROCS(0) {
		l := &lane{}
		if l.executor, err = library.NewExecutor(&uform.ExecutorOptions{Threads: 1}); err != nil {
			return 0, nil, err
		}
		defer l.executor.Close()
		if l.arena, err = library.NewArena(l.executor); err != nil {
			return 0, nil, err
		}
		defer l.arena.Close()
		lanes = append(lanes, l)
	}
	tape := uform.Strings([]string{sentence})
	for i := range calls {
		l := lanes[i%len(lanes)]
		if l.call != nil {
			if _, err := l.call.Wait(ctx); err != nil {
				return 0, nil, err
			}
			waits = append(waits, time.Since(l.begin))
		}
		l.begin = time.Now()
		if l.call, err = model.Deferred(l.executor).TextEncode(ctx, tape, l.arena, nil); err != nil {
			return 0, nil, err
		}
	}
	for _, l := range lanes {
		if _, err := l.call.Wait(ctx); err != nil {
			return 0, nil, err
		}
	}
	return calls, waits, nil
}
