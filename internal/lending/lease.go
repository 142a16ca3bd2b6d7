package lending

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
)

// Lease is an arena lent to one call. It ends with End. It belongs to the goroutine that makes the
// call.
type Lease struct {
	arena    *Arena
	previous uint64
	current  uint64
}

// Begin lends the arena to a call of verb. From then on earlier outputs are stale. While another
// call holds the arena, or a reader pins it, Begin fails as contended and changes nothing.
func (a *Arena) Begin(verb string) (Lease, error) {
	if !a.handle.BeginCall() {
		return Lease{}, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("arena"))
	}
	if err := a.lend(); err != nil {
		a.handle.EndCall()
		return Lease{}, errors.New(verb, errors.ErrContended, errors.NoItem, err)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	lease := Lease{arena: a, previous: a.current, current: a.last + 1}
	a.last, a.current = lease.current, lease.current
	return lease, nil
}

// lend marks the arena as lent. The call that holds it may be final although nobody waited for it,
// as when its executor was drained.
func (a *Arena) lend() error {
	for {
		holder, err := a.tryLend()
		if err == nil || holder == nil || !holder.SettleFinal() {
			return err
		}
	}
}

// tryLend returns also the deferred call that holds the arena, if one does.
func (a *Arena) tryLend() (Settler, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch {
	case a.lent:
		return a.holder, errLent
	case a.pins > 0:
		return nil, errPinned
	}
	a.lent = true
	return nil, nil
}

// Finish waits for the deferred call that holds the arena, if one does, and reports what still
// keeps the next call from it: a blocking call, or a reader.
func (a *Arena) Finish() (lent, pinned bool) {
	for {
		a.mutex.Lock()
		holder := a.holder
		lent, pinned = a.lent, a.pins > 0
		a.mutex.Unlock()
		if holder == nil {
			return lent, pinned
		}
		holder.Finish()
	}
}

// Arena is the library's handle, for the argument struct.
func (l Lease) Arena() abi.Arena { return l.arena.handle.Value() }

// Track adds a call that holds the arena, or is about to, so that Close finds it.
func (a *Arena) Track(call handle.Call) { a.handle.Track(call) }

// Untrack removes it again.
func (a *Arena) Untrack(call handle.Call) { a.handle.Untrack(call) }

// Hold extends the lease until settler is settled. It must not have ended.
func (l Lease) Hold(settler Settler) {
	l.arena.mutex.Lock()
	defer l.arena.mutex.Unlock()
	if l.arena.lent && l.arena.current == l.current {
		l.arena.holder = settler
	}
}

// Written is how many bytes of outputs the lease's call left, and whether that is more than the
// arena ever held before, so that it had to grow. For the zero Lease both are zero.
func (l Lease) Written() (bytes int, grew bool) {
	a := l.arena
	if a == nil {
		return 0, false
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.filled != l.current {
		return 0, false
	}
	return a.written(), a.grown == l.current
}

// Refuse records that the library refused the call without touching the arena: earlier outputs stay
// valid.
func (l Lease) Refuse() {
	l.arena.mutex.Lock()
	defer l.arena.mutex.Unlock()
	l.arena.current = l.previous
}

// End gives the arena back.
func (l Lease) End() {
	l.arena.mutex.Lock()
	l.arena.lent, l.arena.holder = false, nil
	l.arena.mutex.Unlock()
	l.arena.handle.EndCall()
}
