package contract_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// seam is the table of an implementation during one test. Its handles are freed when the test ends.
type seam struct {
	*testing.T
	*implementation
	gates gates
}

// Cleanup frees handles, which waits for calls in flight.
func (s *seam) Cleanup(free func()) { s.gates.cleanup(s.T, free) }

// place is an executor with a model and an arena that belong where it computes.
type place struct {
	executor abi.Executor
	model    abi.Model
	arena    abi.Arena
}

// place makes an executor with its own thread or stream, and a model and an arena for it.
func (s *seam) place(c *checkpoint) place {
	s.Helper()
	return s.placeOn(s.executor(), c)
}

// placeOn makes a model and an arena for an executor; none is the calling thread.
func (s *seam) placeOn(executor abi.Executor, c *checkpoint) place {
	s.Helper()
	return place{executor, s.load(executor, c), s.arena(executor)}
}

// executor makes an executor that runs deferred calls by itself, where this implementation
// computes.
func (s *seam) executor() abi.Executor {
	s.Helper()
	if s.onDevice {
		return s.gpu()
	}
	return s.threads(1, abi.CallerExclusive)
}

// holder makes an executor without threads of its own, which only holds deferred calls.
func (s *seam) holder() abi.Executor {
	s.Helper()
	return s.threads(1, abi.CallerInclusive)
}

// threads makes an executor over host threads.
func (s *seam) threads(count int, exclusivity abi.CallerExclusivity) abi.Executor {
	s.Helper()
	b := &struct {
		abi.ExecutorInit
		outcome  abi.Outcome
		executor abi.Executor
	}{}
	b.ExecutorInit = abi.ExecutorInit{
		Executor: &b.executor, Outcome: plant(&b.outcome), Threads: uint32(count), Exclusivity: exclusivity,
	}
	s.table.ExecutorInit(&b.ExecutorInit)
	s.succeeded(&b.outcome)
	s.Cleanup(func() { s.table.ExecutorFree(b.executor) })
	return b.executor
}

// gpu makes an executor over devices; none named is device zero.
func (s *seam) gpu(devices ...int32) abi.Executor {
	s.Helper()
	return s.gpuOf(0, devices...)
}

// gpuOf makes an executor with a number of streams over devices.
func (s *seam) gpuOf(streams int, devices ...int32) abi.Executor {
	s.Helper()
	b := &struct {
		abi.ExecutorInitVRAM
		outcome  abi.Outcome
		executor abi.Executor
	}{}
	b.ExecutorInitVRAM = abi.ExecutorInitVRAM{Executor: &b.executor, Outcome: plant(&b.outcome), DevicesCount: uintptr(len(devices)), Streams: uint32(streams)}
	if len(devices) > 0 {
		b.Devices = &devices[0]
	}
	s.table.ExecutorInitVRAM(&b.ExecutorInitVRAM)
	s.succeeded(&b.outcome)
	s.Cleanup(func() { s.table.ExecutorFree(b.executor) })
	return b.executor
}

func (s *seam) arena(executor abi.Executor) abi.Arena {
	s.Helper()
	b := &struct {
		abi.ArenaInit
		outcome abi.Outcome
		arena   abi.Arena
	}{}
	b.ArenaInit = abi.ArenaInit{Arena: &b.arena, Executor: executor, Outcome: plant(&b.outcome)}
	s.table.ArenaInit(&b.ArenaInit)
	s.succeeded(&b.outcome)
	require.NotZero(s, b.arena)
	s.Cleanup(func() { s.table.ArenaFree(b.arena) })
	return b.arena
}

// load loads a checkpoint into the memory of an executor; none is host pages.
func (s *seam) load(executor abi.Executor, c *checkpoint) abi.Model {
	s.Helper()
	model, outcome := s.tryLoad(executor, c.path(s.T))
	s.succeeded(outcome)
	return model
}

// tryLoad loads a file, and returns the outcome.
func (s *seam) tryLoad(executor abi.Executor, path string) (abi.Model, *abi.Outcome) {
	b := &struct {
		abi.ModelLoad
		outcome abi.Outcome
		model   abi.Model
	}{}
	b.ModelLoad = abi.ModelLoad{Model: &b.model, Executor: executor, Outcome: plant(&b.outcome), Path: abi.CText(path)}
	if s.onGPU(executor) {
		s.table.ModelLoadVRAM(&b.ModelLoad)
	} else {
		s.table.ModelLoad(&b.ModelLoad)
	}
	s.Cleanup(func() { s.table.ModelFree(b.model) })
	return b.model, &b.outcome
}

func (s *seam) onGPU(executor abi.Executor) bool {
	return executor != 0 && s.describeExecutor(executor).Residency == abi.ResidencyVRAM
}

func (s *seam) describeExecutor(executor abi.Executor) abi.ExecutorDescription {
	s.Helper()
	b := &struct {
		abi.ExecutorDescribe
		outcome     abi.Outcome
		description abi.ExecutorDescription
	}{}
	b.ExecutorDescribe = abi.ExecutorDescribe{Executor: executor, Outcome: plant(&b.outcome), Description: &b.description}
	s.table.ExecutorDescribe(&b.ExecutorDescribe)
	s.succeeded(&b.outcome)
	return b.description
}

func (s *seam) describeArena(arena abi.Arena) (abi.ArenaDescription, *abi.Outcome) {
	b := &struct {
		abi.ArenaDescribe
		outcome     abi.Outcome
		description abi.ArenaDescription
	}{}
	b.description = abi.ArenaDescription{Residency: -77, Device: -77}
	b.ArenaDescribe = abi.ArenaDescribe{Arena: arena, Outcome: plant(&b.outcome), Description: &b.description}
	s.table.ArenaDescribe(&b.ArenaDescribe)
	return b.description, &b.outcome
}

