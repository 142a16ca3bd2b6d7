package engine

import (
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// workgroup joins the workers of an executor to a call. No goroutine waits for a worker that
// sleeps: a worker that arrives after the call has ended does nothing.
type workgroup struct {
	team *trunk.Team

	mutex sync.Mutex
	left  sync.Cond
	call  *call // nil while no call can be helped
	// inside counts the helpers that have seen the call and may read it.
	inside int
}

// How often a goroutine that waits within a call polls before it sleeps. In a parked mood this
// takes about as long as sleeping and waking.
const (
	parkedLooks   = 1 << 8
	spinningLooks = 1 << 14
)

func newWorkgroup(mood abi.Mood) *workgroup {
	looks := parkedLooks
	if mood == abi.MoodSpinning {
		looks = spinningLooks
	}
	c := &workgroup{team: trunk.NewTeam(looks)}
	c.left.L = &c.mutex
	return c
}

// lead computes a call with the helpers that arrive. space is nil for [collective] work, which
// encodes nothing.
func (c *workgroup) lead(call *call, space *workspace, helpers []*worker) {
	if space != nil {
		space.scratchOf(call).Join(c.team)
	}
	c.mutex.Lock()
	c.call = call
	c.mutex.Unlock()
	for _, helper := range helpers {
		select {
		case helper.jobs <- job{}:
		default: // it was notified already
		}
	}
	call.compute(space)
	if space != nil {
		space.scratchOf(call).Help()
	}
	c.mutex.Lock()
	c.call = nil
	for c.inside > 0 {
		c.left.Wait()
	}
	c.mutex.Unlock()
}

// help computes slices or tasks of the call that is led at the moment.
func (c *workgroup) help(space *workspace) {
	c.mutex.Lock()
	call := c.call
	if call == nil {
		c.mutex.Unlock()
		return
	}
	c.inside++
	scratch := space.scratchOf(call)
	scratch.Join(c.team)
	c.mutex.Unlock()
	call.compute(space)
	scratch.Help()
	c.mutex.Lock()
	if c.inside--; c.inside == 0 {
		c.left.Signal()
	}
	c.mutex.Unlock()
}
