package inflight

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
)

// Submission describes a call that is about to be submitted. It belongs to the goroutine that makes
// the call.
type Submission struct {
	// Verb names the operation, for errors.
	Verb string
	// Library is the table that the call was submitted to.
	Library *abi.Library
	// Outcome is the call's own, on the heap and pinned. It keeps its whole box alive.
	Outcome *abi.Outcome
	// Reporter carries the call's progress, nil where nobody listens.
	Reporter *Reporter
	// Holder is the executor where that has no threads of its own, so that only waiting or draining
	// advances the call; else nil. [Holder.Reserve] has announced the call.
	Holder *Holder
	// Keeps says that the call keeps something of the caller's, such as a handler or a context,
	// that may lead to the Call.
	Keeps bool
	// Settle runs once, after the library has released the box: it takes the result, unpins and
	// frees. It must not block.
	Settle func(*abi.Outcome)
}

// Pending is a call from just before it is submitted until it is settled. Goroutines may share it.
//
// A final status is not enough to free the box or use it again, because C may still access the
// outcome: uform_outcome_wait must have returned. So every way to notice the end goes through
// settle, and the mutex lets one goroutine at a time wait in the library. It is held from the
// beginning until [Pending.Start], so a goroutine that comes earlier waits until the call is
// submitted.
type Pending struct {
	Submission
	done      chan struct{}
	started   atomic.Bool
	advancing atomic.Bool
	// waiter is the goroutine that waits in the library for a held call with a handler, and may run
	// it.
	waiter atomic.Uint64

	mutex   sync.Mutex
	settled bool
}

func newPending(submission Submission) *Pending {
	p := &Pending{Submission: submission, done: make(chan struct{})}
	p.mutex.Lock()
	if p.Holder != nil {
		p.Holder.prepare(p)
	}
	return p
}

// Start begins to follow the call, which was just submitted.
func (p *Pending) Start() {
	p.started.Store(true)
	p.mutex.Unlock()
	switch {
	case p.SettleFinal():
	case p.Library.OnFinal != nil:
		p.Library.OnFinal(p.Outcome, p.notified)
	case p.Holder == nil:
		shared.add(p)
	}
	if p.Holder != nil && p.Keeps {
		p.watch(patience)
	}
}

// Abandon ends a call that the library refused to take. Settle is not called.
func (p *Pending) Abandon() {
	p.settled = true
	p.mutex.Unlock()
	p.end()
}

// end is the end of a call, settled or refused.
func (p *Pending) end() {
	if p.Holder != nil {
		p.Holder.forget(p)
	}
	close(p.done)
}

// Done is closed once the call is settled. It does not advance a held call.
func (p *Pending) Done() <-chan struct{} { return p.done }

// Status is the library's status, read without blocking.
func (p *Pending) Status() abi.Status { return p.Outcome.Load() }

// Inside reports whether the calling goroutine runs the call's progress handler.
func (p *Pending) Inside() bool { return p.Reporter.Inside() }

// Advance makes sure that a held call is run, on a goroutine of its own.
func (p *Pending) Advance() {
	if p.Holder != nil && p.advancing.CompareAndSwap(false, true) {
		go p.finish()
	}
}

// SettleFinal settles the call if it is final, and reports whether it is settled now.
func (p *Pending) SettleFinal() bool {
	if !p.started.Load() || p.Status() == abi.StatusDeferred {
		return false
	}
	p.finish()
	return true
}

// Finish starts the call where it is held, and returns when it is settled.
func (p *Pending) Finish() {
	p.Advance()
	<-p.done
}

// notified settles a call that the library reports as final. The report may come from inside
// finish, where that goroutine runs a held call itself; then finish settles the call.
func (p *Pending) notified() {
	if p.mutex.TryLock() {
		defer p.mutex.Unlock()
		p.settle()
	}
}

// finish waits until the call is final and settled.
func (p *Pending) finish() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.settle()
}

// settle waits until the library is done with the box, then settles the call. The mutex is held.
func (p *Pending) settle() {
	if p.settled {
		return
	}
	if p.Holder != nil && p.Reporter != nil {
		p.waiter.Store(goroutine())
	}
	p.Library.OutcomeWait(p.Outcome)
	p.settled = true
	p.Settle(p.Outcome)
	p.end()
}

// patience is after how many collections a held call runs where the collector cannot see that its
// Call was dropped.
const patience = 2

// beacon is an object whose cleanup reports that the collector has run. It has a pointer, as
// objects without one may share an allocation.
type beacon struct{ _ *beacon }

// watch starts the call if nobody has asked for it after so many collections.
//
// A call in flight is reachable, as the library reads it, and so are its handler and its context.
// If one of them leads to the Call, as in a struct with both, the Call stays reachable after it was
// dropped, and its own cleanup never runs.
func (p *Pending) watch(collections int) {
	runtime.AddCleanup(new(beacon), func(left int) {
		select {
		case <-p.done:
			return
		default:
		}
		if left > 0 {
			p.watch(left)
		} else {
			p.drop()
		}
	}, collections-1)
}

// drop starts a held call that nobody asks for, or tries again after the next collection.
func (p *Pending) drop() {
	if !p.Holder.run(p) {
		p.watch(1)
	}
}