func (s *seam) describeModel(model abi.Model, executor abi.Executor, completion abi.Completion) abi.ModelDescription {
	s.Helper()
	b := &struct {
		abi.ModelDescribe
		outcome     abi.Outcome
		description abi.ModelDescription
	}{}
	b.ModelDescribe = abi.ModelDescribe{
		Model: model, Executor: executor, Outcome: plant(&b.outcome), Completion: completion, Description: &b.description,
	}
	s.table.ModelDescribe(&b.ModelDescribe)
	s.table.OutcomeWait(&b.outcome)
	s.succeeded(&b.outcome)
	return b.description
}

// gpus lists the devices.
func (s *seam) gpus() []abi.GPUDevice {
	s.Helper()
	b := &struct {
		abi.GPUDevices
		outcome abi.Outcome
		count   uintptr
		devices [8]abi.GPUDevice
	}{}
	b.GPUDevices = abi.GPUDevices{Outcome: plant(&b.outcome), Devices: &b.devices[0], Capacity: 8, Count: &b.count}
	s.table.GPUDevices(&b.GPUDevices)
	s.succeeded(&b.outcome)
	return b.devices[:b.count]
}

// drain drains an executor, and returns the outcome.
func (s *seam) drain(executor abi.Executor) *abi.Outcome {
	b := &struct {
		abi.ExecutorDrain
		outcome abi.Outcome
	}{}
	b.ExecutorDrain = abi.ExecutorDrain{Executor: executor, Outcome: plant(&b.outcome)}
	s.table.ExecutorDrain(&b.ExecutorDrain)
	return &b.outcome
}

// plant fills an outcome with values that no library writes, to find fields that are not written.
func plant(outcome *abi.Outcome) *abi.Outcome {
	*outcome = abi.Outcome{Status: -77, Item: -77, Message: 77, Call: 77}
	return outcome
}

func (s *seam) succeeded(outcome *abi.Outcome) {
	s.Helper()
	require.Equal(s, abi.StatusSuccess.String(), outcome.Status.String(), text(outcome))
	require.Equal(s, abi.Outcome{}, *outcome)
}

func (s *seam) failed(outcome *abi.Outcome, status abi.Status, item int) {
	s.Helper()
	require.Equal(s, status.String(), outcome.Status.String(), text(outcome))
	require.EqualValues(s, item, outcome.Item, text(outcome))
	require.Zero(s, outcome.Call)
}

func text(outcome *abi.Outcome) string {
	if outcome.Message == 0 || outcome.Message == 77 {
		return ""
	}
	return abi.TextAt(outcome.Message)
}

// bytes copies size bytes of an output, from the host or from a device.
func (s *seam) bytes(from, size uintptr) []byte {
	s.Helper()
	return s.outputBytes(s.T, from, int(size))
}

// outputBytes copies size bytes of an output, from the host or from a device.
func (on *implementation) outputBytes(t *testing.T, from uintptr, size int) []byte {
	t.Helper()
	require.True(t, size >= 0 && size < 1<<28, "an output of %d bytes", size)
	to := make([]byte, size)
	if size == 0 || on.copyOut != nil && on.copyOut(to, from) {
		return to
	}
	require.False(t, on.onDevice, "an output that is no device memory")
	copy(to, abi.Memory(from, uintptr(size)))
	return to
}

// gate is a progress handler that stops its call at the first report until it is opened. A call
// that waits at its gate is in flight, on machines of any speed.
type gate struct {
	entered, opened chan struct{}
	enter, open     sync.Once
}

// gates are all gates of a test.
type gates []*gate

// add makes another gate.
func (all *gates) add() *gate {
	g := &gate{entered: make(chan struct{}), opened: make(chan struct{})}
	*all = append(*all, g)
	return g
}

// cleanup frees something when the test ends. It first opens the gates, since a test that ended
// early may have left calls there, for which freeing would wait.
func (all *gates) cleanup(t *testing.T, free func()) {
	t.Cleanup(func() {
		for _, g := range *all {
			g.Open()
		}
		free()
	})
}

// Open lets the call continue.
func (g *gate) Open() { g.open.Do(func() { close(g.opened) }) }

func (g *gate) report() {
	g.enter.Do(func() { close(g.entered) })
	<-g.opened
}

// listen connects a handler to the progress fields of an argument struct until the test ends.
func (s *seam) listen(progress *abi.Progress, state *uintptr, handler func(finished, total uintptr) bool) {
	held := abi.HoldProgress(handler)
	s.Cleanup(func() { abi.ReleaseProgress(held) })
	*progress, *state = s.table.ProgressCallback, held
}

// gate connects a gate.
func (s *seam) gate(progress *abi.Progress, state *uintptr) *gate {
	g := s.gates.add()
	s.listen(progress, state, func(uintptr, uintptr) bool {
		g.report()
		return true
	})
	return g
}

// patience is the longest wait of a test, so that a violated fact fails instead of hanging.
const patience = 60 * time.Second

// comes waits until a channel is closed or has something.
func comes[T any](t *testing.T, channel <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-channel:
	case <-time.After(patience):
		require.Fail(t, "nothing came")
	}
	return value
}

// until lets other goroutines run until done.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); runtime.Gosched() {
		require.Less(t, time.Since(begun), patience, "nothing came")
	}
}

// stays requires that a channel has nothing, after other goroutines could run.
func stays[T any](t *testing.T, channel <-chan T) {
	t.Helper()
	for range 100 {
		runtime.Gosched()
		select {
		case <-channel:
			require.Fail(t, "it did not wait")
		default:
		}
	}
}
