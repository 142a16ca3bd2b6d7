package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/uform"
)

// place is an executor for one call at a time, and an arena for its output.
type place struct {
	executor *uform.Executor
	model    uform.Deferred
	arena    *uform.Arena
}

func newPlace(model *uform.Model, options *uform.ExecutorOptions) (*place, error) {
	executor, err := model.Library().NewExecutor(options)
	if err != nil {
		return nil, err
	}
	arena, err := model.Library().NewArena(executor)
	if err != nil {
		return nil, errors.Join(err, executor.Close())
	}
	return &place{executor: executor, model: model.Deferred(executor), arena: arena}, nil
}

// close waits for a call that is still in flight.
func (p *place) close() {
	p.executor.Close()
	p.arena.Close()
}

// submitted is a call in flight.
type submitted struct {
	name string
	call *uform.Call[uform.Encoded]
	// finished and total are the last values passed to the progress handler, on any goroutine.
	finished, total atomic.Int64
	// begun is closed at the first call of the progress handler.
	begun chan struct{}
	first sync.Once
}

// submit starts a call whose progress handler records its values, and then calls more, if it is not
// nil.
func (s *story) submit(ctx context.Context, at *place, name string, batch uform.Tape, more uform.Handler) (*submitted, error) {
	c := &submitted{name: name, begun: make(chan struct{})}
	last := -1 // reports of a call never run at once
	listen := func(finished, total int) error {
		c.finished.Store(int64(finished))
		c.total.Store(int64(total))
		c.first.Do(func() { close(c.begun) })
		if s.trace != nil && finished != last {
			last = finished
			fmt.Fprintf(s.trace, "deferred: %s: %d of %d\n", name, finished, total)
		}
		if more != nil {
			return more(finished, total)
		}
		return nil
	}
	var err error
	c.call, err = at.model.TextEncode(ctx, batch, at.arena, &uform.TextOptions{Progress: listen})
	if err != nil {
		return nil, err
	}
	s.log(name, "is submitted: %d texts", batch.Len())
	return c, nil
}

// conclude waits for a call and reports how it ended. It returns an error if the story cannot
// continue.
func (s *story) conclude(ctx context.Context, c *submitted) error {
	encoded, err := c.call.Wait(ctx)
	progress := "partial"
	if total := c.total.Load(); total > 0 && c.finished.Load() == total {
		progress = "complete"
	}
	switch {
	case err == nil:
		rows := encoded.Embeddings
		s.log(c.name, "is final: %d embeddings of %d columns; progress: %s",
			rows.Len(), rows.Columns(), progress)
	case errors.Is(err, uform.ErrCancelled) && ctx.Err() == nil:
		// The error has the reason: it wraps the cause of the context or the error of the handler.
		s.log(c.name, "is final: %v; progress: %s", err, progress)
	default:
		return err
	}
	return nil
}
