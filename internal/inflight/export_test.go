package inflight

import (
	"slices"
	"sync"
	"time"
)

// naps are what the shared waiter has slept, or wanted to.
var naps struct {
	mutex sync.Mutex
	asked []time.Duration
}

func init() {
	nap := shared.nap
	shared.nap = func(d time.Duration) {
		naps.mutex.Lock()
		naps.asked = append(naps.asked, d)
		naps.mutex.Unlock()
		nap(d)
	}
}

// Naps are how long the shared waiter wanted to sleep, each time so far.
func Naps() []time.Duration {
	naps.mutex.Lock()
	defer naps.mutex.Unlock()
	return slices.Clone(naps.asked)
}

// Pauses is how long a waiter that watches so many calls sleeps after a look at them, zero where it
// does not.
func Pauses(watched int, idle, scan time.Duration) (slept time.Duration) {
	w := waiter{nap: func(d time.Duration) { slept += d }}
	w.pause(watched, idle, scan)
	return slept
}

// What tests of the schedule refer to.
const (
	Few        = few
	Yielding   = yielding
	SleepLeast = sleepLeast
	SleepMost  = sleepMost
)
