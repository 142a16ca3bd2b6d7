package uform

import (
	"context"
	stderrors "errors"
	"fmt"
	"math"
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/inflight"
	"github.com/unum-cloud/uform-go/internal/lending"
)

var errInside = stderrors.New("called from the progress handler of a call that names it")

// Executor is the threads, or the GPU, that calls run on, with the working memory they need. It
// runs one call at a time and queues nothing: a call while another one runs fails with
// [ErrContended]. Goroutines may share an Executor, but only one of them can have a call on it at a
// time; to serve many goroutines, use a [Pool].
//
// A deferred call advances on its own, unless the executor has no threads of its own (one thread,
// the caller's). Such an executor holds the call: it runs once a goroutine waits for the call,
// drains the executor, or makes a blocking call on it, or once the Call is dropped: see
// [deferred.Call].
type Executor struct {
	library  *Library
	handle   *handle.Handle[abi.Executor]
	onDevice bool
	// holder is not nil where the executor has no threads of its own.
	holder *inflight.Holder
}

// ExecutorOptions describe an executor over host threads. The zero value has a thread of its own
// for each core.
type ExecutorOptions struct {
	// Threads is how many threads work on a call; 0 means one for each core.
	Threads int
	// WithCaller makes the blocked caller one of the threads. With Threads of 1 the executor has no
	// thread of its own: it costs least, and holds a deferred call until a goroutine waits for it.
	WithCaller bool
	// MemoryDomains is a set of bits: bit i selects memory domain i. 0 selects all of them.
	MemoryDomains uint64
	// Mood is what idle threads do.
	Mood Mood
}

// NewExecutor makes an executor over host threads. It calls uform_executor_init and
// uform_executor_describe.
func (l *Library) NewExecutor(options *ExecutorOptions) (*Executor, error) {
	const verb = "make executor"
	if options == nil {
		options = new(ExecutorOptions)
	}
	if options.Threads < 0 || options.Threads > math.MaxUint16 {
		err := fmt.Errorf("%d threads", options.Threads)
		return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, err)
	}
	b := newAsking[abi.ExecutorInit, abi.Executor]()
	b.arguments = abi.ExecutorInit{
		Executor: &b.answer, Outcome: &b.outcome, MemoryDomains: options.MemoryDomains, Threads: uint32(options.Threads),
		Exclusivity: abi.CallerExclusive, Mood: abi.Mood(options.Mood),
	}
	if options.WithCaller {
		b.arguments.Exclusivity = abi.CallerInclusive
	}
	l.table.ExecutorInit(&b.arguments)
	if err := errors.Of(verb, &b.outcome); err != nil {
		return nil, err
	}
	threads := options.Threads
	if threads == 0 {
		threads = runtime.NumCPU()
	}
	e := l.adoptExecutor(b.answer)
	if description, err := e.Describe(); err == nil {
		threads = description.Threads
	}
	if options.WithCaller && threads == 1 {
		e.holder = new(inflight.Holder)
	}
	return e, nil
}

// DeviceExecutorOptions describe an executor over GPU streams. The zero value is device zero.
type DeviceExecutorOptions struct {
	// Devices are indices into what [Library.Devices] lists. Arenas live on the first. None means
	// device zero.
	Devices []int
	// Streams is how many streams each device gets; 0 is the library's default.
	Streams int
	// Mood is what idle streams do.
	Mood Mood
}

// NewDeviceExecutor makes an executor over GPU streams. Its arenas, and so its outputs, are device
// memory. The embedded engine has no devices: there it is [ErrDevice]. It calls
// uform_executor_init_vram.
func (l *Library) NewDeviceExecutor(options *DeviceExecutorOptions) (*Executor, error) {
	const verb = "make device executor"
	if options == nil {
		options = new(DeviceExecutorOptions)
	}
	if options.Streams < 0 || options.Streams > math.MaxUint16 {
		err := fmt.Errorf("%d streams", options.Streams)
		return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, err)
	}
	devices := make([]int32, len(options.Devices))
	for i, device := range options.Devices {
		if device < 0 || device > math.MaxInt32 {
			return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, fmt.Errorf("there is no device %d", device))
		}
		devices[i] = int32(device)
	}
	b := newAsking[abi.ExecutorInitVRAM, abi.Executor]()
	b.arguments = abi.ExecutorInitVRAM{
		Executor: &b.answer, Outcome: &b.outcome, DevicesCount: uintptr(len(devices)), Streams: uint32(options.Streams),
		Mood: abi.Mood(options.Mood),
	}
	if len(devices) > 0 {
		b.arguments.Devices = &devices[0]
	}
	l.table.ExecutorInitVRAM(&b.arguments)
	if err := errors.Of(verb, &b.outcome); err != nil {
		return nil, err
	}
	e := l.adoptExecutor(b.answer)
	e.onDevice = true
	return e, nil
}

func (l *Library) adoptExecutor(executor abi.Executor) *Executor {
	e := &Executor{library: l, handle: handle.New(executor, l.table.ExecutorFree)}
	runtime.AddCleanup(e, (*handle.Handle[abi.Executor]).Drop, e.handle)
	return e
}

