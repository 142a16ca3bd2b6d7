package inflight_test

import (
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/inflight"
)

// library is a table whose calls end when a test says so. Like a shared library it cannot tell
// when: there is no OnFinal unless the test sets one.
type library struct {
	abi.Library
	waits atomic.Int64

	mutex sync.Mutex
	ended map[*abi.Outcome]chan struct{}
}

func newLibrary() *library {
	l := &library{ended: make(map[*abi.Outcome]chan struct{})}
	l.OutcomeWait = func(outcome *abi.Outcome) abi.Status {
		l.waits.Add(1)
		<-l.end(outcome)
		return outcome.Load()
	}
	return l
}

func (l *library) end(outcome *abi.Outcome) chan struct{} {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	end, known := l.ended[outcome]
	if !known {
		end = make(chan struct{})
		l.ended[outcome] = end
	}
	return end
}

// finish ends a call, from any goroutine.
func (l *library) finish(outcome *abi.Outcome, status abi.Status) {
	end := l.end(outcome)
	outcome.Store(status)
	close(end)
}

// submitted is a call in flight and what the library knows of it.
type submitted struct {
	*inflight.Call[string]
	pending *inflight.Pending
	outcome *abi.Outcome
	settled *atomic.Int64
}

// submit is a call that answers a text once it is final.
func (l *library) submit(change func(*inflight.Submission)) submitted {
	outcome := &abi.Outcome{Status: abi.StatusDeferred}
	settled := new(atomic.Int64)
	submission := inflight.Submission{
		Verb: "test", Library: &l.Library, Outcome: outcome,
		Settle: func(*abi.Outcome) { settled.Add(1) },
	}
	if change != nil {
		change(&submission)
	}
	call, pending := inflight.Prepare(submission, func(outcome *abi.Outcome) (string, error) {
		return "result of " + outcome.Status.String(), nil
	})
	pending.Start()
	return submitted{call, pending, outcome, settled}
}
