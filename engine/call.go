package engine

import (
	"runtime/debug"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
)

// work is what a verb does within its call. All methods but recycle run after the call is known not
// to contend with another for a handle.
type work interface {
	// prepare does what comes before the first slice, on the goroutine that leads the call: it
	// checks the inputs, lays out the outputs and cuts the batch into slices.
	prepare() *fault
	// slice computes the items from begin to end. Several goroutines run it at once.
	slice(space *workspace, begin, end int) *fault
	// publish fills the caller's output fields, after the call succeeded.
	publish()
	// recycle returns the call to its pool.
	recycle()
}

// collective is work that is not cut into slices: it divides itself into tasks.
type collective interface {
	// runTasks does everything after prepare and the prescan, on the goroutine that leads the call.
	// It distributes tasks by share.
	runTasks(space *workspace, helpers []*worker) *fault
}

// prescanner is work whose outputs cannot be laid out before its items were read. All goroutines of
// the call share the prescan.
type prescanner interface {
	// prescan reads the items from begin to end. It is distributed like slice.
	prescan(space *workspace, begin, end int) *fault
	// prescanned lays out the outputs, on the goroutine that leads the call.
	prescanned() *fault
}

// call is one call of a verb, from the check of its arguments until it is final. It passes through
// four stages: claimed (it names live handles), submitted (it has its arena, and it occupies its
// executor or is held by it), running, final. A refused call ends before the second stage and has
// changed nothing.
type call struct {
	library  *library
	work     work
	outcome  *abi.Outcome
	executor *executor
	model    *loadedModel
	trainer  *trainer
	arena    *arena
	progress progress

	cuts []int // where each slice ends
	next atomic.Int64
	// The tasks that [collective] work shares at the moment: next counts up to tasks.
	tasks   int
	task    func(index int)
	failure atomic.Pointer[fault] // of a slice; ends the other slices early
	// divisible reports whether one slice is enough work for several goroutines.
	divisible bool
	// prescanner is set by prepare where a prescan is needed, and cleared when the prescan is over.
	prescanner prescanner

	// returned wakes a blocking caller when its call, led by a worker, is final.
	returned chan struct{}
	// keeps is set if the executor stays occupied after this call, for the call whose submission
	// ran this one.
	keeps bool

	// The fields below belong to deferred calls; the library's mutex guards them.
	id     uintptr
	held   bool
	done   chan struct{}
	status abi.Status // read after done is closed
	notify []func()
}

// names reports whether the call names a handle.
func (c *call) names(handle *claims) bool {
	return c.executor != nil && &c.executor.claims == handle ||
		c.model != nil && &c.model.claims == handle ||
		c.trainer != nil && &c.trainer.claims == handle ||
		c.arena != nil && &c.arena.claims == handle
}

// submit ends the call if f refuses it. Otherwise it runs the call or, if deferring, arranges for
// it to be run. The call must not be used afterwards.
func (c *call) submit(completion abi.Completion, f *fault) {
	deferring := completion == abi.CompletionDeferring && c.outcome != nil
	c.library.mutex.Lock()
	if f == nil {
		f = c.contention(deferring)
	}
	if f == nil && deferring {
		f = c.register()
	}
	if f != nil {
		c.release()
		c.library.mutex.Unlock()
		end(c.outcome, f)
		c.work.recycle()
		return
	}
	if c.arena != nil {
		c.arena.taken = true
	}
	if c.trainer != nil {
		c.trainer.taken = true
	}
	switch e := c.executor; {
	case deferring && len(e.workers) == 0:
		c.library.hold(e, c)
		c.library.mutex.Unlock()
	case deferring:
		c.library.occupy(e)
		c.library.mutex.Unlock()
		e.workers[0].jobs <- job{c}
	case e == nil:
		c.library.mutex.Unlock()
		c.runHere()
		c.work.recycle()
	case e.exclusivity == abi.CallerExclusive:
		c.library.occupy(e)
		c.library.mutex.Unlock()
		e.workers[0].jobs <- job{c}
		<-c.returned
		c.work.recycle()
	default:
		held := c.library.occupy(e)
		c.library.mutex.Unlock()
		if held != nil {
			held.keeps = true
			held.run(e.workspaces[0], nil)
		}
		c.run(e.workspaces[0], e.workers)
		c.work.recycle()
	}
}

// contention returns a fault if another call has a handle that this one needs. The caller holds the
// mutex.
func (c *call) contention(deferring bool) *fault {
	switch e := c.executor; {
	case c.arena != nil && c.arena.taken:
		return refuse(abi.StatusContended, "another call has the arena: give each unfinished call its own")
	case c.trainer != nil && c.trainer.taken:
		return refuse(abi.StatusContended, "another call has the trainer: wait for it")
	case e == nil:
		return nil
	case e.busy, deferring && e.held != nil:
		return refuse(abi.StatusContended, "another call has the executor: wait for it, or use another")
	}
	return nil
}

// register connects the outcome of a deferred call to the call. The caller holds the mutex.
func (c *call) register() *fault {
	if c.id = c.library.handles.add(c); c.id == 0 {
		return tooMany()
	}
	c.done = make(chan struct{})
	await(c.outcome, c.id)
	return nil
}