// NewArena makes an arena for the outputs of calls on executor; nil means host pages, for calls on
// the calling goroutine's thread. Nothing is allocated until a call writes. It calls
// uform_arena_init.
func (l *Library) NewArena(executor *Executor) (*Arena, error) {
	var on *handle.Handle[abi.Executor]
	if executor != nil {
		if executor.library.table != l.table {
			return nil, errors.New("make arena", errors.ErrInvalidArgument, errors.NoItem, errForeign)
		}
		on = executor.handle
	}
	made, err := lending.New(l.table, on)
	// Without this the executor could be collected, and closed, once its handle was read above.
	runtime.KeepAlive(executor)
	return (*Arena)(made), err
}

// Drain returns when the executor holds no call: it waits for the one that runs, or runs the one
// that is held. That call keeps its own result and error. It calls uform_executor_drain.
func (e *Executor) Drain() error {
	const verb = "drain executor"
	if e == nil {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNoExecutor)
	}
	if e.handle.Inside() {
		return errors.New(verb, errors.ErrContended, errors.NoItem, errInside)
	}
	if !e.handle.BeginCall() {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("executor"))
	}
	defer e.handle.EndCall()
	b := newAsking[abi.ExecutorDrain, struct{}]()
	b.arguments = abi.ExecutorDrain{Executor: e.handle.Value(), Outcome: &b.outcome}
	e.library.table.ExecutorDrain(&b.arguments)
	e.settle()
	return errors.Of(verb, &b.outcome)
}

// enter announces a call of verb, blocking or, where that is nil, deferred. leave ends it, but for
// a call that was submitted. Only an executor without threads of its own has anything to say.
func (e *Executor) enter(ctx context.Context, verb string, blocking *inflight.Blocking, names inflight.Names) error {
	switch {
	case e == nil || e.holder == nil:
	case blocking == nil:
		e.holder.Reserve()
	default:
		if err := e.holder.Enter(ctx, blocking, names); err != nil {
			return errors.New(verb, errors.ErrCancelled, errors.NoItem, err)
		}
	}
	return nil
}

func (e *Executor) leave(blocking *inflight.Blocking) {
	switch {
	case e == nil || e.holder == nil:
	case blocking == nil:
		e.holder.Cancel()
	default:
		e.holder.Leave(blocking)
	}
}

// settle notices that a held call was run by something else than waiting for it.
func (e *Executor) settle() {
	if e.holder == nil {
		return
	}
	for _, call := range e.handle.Tracked() {
		if settler, ok := call.(lending.Settler); ok {
			settler.SettleFinal()
		}
	}
}

// finish runs or waits for the deferred calls on the executor.
func (e *Executor) finish() {
	for _, call := range e.handle.Tracked() {
		if settler, ok := call.(lending.Settler); ok {
			settler.Finish()
		}
	}
}

// ExecutorDescription is what an executor runs on, and how much it has grown to.
type ExecutorDescription struct {
	// Residency is where its arenas live. Device is the first GPU, or -1 without one.
	Residency Residency
	Device    int
	// Devices, Threads, Streams and MemoryDomains are how many it has. Threads includes the caller
	// where WithCaller is set.
	Devices, Threads, Streams, MemoryDomains int
	// WithCaller reports that a blocked caller is one of the threads.
	WithCaller bool
	Mood       Mood
	// ScratchBytes is the most that its working memory has ever taken.
	ScratchBytes uint64
}

// Describe returns the executor's placement and growth. It calls uform_executor_describe.
func (e *Executor) Describe() (ExecutorDescription, error) {
	const verb = "describe executor"
	if e == nil {
		return ExecutorDescription{}, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNoExecutor)
	}
	if !e.handle.BeginCall() {
		return ExecutorDescription{}, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("executor"))
	}
	defer e.handle.EndCall()
	b := newAsking[abi.ExecutorDescribe, abi.ExecutorDescription]()
	b.arguments = abi.ExecutorDescribe{Executor: e.handle.Value(), Outcome: &b.outcome, Description: &b.answer}
	e.library.table.ExecutorDescribe(&b.arguments)
	d := b.answer
	return ExecutorDescription{
		Residency: d.Residency, Device: int(d.Device),
		Devices: int(d.DevicesCount), Threads: int(d.Threads), Streams: int(d.Streams), MemoryDomains: int(d.MemoryDomainsCount),
		WithCaller:   d.Exclusivity == abi.CallerInclusive,
		Mood:         Mood(d.Mood),
		ScratchBytes: d.ScratchBytes,
	}, errors.Of(verb, &b.outcome)
}

// Close frees the executor, and returns when that is done. It waits for a call in flight, without a
// limit, as [Model.Close] does, and runs a held one. An arena of host pages, and a model that was
// loaded on the executor, stay usable. A GPU executor whose arenas are still open is freed when the
// last of them is closed; Close does not wait for that. Closing again is safe, and waits in the
// same way. Inside the progress handler of a call on the executor, Close fails with [ErrContended].
// A nil Executor is closed already. It calls uform_executor_free.
func (e *Executor) Close() error {
	if e != nil && !e.handle.Close() {
		return errors.New("close executor", errors.ErrContended, errors.NoItem, errInside)
	}
	return nil
}
