package model

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Team is the goroutines that compute one call together, each with a [Scratch] that has joined it. A goroutine that has
// something of its own to encode works on that, and lets the others take parts of it; one that has not helps. Parts
// are rows, or heads, that no other part touches, and a part has the same bits whoever computes it: results do not depend on
// the team.
type Team struct {
	spins int

	mutex   sync.Mutex
	changed sync.Cond
	open    []*work // with parts that anybody may take
	busy    int     // goroutines with something of their own to do
	// idle counts those that help, or wait to.
	idle atomic.Int32
	// news counts what may concern those who wait: it is read without the mutex, to see whether that is worth taking.
	news atomic.Uint32
}

// NewTeam makes a team. A goroutine that waits for work of the others looks for it so many times before it sleeps: each is a
// fraction of a microsecond, in which other goroutines may run.
func NewTeam(spins int) *Team {
	t := &Team{spins: spins}
	t.changed.L = &t.mutex
	return t
}

// Join makes the goroutine that computes in s one of the team, and a busy one. It may be of no team before.
func (s *Scratch) Join(t *Team) {
	s.team = t
	t.mutex.Lock()
	t.busy++
	t.mutex.Unlock()
}

// Help takes parts of the others' work until nobody of the team is busy any more, and leaves the team.
func (s *Scratch) Help() {
	t := s.team
	t.idle.Add(1)
	t.mutex.Lock()
	if t.busy--; t.busy == 0 {
		t.tell()
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
			t.tell()
		}
	}
	t.mutex.Unlock()
	t.idle.Add(-1)
	s.team = nil
}

// hands is how many goroutines would compute what this one shares now.
func (s *Scratch) hands() int {
	if s.team == nil {
		return 1
	}
	return 1 + int(s.team.idle.Load())
}

// tell wakes those who wait. The mutex is held.
func (t *Team) tell() {
	t.news.Add(1)
	t.changed.Broadcast()
}

// wait waits for news. The mutex is held before and after, not meanwhile.
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

// pick is work with parts left, nil for none. The mutex is held.
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
	lead  *Scratch // of the goroutine whose batch it is
	parts int
	next  atomic.Int64
	// helpers are the others who may be at a part. The team's mutex guards it.
	helpers int
}

// share does all parts of s.work, together with whoever helps. stop is asked by this goroutine alone, before each of its parts.
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
	t.tell()
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
		if err := stopped(stop); err != nil {
			w.next.Store(int64(w.parts))
			return err
		}
		w.step.do(w.lead, own, int(part))
	}
}
