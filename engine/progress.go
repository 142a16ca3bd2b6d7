package engine

import (
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
)

// progressCallback is the only callback the engine knows, and stands for [abi.ReportProgress]. Its
// bytes spell "prog".
const progressCallback abi.Progress = 0x70726F67

// progress reports the progress of one call to its caller. The zero value reports nothing and never
// stops.
type progress struct {
	listened bool
	state    uintptr
	stopped  atomic.Bool // the handler asked to stop; it is not called again

	// The mutex serializes the reports of one call.
	mutex    sync.Mutex
	finished uintptr
	total    uintptr
}

// connect takes the progress fields of an argument struct.
func (p *progress) connect(callback abi.Progress, state uintptr) *fault {
	switch callback {
	case 0:
		return nil
	case progressCallback:
		p.listened, p.state = true, state
		return nil
	}
	return refuse(abi.StatusInvalidArgument, "the progress callback is not the one of this library")
}

// begin reports that nothing of total is finished, and returns whether to continue.
func (p *progress) begin(total uintptr) bool { return p.reach(0, total) }

// reach reports that finished of total units are finished, and returns whether to continue. After
// the last unit the handler's result is ignored.
func (p *progress) reach(finished, total uintptr) bool {
	if !p.listened {
		return true
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.finished, p.total = max(p.finished, finished), total
	return p.report()
}

// advance adds units to the finished ones, reports, and returns whether to continue.
func (p *progress) advance(units uintptr) bool {
	if !p.listened {
		return true
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.finished += units
	return p.report()
}

// poll reports an unchanged count from within a long slice, and returns whether to stop. It skips
// the report while another goroutine reports.
func (p *progress) poll() bool {
	if !p.stopped.Load() && p.mutex.TryLock() {
		defer p.mutex.Unlock()
		p.report()
	}
	return p.stopped.Load()
}

// report calls the handler. The caller holds the mutex.
func (p *progress) report() bool {
	if p.stopped.Load() {
		return false
	}
	goesOn := ask(p.state, p.finished, p.total)
	if !goesOn && (p.finished < p.total || p.total == 0) {
		p.stopped.Store(true)
		return false
	}
	return true
}

// ask runs the handler. A panic counts as a request to stop: the installer of the handler keeps the
// panic, and a worker cannot handle it.
func ask(state, finished, total uintptr) (goesOn bool) {
	defer func() { _ = recover() }()
	return abi.ReportProgress(state, finished, total)
}

// reset prepares p for another call.
func (p *progress) reset() {
	p.listened, p.state, p.finished, p.total = false, 0, 0, 0
	p.stopped.Store(false)
}

// cancelled is the fault of every call that its handler stopped.
var cancelled = refuse(abi.StatusCancelled, "the progress callback asked to stop")
