package engine

import (
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

// crew is how the workers of an executor come together for a call. Nobody waits for a worker that sleeps: one that comes when the
// call is over, finds it gone.
type crew struct {
	team *model.Team

	mutex sync.Mutex
	left  sync.Cond
	call  *call // nil where there is nothing to help with
	// inside counts the helpers that have seen the call, and may look at it.
	inside int
}

// A goroutine that waits within a call looks so often for news before it sleeps: in a parked mood for about as long as
// sleeping and waking takes.
const (
	parkedLooks   = 1 << 8
	spinningLooks = 1 << 14
)

func newCrew(mood abi.Mood) *crew {
	looks := parkedLooks
	if mood == abi.MoodSpinning {
		looks = spinningLooks
	}
	c := &crew{team: model.NewTeam(looks)}
	c.left.L = &c.mutex
	return c
}

// lead computes a call with the helpers that come. Where it conducts, there is nothing to encode, and space is nil.
func (c *crew) lead(call *call, space *workspace, helpers []*worker) {
	if space != nil {
		space.scratch.Join(c.team)
	}
	c.mutex.Lock()
	c.call = call
	c.mutex.Unlock()
	for _, helper := range helpers {
		select {
		case helper.jobs <- job{}:
		default: // it has been asked already
		}
	}
	call.compute(space)
	if space != nil {
		space.scratch.Help()
	}
	c.mutex.Lock()
	c.call = nil
	for c.inside > 0 {
		c.left.Wait()
	}
	c.mutex.Unlock()
}

// help computes with whoever leads.
func (c *crew) help(space *workspace) {
	c.mutex.Lock()
	call := c.call
	if call == nil {
		c.mutex.Unlock()
		return
	}
	c.inside++
	space.scratch.Join(c.team)
	c.mutex.Unlock()
	call.compute(space)
	space.scratch.Help()
	c.mutex.Lock()
	if c.inside--; c.inside == 0 {
		c.left.Signal()
	}
	c.mutex.Unlock()
}
