package handle

import (
	"sync"
	"sync/atomic"
)

// Call is a call in flight that names a handle. Goroutines may share one.
type Call interface {
	// Advance runs a call that its executor only holds, without blocking.
	Advance()
	// Inside reports whether the calling goroutine runs the call's own progress handler.
	Inside() bool
}

// The state is one word, so that beginning and ending a use is one atomic operation: a bit for
// closed, and a count for each kind of use.
const (
	closed    uint64 = 1 << 63
	reference uint64 = 1 << 32
	call      uint64 = 1
	calls            = reference - 1
)

// Handle is a counted library handle. Goroutines may share it.
type Handle[Value ~uintptr] struct {
	value Value
	free  func(Value)
	state atomic.Uint64
	// quiet is closed once the handle is closed and no call uses it.
	quiet   chan struct{}
	freeing sync.Once

	mutex   sync.Mutex
	tracked map[Call]struct{}
}

// New owns value: free is called with it once, after the last use of a closed handle. It may take
// its time: whoever closes the handle, or gives the last reference back, waits for it, and nobody
// else does.
func New[Value ~uintptr](value Value, free func(Value)) *Handle[Value] {
	return &Handle[Value]{value: value, free: free, quiet: make(chan struct{})}
}

// Value returns the library's handle. It may be used between the beginning and the end of a use.
func (h *Handle[Value]) Value() Value { return h.value }

// Closed reports whether the handle was closed or dropped.
func (h *Handle[Value]) Closed() bool { return h.state.Load()&closed != 0 }

// BeginCall begins a call, and returns false if the handle is closed.
func (h *Handle[Value]) BeginCall() bool { return h.begin(call) }

// EndCall ends a call.
func (h *Handle[Value]) EndCall() { h.end(call) }

// Refer takes a reference, and returns false if the handle is closed.
func (h *Handle[Value]) Refer() bool { return h.begin(reference) }

// Unrefer gives a reference back.
func (h *Handle[Value]) Unrefer() { h.end(reference) }

func (h *Handle[Value]) begin(unit uint64) bool {
	for {
		state := h.state.Load()
		if state&closed != 0 {
			return false
		}
		if h.state.CompareAndSwap(state, state+unit) {
			return true
		}
	}
}

// end ends a use. No use begins after the handle is closed, so each count reaches zero once.
func (h *Handle[Value]) end(unit uint64) {
	state := h.state.Add(-unit)
	switch {
	case state&closed == 0:
	case unit == reference:
		h.release()
	case state&calls == 0:
		h.quieten()
	}
}

// quieten tells those who close the handle that no call uses it any more. Whoever ends a call may
// have other calls to end, so it never frees the handle itself: those who wait in Close do, or a
// goroutine where nobody waits.
func (h *Handle[Value]) quieten() {
	close(h.quiet)
	go h.release()
}

// release frees the handle if nothing uses it, and returns when it is freed.
func (h *Handle[Value]) release() {
	if h.state.Load() == closed {
		h.freeing.Do(func() { h.free(h.value) })
	}
}

// Track lets Close find a call that began: one that an executor may hold, or that has a progress
// handler. A call that began before the handle was closed and is tracked after it is advanced here,
// as Close would have done.
func (h *Handle[Value]) Track(c Call) {
	h.mutex.Lock()
	if h.tracked == nil {
		h.tracked = make(map[Call]struct{})
	}
	h.tracked[c] = struct{}{}
	h.mutex.Unlock()
	if h.Closed() {
		c.Advance()
	}
}

// Untrack forgets a call, before it ends.
func (h *Handle[Value]) Untrack(c Call) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.tracked, c)
}

// InCall reports whether a call uses the handle.
func (h *Handle[Value]) InCall() bool { return h.state.Load()&calls != 0 }

// Tracked returns the tracked calls in flight.
func (h *Handle[Value]) Tracked() []Call {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.tracked) == 0 {
		return nil
	}
	inFlight := make([]Call, 0, len(h.tracked))
	for c := range h.tracked {
		inFlight = append(inFlight, c)
	}
	return inFlight
}

// Inside reports whether the calling goroutine runs the progress handler of a call that names the
// handle. Closing there would wait for itself.
func (h *Handle[Value]) Inside() bool {
	for _, c := range h.Tracked() {
		if c.Inside() {
			return true
		}
	}
	return false
}

// Drop marks the handle closed without waiting: it is freed after the last use.
func (h *Handle[Value]) Drop() {
	if state, first := h.mark(); first && state&calls == 0 {
		h.quieten()
	}
}

// mark marks the handle closed. It returns its state before, and whether it was open.
func (h *Handle[Value]) mark() (before uint64, first bool) {
	before = h.state.Or(closed)
	return before, before&closed == 0
}

// Close marks the handle closed, and waits until no call uses it, and until it is freed unless
// there are references. Closing again waits for the same. It returns false, and does nothing,
// inside a progress handler of a call that names the handle.
func (h *Handle[Value]) Close() bool {
	if h.Inside() {
		return false
	}
	if state, first := h.mark(); first && state&calls == 0 {
		close(h.quiet)
	}
	// Track advances a call that is tracked after this loop.
	for _, c := range h.Tracked() {
		c.Advance()
	}
	<-h.quiet
	h.release()
	return true
}
