package inflight

import (
	"context"
	"slices"
	"sync"

	"github.com/unum-cloud/uform-go/internal/handle"
)

// Holder is an executor without threads of its own, as its calls see it. The library lets a
// blocking call first run the call that the executor holds, on the blocking goroutine, which must
// then be known as its driver. So submitting a call and entering a blocking call take one mutex:
// the second of the two gives the blocking call a [Driver]. Goroutines may share a Holder.
type Holder struct {
	mutex    sync.Mutex
	blocking []*Blocking // those between Enter and Leave
	held     int         // calls that were submitted, or are about to be, and are not settled
	pending  []*Pending  // those of them that were prepared
	alone    *Pending    // the one of them that runs although nobody asked for it
}

// Blocking is a blocking call between Enter and Leave. It belongs to the goroutine that makes the
// call.
type Blocking struct {
	names  Names
	driver *Driver
}

// Names is what a blocking call names, besides its executor. Goroutines may share one.
type Names interface {
	Track(handle.Call)
	Untrack(handle.Call)
}

// Enter begins a blocking call; names is nil where it names nothing but its executor. If a dropped
// call runs on its own, Enter waits for it under ctx, since the library would have run it first;
// the error is the cause of ctx. The caller must not use any handle before Enter returns, because
// the handler of the dropped call may close it.
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

// Reserve announces a call that is about to be submitted. Blocking calls that entered before may
// have to run it, so each of them gets a driver.
func (h *Holder) Reserve() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held++
	for _, b := range h.blocking {
		b.drive(&Driver{holder: h})
	}
}

// Cancel undoes Reserve where no call was submitted.
func (h *Holder) Cancel() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held--
}

// prepare adds a call that Reserve announced.
func (h *Holder) prepare(p *Pending) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.pending = append(h.pending, p)
}

// forget removes a call that was refused or is settled.
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

// driving reports whether the calling goroutine runs the handler of one of the executor's calls,
// other than by waiting for that call.
func (h *Holder) driving() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.ContainsFunc(h.pending, func(p *Pending) bool { return p.Inside() && p.waiter.Load() != goroutine() })
}

func remove[E comparable](list []E, e E) []E {
	i := slices.Index(list, e)
	return slices.Delete(list, i, i+1)
}

// run starts p although nobody asked for it, unless a blocking call has entered, which may be about
// to run it. It reports whether it did.
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