// runHere runs the call on the calling thread, in the model's working memory.
func (c *call) runHere() {
	var f *fault
	if c.model == nil {
		f = c.lead(nil, nil)
	} else {
		space := c.model.borrow()
		f = c.lead(space, nil)
		c.model.giveBack(space)
	}
	c.finish(f)
}

// run runs a call that occupies its executor. A deferred call must not be used afterwards.
func (c *call) run(space *workspace, helpers []*worker) { c.finish(c.lead(space, helpers)) }

// lead computes the call, together with as many helpers as there is work for.
func (c *call) lead(space *workspace, helpers []*worker) *fault {
	if c.arena != nil {
		c.arena.rewind()
	}
	if f := c.work.prepare(); f != nil {
		return f
	}
	if c.prescanner != nil {
		if f := c.spread(space, helpers); f != nil {
			return f
		}
		f := c.prescanner.prescanned()
		c.prescanner = nil
		if f != nil {
			return f
		}
		c.next.Store(0)
	}
	if w, isCollective := c.work.(collective); isCollective {
		return w.runTasks(space, helpers)
	}
	return c.spread(space, helpers)
}

// spread goes through all slices once, together with the helpers. Helpers that find no slice left
// help within the slices of others, where these are large.
func (c *call) spread(space *workspace, helpers []*worker) *fault {
	if !c.divisible {
		helpers = helpers[:max(0, min(len(helpers), len(c.cuts)-1))]
	}
	if len(helpers) == 0 {
		c.compute(space)
	} else {
		c.executor.workgroup.lead(c, space, helpers)
	}
	if c.progress.stopped.Load() {
		return cancelled
	}
	return c.failure.Load()
}

// share runs task for every index below tasks, together with the helpers.
func (c *call) share(helpers []*worker, tasks int, task func(index int)) {
	c.tasks, c.task = tasks, task
	c.next.Store(0)
	if helpers = helpers[:max(0, min(len(helpers), tasks-1))]; len(helpers) == 0 {
		c.compute(nil)
	} else {
		c.executor.workgroup.lead(c, nil, helpers)
	}
	c.task = nil
}

// compute takes tasks or slices until none is left, or the call has failed.
func (c *call) compute(space *workspace) {
	if c.task != nil {
		for i := int(c.next.Add(1)) - 1; i < c.tasks; i = int(c.next.Add(1)) - 1 {
			c.task(i)
		}
		return
	}
	for c.failure.Load() == nil {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.cuts) {
			return
		}
		begin := 0
		if i > 0 {
			begin = c.cuts[i-1]
		}
		if f := c.take(space, begin, c.cuts[i]); f != nil {
			c.fail(f)
		}
	}
}

// take computes or prescans a slice.
func (c *call) take(space *workspace, begin, end int) (f *fault) {
	if c.model != nil && len(c.model.files) > 0 {
		defer shield(&c.model.files, debug.SetPanicOnFault(true), &f)
	}
	if c.prescanner != nil {
		return c.prescanner.prescan(space, begin, end)
	}
	if instead := c.library.hooks.Compute; instead != nil {
		instead(end - begin)
	} else {
		f = c.work.slice(space, begin, end)
	}
	if f == nil && !c.progress.advance(uintptr(end-begin)) {
		f = cancelled
	}
	return f
}

// fail records the fault of the first item that has one. Slices are taken in order, and a slice
// that was begun is finished, so this is the same item for every number of threads.
func (c *call) fail(f *fault) {
	for {
		former := c.failure.Load()
		if former != nil && (former.item < 0 || f.item < 0 || former.item < f.item) {
			return
		}
		if c.failure.CompareAndSwap(former, f) {
			return
		}
	}
}

// finish makes the call final. Its arena and executor are free before its caller can see the
// result, so that a call made at once does not find them taken.
func (c *call) finish(f *fault) {
	if f == nil {
		c.work.publish()
	}
	message := f.address()
	l := c.library
	l.mutex.Lock()
	if c.arena != nil {
		c.arena.taken = false
	}
	if c.trainer != nil {
		c.trainer.taken = false
	}
	if c.executor != nil && !c.keeps {
		c.executor.vacate()
	}
	deferred := c.id != 0
	if deferred {
		l.handles.remove(c.id)
	}
	if f == nil {
		c.status = abi.StatusSuccess
		conclude(c.outcome, abi.StatusSuccess, 0, 0)
	} else {
		c.status = f.status
		conclude(c.outcome, f.status, f.item, message)
	}
	c.release()
	notify := c.notify
	if deferred {
		close(c.done)
	}
	l.mutex.Unlock()
	for _, n := range notify {
		n()
	}
}

// release drops the call's claims on handles. The caller holds the mutex.
func (c *call) release() {
	if c.executor != nil {
		c.executor.named--
	}
	if c.model != nil {
		c.model.named--
	}
	if c.trainer != nil {
		c.trainer.named--
	}
	if c.arena != nil {
		c.arena.named--
	}
	c.library.changed.Broadcast()
}

// reset prepares a final, blocking call for reuse. Its buffers stay allocated.
func (c *call) reset() {
	c.outcome, c.executor, c.model, c.arena = nil, nil, nil, nil
	c.progress.reset()
	c.cuts = c.cuts[:0]
	c.next.Store(0)
	c.failure.Store(nil)
	c.prescanner, c.divisible = nil, false
	c.keeps = false
}
