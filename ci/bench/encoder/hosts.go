package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
	"github.com/unum-cloud/uform-go/uform"
)

const (
	// napping is what stands for the computation of a slice.
	napping = 2 * time.Millisecond
	// naps is how many slices each thread gets.
	naps = 100
)

// hosts prints what scheduling costs on hosts of 1 to 64 cores, on a machine of fewer: each slice
// of the engine sleeps where it would compute, so that any number of threads can run at once, and
// only locks, queues and wakes take processor time. The measure is the time of as many goroutines
// that sleep as often and share nothing.
func hosts(out io.Writer) error {
	h, err := newHost()
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	fmt.Fprintf(out, "Scheduling alone: each slice sleeps for %v where it would compute, %d for each thread; relative to goroutines that sleep as often and share nothing.\n\n", napping, naps)
	fmt.Fprintf(out, "| threads | goroutines alone | one executor, a batch | a Pool, as many callers | a Pool, four times as many | deferred calls, one for each executor | processor time of a Pool's call |\n"+
		"| --: | --: | --: | --: | --: | --: | --: |\n")
	for threads := 1; threads <= 64; threads *= 2 {
		runtime.GOMAXPROCS(threads)
		if err := h.measure(out, threads); err != nil {
			return err
		}
	}
	return nil
}

// host is a model of the engine whose slices sleep.
type host struct {
	library *uform.Library
	model   *uform.Model
}

func newHost() (*host, error) {
	config := &model.Config{
		Modalities: []string{"text"}, Context: 1 << 10, Width: 32, Layers: 1, Heads: 1, Hidden: 32, Columns: 32, NormEpsilon: 1e-6, RotaryBase: 10000,
	}
	file, err := modeltest.Checkpoint(rand.New(rand.NewPCG(1, 1)), config)
	if err != nil {
		return nil, err
	}
	h := new(host)
	h.library = uform.OpenTable(hooks.With(hooks.Engine{Compute: func(int) { time.Sleep(napping) }}, engine.New))
	h.model, err = h.library.LoadBytes(ctx, file, nil)
	return h, err
}

func (h *host) measure(out io.Writer, threads int) error {
	reference, err := median(func() (float64, error) {
		return crowd(threads, threads*naps, func() error { time.Sleep(napping); return nil })
	})
	if err != nil {
		return err
	}
	ways := []func() (float64, error){
		func() (float64, error) { return h.batch(threads) },
		func() (float64, error) { return h.pool(threads, threads) },
		func() (float64, error) { return h.pool(threads, 4*threads) },
		func() (float64, error) { return h.deferred(threads) },
	}
	fmt.Fprintf(out, "| %d | %.1f ms", threads, 1e3*reference)
	for _, way := range ways {
		took, err := median(way)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, " | %.2f×", took/reference)
	}
	before := seconds(1)
	if _, err := h.pool(threads, threads); err != nil {
		return err
	}
	fmt.Fprintf(out, " | %.1f µs |\n", 1e6*(seconds(1)-before)/float64(threads*naps))
	return nil
}

// median runs a way three times.
func median(way func() (float64, error)) (float64, error) {
	all := make([]float64, 3)
	for i := range all {
		var err error
		if all[i], err = way(); err != nil {
			return 0, err
		}
	}
	slices.Sort(all)
	return all[1], nil
}

// crowd returns the seconds that some goroutines need to do a task as often as count says.
func crowd(goroutines, count int, task func() error) (float64, error) {
	var group sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(count))
	failures := make(chan error, goroutines)
	begin := time.Now()
	for range goroutines {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if err := task(); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	took := time.Since(begin).Seconds()
	select {
	case err := <-failures:
		return 0, err
	default:
		return took, nil
	}
}

// seat is an executor with an arena.
type seat struct {
	executor *uform.Executor
	arena    *uform.Arena
}

func (h *host) seat(options *uform.ExecutorOptions) (s seat, err error) {
	if s.executor, err = h.library.NewExecutor(options); err != nil {
		return s, err
	}
	if s.arena, err = h.library.NewArena(s.executor); err != nil {
		err = errors.Join(err, s.executor.Close())
	}
	return s, err
}

func (s seat) close() error { return errors.Join(s.arena.Close(), s.executor.Close()) }

// batch encodes one batch of one slice for each nap, on an executor of some threads.
func (h *host) batch(threads int) (float64, error) {
	s, err := h.seat(&uform.ExecutorOptions{Threads: threads, WithCaller: true})
	if err != nil {
		return 0, err
	}
	defer s.close()
	alone := bytes.Repeat([]byte("a word "), 100)[:600] // as long as makes each text a slice
	tape := uform.Bytes(repeated(alone, threads*naps))
	begin := time.Now()
	_, err = h.model.On(s.executor).TextEncode(ctx, tape, s.arena, nil)
	return time.Since(begin).Seconds(), err
}

// pool embeds one text a call, from some goroutines.
func (h *host) pool(executors, callers int) (float64, error) {
	pool, err := uform.NewPool(h.model, &uform.PoolOptions{Executors: executors})
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	text := []string{"a word"}
	return crowd(callers, executors*naps, func() error {
		_, err := pool.Embed(ctx, text)
		return err
	})
}

// deferred has one deferred call after another in flight on each of some executors, each with a
// goroutine that waits for it.
func (h *host) deferred(executors int) (float64, error) {
	lanes := make(chan func() error, executors)
	for range executors {
		s, err := h.seat(&uform.ExecutorOptions{Threads: 1})
		if err != nil {
			return 0, err
		}
		defer s.close()
		tape := uform.Strings([]string{"a word"})
		lanes <- func() error {
			call, err := h.model.Deferred(s.executor).TextEncode(ctx, tape, s.arena, nil)
			if err == nil {
				_, err = call.Wait(ctx)
			}
			return err
		}
	}
	return crowd(executors, executors*naps, func() error {
		lane := <-lanes
		defer func() { lanes <- lane }()
		return lane()
	})
}
