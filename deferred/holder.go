package deferred

import (
	"context"
	"slices"
	"sync"

	"github.com/unum-cloud/uform-go/internal/handle"
)

// Holder is an executor without threads of its own, as its calls see it. The library lets a blocking call first run the call that
// the executor holds, on the blocking goroutine, which must be known to be its driver then. So a call is submitted, and a blocking call
// enters, under one mutex: whoever comes second sees to it that the blocking call has a [Driver]. Goroutines may share a Holder.
type Holder struct {
	mutex    sync.Mutex
	blocking []*Blocking // those between Enter and Leave
	held     int         // calls that were submitted, or are about to be, and are not settled
	pending  []*Pending  // those of them that were prepared
	alone    *Pending    // the one of them that runs although nobody asked for it
}

// Blocking is a blocking call between Enter and Leave. It belongs to the goroutine that makes the call.
type Blocking struct {
	names  Names
	driver *Driver
}

// Names is what a blocking call names, besides its executor. Goroutines may share one.
type Names interface {
	Track(handle.Call)
	Untrack(handle.Call)
}

// Enter begins a blocking call, which names nothing but its executor where names is nil. A held call that runs by itself is waited
// for under ctx, as the library would have run it first; the error is why ctx ended. The caller must not yet use any handle, as the
// handler of that call may close it.
func (h *Holder) Enter(ctx context.Context, b *Blocking, names Names) (err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for h.alone != nil && !h.alone.Inside() {
		done := h.alone.done
		h.mutex.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		h.mutex.Lock()
		if err != nil {
			return err
		}
	}
	b.names = names
	if h.held > 0 {
		b.drive(NewDriver())
	}
	h.blocking = append(h.blocking, b)
	return nil
}

// drive makes driver known to what the call names.
func (b *Blocking) drive(driver *Driver) {
	if b.names != nil && b.driver == nil {
		b.driver = driver
		b.names.Track(driver)
	}
}

// Leave ends a blocking call that entered.
func (h *Holder) Leave(b *Blocking) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if b.driver != nil {
		b.names.Untrack(b.driver)
	}
	*b = Blocking{}
	h.blocking = remove(h.blocking, b)
}

// Reserve makes way for a call to be submitted. Blocking calls that are under way may have to run it, and did not know when they entered.
func (h *Holder) Reserve() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held++
	for _, b := range h.blocking {
		b.drive(&Driver{holder: h})
	}
}

// Cancel ends what Reserve began where no call came of it.
func (h *Holder) Cancel() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held--
}

// prepare makes a call known that Reserve made way for.
func (h *Holder) prepare(p *Pending) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.pending = append(h.pending, p)
}

// forget ends what Reserve began: the call was refused, or is settled.
func (h *Holder) forget(p *Pending) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held--
	h.pending = remove(h.pending, p)
	p.advancing.Store(true) // so that it is never alone again
	if h.alone == p {
		h.alone = nil
	}
}

// driving tells whether the calling goroutine runs the handler of a call of the executor's, and not as the goroutine that waits for it.
func (h *Holder) driving() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.ContainsFunc(h.pending, func(p *Pending) bool { return p.Inside() && p.waiter.Load() != goroutine() })
}

func remove[E comparable](list []E, e E) []E {
	i := slices.Index(list, e)
	return slices.Delete(list, i, i+1)
}

// run has p run although nobody asked for it, unless a blocking call is under way, which may be about to run it.
func (h *Holder) run(p *Pending) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.blocking) > 0 {
		return false
	}
	if p.advancing.CompareAndSwap(false, true) {
		h.alone = p
		go p.finish()
	}
	return true
}
