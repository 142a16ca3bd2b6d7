package inflight

import (
	"runtime"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/platform"
)

// The schedule of the waiter, as measured. With up to few calls in flight it spins, then yields,
// then sleeps an eighth of the time since something last happened, so that the sleep adds little to
// the wait. With more in flight it never spins, and sleeps at least eight times as long as one scan
// of all of them takes.
const (
	few        = 4
	spinning   = 5 * time.Microsecond
	yielding   = 50 * time.Microsecond
	sleepLeast = 100 * time.Microsecond
	sleepMost  = 2 * time.Millisecond
	idleShare  = 8
	scanShare  = 8
)

// shared is the one waiter of the process: a goroutine for each call would cost a thread for each.
var shared = waiter{nap: platform.Nap}

// waiter polls the calls of libraries that cannot report when a call is final. Its goroutine lives
// while there are any.
type waiter struct {
	nap func(time.Duration) // platform.Nap, which tests count

	mutex   sync.Mutex
	running bool
	added   []*Pending
}

func (w *waiter) add(p *Pending) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.added = append(w.added, p)
	if !w.running {
		w.running = true
		go w.run()
	}
}

// take appends the calls added since, and reports whether to go on.
func (w *waiter) take(inFlight []*Pending) ([]*Pending, bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.added) == 0 && len(inFlight) == 0 {
		w.running = false
		w.added = nil
		return nil, false
	}
	inFlight = append(inFlight, w.added...)
	clear(w.added)
	w.added = w.added[:0]
	return inFlight, true
}

func (w *waiter) run() {
	var inFlight []*Pending
	last := time.Now()
	for {
		before := len(inFlight)
		var more bool
		if inFlight, more = w.take(inFlight); !more {
			return
		}
		scanned := time.Now()
		if len(inFlight) > before {
			last = scanned
		}
		watched := len(inFlight)
		inFlight = settle(inFlight)
		now := time.Now()
		if len(inFlight) < watched {
			last = now
		}
		w.pause(watched, now.Sub(last), now.Sub(scanned))
	}
}

// settle settles the calls that are final, and returns the others.
func settle(inFlight []*Pending) []*Pending {
	for i := 0; i < len(inFlight); {
		if inFlight[i].Status() == abi.StatusDeferred {
			i++
			continue
		}
		inFlight[i].finish()
		end := len(inFlight) - 1
		inFlight[i] = inFlight[end]
		inFlight[end] = nil
		inFlight = inFlight[:end]
	}
	return inFlight
}

// pause rests between two scans of watched calls. idle is the time since something last happened,
// scan how long a scan takes.
func (w *waiter) pause(watched int, idle, scan time.Duration) {
	if watched <= few {
		switch {
		case idle < spinning:
			return
		case idle < yielding:
			runtime.Gosched()
			return
		}
	}
	rest := min(max(idle/idleShare, sleepLeast), sleepMost)
	if watched > few {
		rest = max(rest, scanShare*scan)
	}
	w.nap(rest)
}
