package engine

import "github.com/unum-cloud/uform-go/abi"

// claims is embedded in every handle's object: its id, and a count of the calls that name it, from
// the check of their arguments until they are final. The library's mutex guards both.
type claims struct {
	id    uintptr
	named int
}

func (c *claims) claimed() *claims { return c }

// handle is an executor, an arena, a model or a trainer.
type handle interface {
	comparable
	claimed() *claims
}

// claim finds the object of an id and counts the caller among the calls that name it.
func claim[H handle](l *library, kind string, id uintptr) (object H, f *fault) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	object, found := find[H](&l.handles, id)
	switch {
	case id == 0:
		return object, missing(kind)
	case !found:
		return object, stale(kind)
	}
	object.claimed().named++
	return object, nil
}

// claimModel claims the handles that every verb of a model names.
func (c *call) claimModel(executorID abi.Executor, modelID abi.Model) *fault {
	m, f := claim[*loadedModel](c.library, "model", uintptr(modelID))
	if f != nil {
		return f
	}
	c.model = m
	if executorID == 0 {
		return nil
	}
	e, f := claim[*executor](c.library, "executor", uintptr(executorID))
	if f == nil {
		c.executor = e
	}
	return f
}

// claim claims the handles that every verb with an arena names.
func (c *call) claim(executorID abi.Executor, modelID abi.Model, arenaID abi.Arena) *fault {
	if f := c.claimModel(executorID, modelID); f != nil {
		return f
	}
	a, f := claim[*arena](c.library, "arena", uintptr(arenaID))
	if f == nil {
		c.arena = a
	}
	return f
}

// retire makes an id stale, then waits until no call names its object. It runs held calls itself.
// It returns the zero value for an id that is not of this library, or not of this kind.
func retire[H handle](l *library, id uintptr) (object H) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	object, found := find[H](&l.handles, id)
	if !found {
		return object
	}
	l.handles.remove(id)
	c := object.claimed()
	for c.named > 0 {
		if held := l.heldNaming(c); held != nil {
			l.advance(held)
		} else {
			l.changed.Wait()
		}
	}
	return object
}

// heldNaming returns a held call that names the handle, nil if there is none. The caller holds the
// mutex.
func (l *library) heldNaming(handle *claims) *call {
	for c := range l.held {
		if c.names(handle) {
			return c
		}
	}
	return nil
}

func missing(kind string) *fault {
	return refuse(abi.StatusInvalidArgument, "the %s is NULL", kind)
}

func stale(kind string) *fault {
	return refuse(abi.StatusInvalidArgument, "the %s is not one of this library's, or was freed", kind)
}

func tooMany() *fault {
	return refuse(abi.StatusOutOfMemory, "the library has no more handles: free some")
}
