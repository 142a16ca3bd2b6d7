package contract_test

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/traintest"
	"github.com/unum-cloud/uform-go/uform"
)

// The names of the implementations.
const (
	embedded  = "engine"
	native    = "native"
	simulated = "device"
)

// openers open the implementations, or return the reason why this machine cannot.
var openers = []struct {
	name string
	open func(*testing.T) (on *implementation, missing string)
}{
	{embedded, openEngine},
	{native, openNative},
	{simulated, openDevice},
}

// implementation is one implementation of the table, and functions that look inside it.
type implementation struct {
	name    string
	table   *abi.Library
	library *uform.Library

	// onDevice is whether executors compute on a GPU, and outputs are memory that the host cannot
	// read.
	onDevice bool
	// poisons is whether memory is overwritten with bytes of 0xFF when a call rewinds it.
	poisons bool
	// growth returns how often an arena took memory so far, and how many bytes it has.
	growth func(abi.Arena) (times, bytes int)
	// copyOut copies device memory to the host, and returns false for an address outside of it. It
	// is nil where there are no devices.
	copyOut func(to []byte, from uintptr) bool
	// firstStream returns the number of an executor's first stream, zero for one of host threads.
	// It is nil where there are no devices.
	firstStream func(abi.Executor) int
	// streamWorks returns the operations on the memory of arenas on devices from an entry on, and
	// the number of entries now. It is nil where there are no devices.
	streamWorks func(since int) (works []streamWork, now int)
	// live returns the number of allocations that the library has not freed. It is always zero in
	// Go, where they are not counted.
	live func() int
	// workers returns the number of threads, or goroutines, that the executors own.
	workers func() int
	// idled returns what the threads of an executor did while there was no work.
	idled func(abi.Executor) idleness
}

// streamWork is an operation on a device's stream on the memory of an arena.
type streamWork struct {
	work           int
	device, stream int
	address        uintptr
}

// Operations on a stream.
const (
	grown = iota
	filled
	freed
)

// meetings are reducers for the runs of the embedded engine, whose processes are goroutines here: a
// request for a place that is taken begins another run. MPI has tests of its own, in internal/mpi.
func meetings() func(index, count int) (train.Reducer, error) {
	var mutex sync.Mutex
	var run []train.Reducer
	return func(index, count int) (train.Reducer, error) {
		mutex.Lock()
		defer mutex.Unlock()
		if len(run) != count || run[index] == nil {
			run = traintest.Processes(count)
		}
		reducer := run[index]
		run[index] = nil
		return reducer, nil
	}
}

// Reasons that several facts share.
const (
	noGPU     = "it has no GPU, so no device memory"
	onlyHost  = "its arenas are device memory, and the fact is about host pages"
	alwaysOwn = "an executor over a GPU has a stream of its own, and never only holds a call"
)

// gpuOnly are the reasons for what only device memory has.
var gpuOnly = reasons{embedded: noGPU, native: "its executors are host threads; device is the same library on its simulated GPU"}

func openEngine(*testing.T) (*implementation, string) {
	type size struct{ times, bytes int }
	var mutex sync.Mutex
	growths, idle := map[abi.Arena]size{}, map[abi.Executor]idleness{}
	table := hooks.With(hooks.Engine{
		PoisonRewound: true,
		ArenaGrown: func(arena abi.Arena, bytes int) {
			mutex.Lock()
			defer mutex.Unlock()
			growths[arena] = size{growths[arena].times + 1, bytes}
		},
		WorkerSleeps: func(executor abi.Executor, looks int) {
			mutex.Lock()
			defer mutex.Unlock()
			idle[executor] = idleness{idle[executor].looks + looks, idle[executor].sleeps + 1}
		},
	}, func() *abi.Library { return engine.NewWith(&engine.Options{Reducer: meetings()}) })
	return &implementation{
		table: table, library: uform.OpenTable(table), poisons: true,
		growth: func(arena abi.Arena) (int, int) {
			mutex.Lock()
			defer mutex.Unlock()
			return growths[arena].times, growths[arena].bytes
		},
		live: func() int { return 0 },
		workers: func() int {
			stacks := make([]byte, 1<<20)
			return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("engine.(*worker).live("))
		},
		idled: func(executor abi.Executor) idleness {
			mutex.Lock()
			defer mutex.Unlock()
			return idle[executor]
		},
	}, ""
}

// openNative opens the C library for calls on host threads.
func openNative(t *testing.T) (*implementation, string) {
	return openLibuform(t)
}

// openDevice opens the same library for calls on its simulated GPU.
func openDevice(t *testing.T) (*implementation, string) {
	on, missing := openLibuform(t)
	if on != nil {
		on.onDevice = true
	}
	return on, missing
}
