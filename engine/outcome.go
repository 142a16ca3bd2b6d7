package engine

import (
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
)

// conclude makes outcome final. The status is stored last, with release ordering: a thread that
// reads a final status sees the other fields and the outputs, and may free or reuse all of them. So
// no memory of the caller is touched afterwards.
func conclude(outcome *abi.Outcome, status abi.Status, item int32, message uintptr) {
	if outcome == nil {
		return
	}
	outcome.Item = item
	outcome.Message = message
	outcome.Call = 0
	atomic.StoreInt32((*int32)(&outcome.Status), int32(status))
}

// end makes outcome final with a fault, or with success.
func end(outcome *abi.Outcome, f *fault) {
	if f == nil {
		conclude(outcome, abi.StatusSuccess, 0, 0)
	} else {
		conclude(outcome, f.status, f.item, f.address())
	}
}

// await makes outcome wait for the call with the given id.
func await(outcome *abi.Outcome, id uintptr) {
	outcome.Item = 0
	outcome.Message = 0
	outcome.Call = id
	atomic.StoreInt32((*int32)(&outcome.Status), int32(abi.StatusDeferred))
}

func status(outcome *abi.Outcome) abi.Status {
	return abi.Status(atomic.LoadInt32((*int32)(&outcome.Status)))
}

// outcomeStatus implements [abi.Library.OutcomeStatus].
func outcomeStatus(outcome *abi.Outcome) abi.Status {
	if outcome == nil {
		return abi.StatusInvalidArgument
	}
	return status(outcome)
}

// outcomeWait implements [abi.Library.OutcomeWait]. An outcome that reads deferred but belongs to
// no call of this library is invalid: waiting for it would never end.
func (l *library) outcomeWait(outcome *abi.Outcome) abi.Status {
	if outcome == nil {
		return abi.StatusInvalidArgument
	}
	if final := status(outcome); final != abi.StatusDeferred {
		return final
	}
	l.mutex.Lock()
	c, final := l.pending(outcome)
	if c != nil && c.held {
		l.advance(c)
	}
	l.mutex.Unlock()
	if c == nil {
		return final
	}
	<-c.done
	return c.status
}

// pending returns the call that will finish outcome, or, if there is none, the status to return.
// The caller holds the mutex, under which calls store their final status: an outcome that reads
// deferred here names a call that is not final.
func (l *library) pending(outcome *abi.Outcome) (*call, abi.Status) {
	if final := status(outcome); final != abi.StatusDeferred {
		return nil, final
	}
	c, found := find[*call](&l.handles, outcome.Call)
	if !found || c.outcome != outcome {
		return nil, abi.StatusInvalidArgument
	}
	return c, abi.StatusDeferred
}

// onFinal implements [abi.Extensions.OnFinal].
func (l *library) onFinal(outcome *abi.Outcome, notify func()) {
	if notify == nil {
		return
	}
	var c *call
	if outcome != nil {
		l.mutex.Lock()
		if c, _ = l.pending(outcome); c != nil {
			c.notify = append(c.notify, notify)
		}
		l.mutex.Unlock()
	}
	if c == nil {
		notify()
	}
}
