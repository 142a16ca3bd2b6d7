package deferred

import (
	"context"
	"sync"
)

// Holder is an executor without threads of its own, as its calls see it. The library lets a blocking call first run the call that
// the executor holds, on the blocking goroutine, which must be known to be the driver before the library is entered. So a call is
// submitted, and a blocking call enters, under one mutex: while blocking calls are under way nothing is submitted. Goroutines may share it.
type Holder struct {
	mutex    sync.Mutex
	blocking int      // blocking calls between Enter and Leave
	held     int      // calls that were submitted, or are about to be, and are not settled
	alone    *Pending // the one of them that runs although nobody asked for it
}

// Enter begins a blocking call, and tells whether it may have to run a call that is held. A held call that runs by itself is waited
// for under ctx, as the library would have run it first; the error is why ctx ended. The caller must not yet use any handle, as the
// handler of that call may close it.
func (h *Holder) Enter(ctx context.Context) (drives bool, err error) {
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
			return false, err
		}
	}
	h.blocking++
	return h.held > 0, nil
}

// Leave ends a blocking call that entered.
func (h *Holder) Leave() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.blocking--
}

// Reserve makes way for a call to be submitted, unless a blocking call has the executor.
func (h *Holder) Reserve() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.blocking > 0 {
		return false
	}
	h.held++
	return true
}

// Cancel ends what Reserve began where no call came of it.
func (h *Holder) Cancel() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held--
}

// forget ends what Reserve began: the call was refused, or is settled.
func (h *Holder) forget(p *Pending) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.held--
	p.advancing.Store(true) // so that it is never alone again
	if h.alone == p {
		h.alone = nil
	}
}

// run has p run although nobody asked for it, unless a blocking call is under way, which may be about to run it.
func (h *Holder) run(p *Pending) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.blocking > 0 {
		return false
	}
	if p.advancing.CompareAndSwap(false, true) {
		h.alone = p
		go p.finish()
	}
	return true
}
