package arena

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/abi/handle"
	"github.com/unum-cloud/uform-go/errors"
)

// Lease is an arena lent to one call. It ends with End.
type Lease struct {
	core     *core
	previous uint64
	current  uint64
}

// Begin lends the arena to a call of verb. From then on earlier outputs are stale. It fails as contended while another call
// holds the arena or a reader pins it, and changes nothing then.
func (a *Arena) Begin(verb string) (Lease, error) {
	c := a.core
	if !c.handle.BeginCall() {
		return Lease{}, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("arena"))
	}
	if err := c.lend(); err != nil {
		c.handle.EndCall()
		return Lease{}, errors.New(verb, errors.ErrContended, errors.NoItem, err)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	lease := Lease{core: c, previous: c.current, current: c.last + 1}
	c.last, c.current = lease.current, lease.current
	return lease, nil
}

// lend marks the arena as lent. The call that has it may be over without anybody having waited for it, as when its
// executor was drained.
func (c *core) lend() error {
	for {
		holder, err := c.tryLend()
		if err == nil || holder == nil || !holder.SettleFinal() {
			return err
		}
	}
}

// tryLend answers also who has the arena, where that is a deferred call.
func (c *core) tryLend() (Settler, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case c.lent:
		return c.holder, errLent
	case c.pins > 0:
		return nil, errPinned
	}
	c.lent = true
	return nil, nil
}

// Arena is the library's handle, for the argument struct.
func (l Lease) Arena() abi.Arena { return l.core.handle.Value() }

// Track names the call that holds the arena, so that Close finds it.
func (l Lease) Track(call handle.Call) { l.core.handle.Track(call) }

// Untrack forgets it again.
func (l Lease) Untrack(call handle.Call) { l.core.handle.Untrack(call) }

// Hold says that the lease goes on until settler is settled. It must not have ended.
func (l Lease) Hold(settler Settler) {
	l.core.mutex.Lock()
	defer l.core.mutex.Unlock()
	if l.core.lent && l.core.current == l.current {
		l.core.holder = settler
	}
}

// Refuse says that the library refused the call without touching the arena: earlier outputs hold as before.
func (l Lease) Refuse() {
	l.core.mutex.Lock()
	defer l.core.mutex.Unlock()
	l.core.current = l.previous
}

// End gives the arena back.
func (l Lease) End() {
	l.core.mutex.Lock()
	l.core.lent, l.core.holder = false, nil
	l.core.mutex.Unlock()
	l.core.handle.EndCall()
}
