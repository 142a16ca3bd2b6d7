package trunk

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Team is the goroutines that compute one call together, each with a [Scratch] that has joined it.
// A goroutine with a batch of its own encodes it, and lets the others take parts of it; a goroutine
// without one helps. Parts are rows, or heads, that no other part touches, and the bits of a part
// do not depend on the goroutine: results do not depend on the team.
type Team struct {
	spins int

	mutex   sync.Mutex
	changed sync.Cond
	open    []*work // with parts that any goroutine may take
	busy    int     // goroutines with a batch of their own
	// idle counts the goroutines that help, or wait to.
	idle atomic.Int32
	// news counts events that waiting goroutines may need to see. It is read without the mutex, to
	// decide whether to take it.
	news atomic.Uint32
}

// NewTeam returns a team. A goroutine that waits for work polls spins times before it sleeps. Each
// poll takes a fraction of a microsecond, in which other goroutines may run.
func NewTeam(spins int) *Team {
	t := &Team{spins: spins}
	t.changed.L = &t.mutex
	return t
}

// Join adds the goroutine that computes in s to the team, as a busy one. It must not be in a team
// before.
func (s *Scratch) Join(t *Team) {
	s.team = t
	t.mutex.Lock()
	t.busy++
	t.mutex.Unlock()
}

// Help takes parts of the others' work until no goroutine of the team is busy any more, and leaves
// the team.
func (s *Scratch) Help() {
	t := s.team
	t.idle.Add(1)
	t.mutex.Lock()
	if t.busy--; t.busy == 0 {
		t.notify()
	}
	for t.busy > 0 {
		w := t.pick()
		if w == nil {
			t.wait()
			continue
		}
		w.helpers++
		t.mutex.Unlock()
		w.take(s, nil)
		t.mutex.Lock()
		if w.helpers--; w.helpers == 0 {
			t.notify()
		}
	}
	t.mutex.Unlock()
	t.idle.Add(-1)
	s.team = nil
}

// hands returns how many goroutines would compute what this one shares now.
func (s *Scratch) hands() int {
	if s.team == nil {
		return 1
	}
	return 1 + int(s.team.idle.Load())
}

// notify wakes the waiting goroutines. The caller holds the mutex.
func (t *Team) notify() {
	t.news.Add(1)
	t.changed.Broadcast()
}

// wait waits for news. The mutex is held before and after, but not meanwhile.
func (t *Team) wait() {
	last := t.news.Load()
	t.mutex.Unlock()
	for range t.spins {
		if t.news.Load() != last {
			break
		}
		runtime.Gosched()
	}
	t.mutex.Lock()
	if t.news.Load() == last {
		t.changed.Wait()
	}
}

// pick returns work with parts left, nil if there is none. The caller holds the mutex.
func (t *Team) pick() *work {
	for _, w := range t.open {
		if w.next.Load() < int64(w.parts) {
			return w
		}
	}
	return nil
}

// work is a step of a batch, cut into parts.
type work struct {
	step  step
	lead  *Scratch // of the goroutine that owns the batch
	parts int
	next  atomic.Int64
	// helpers counts the other goroutines that may be at a part. The team's mutex guards it.
	helpers int
}

// share does all parts of s.work, together with the helpers. Only this goroutine calls stop, before
// each of its parts.
func (s *Scratch) share(parts int, stop func() bool) error {
	w := &s.work
	w.lead, w.parts = s, parts
	w.next.Store(0)
	t := s.team
	if t == nil || parts == 1 {
		return w.take(s, stop)
	}
	t.mutex.Lock()
	t.open = append(t.open, w)
	t.notify()
	t.mutex.Unlock()
	err := w.take(s, stop)
	t.mutex.Lock()
	for i, other := range t.open {
		if other == w {
			last := len(t.open) - 1
			t.open[i], t.open[last] = t.open[last], nil
			t.open = t.open[:last]
			break
		}
	}
	for w.helpers > 0 {
		t.wait()
	}
	t.mutex.Unlock()
	return err
}

// take does parts until none is left.
func (w *work) take(own *Scratch, stop func() bool) error {
	for {
		part := w.next.Add(1) - 1
		if part >= int64(w.parts) {
			return nil
		}
		if err := Stopped(stop); err != nil {
			w.next.Store(int64(w.parts))
			return err
		}
		w.step.do(w.lead, own, int(part))
	}
}
