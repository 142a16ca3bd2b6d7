package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/unum-cloud/uform-go/uform"
)

// story is the sequence of events, one line each.
type story struct {
	model *uform.Model
	out   io.Writer
	trace io.Writer  // receives progress, if it is not nil
	quick uform.Tape // the texts of the call of this name
	// unwritten is the first error of writing to out.
	unwritten error
}

// The causes of cancelled calls. The calls' errors wrap them.
var (
	errLost   = errors.New("quick finished first")
	errEnough = errors.New("the handler wants no more")
)

func (s *story) play(ctx context.Context) error {
	// An executor has one call at a time, so each concurrent call needs one. With a thread of its
	// own a call advances while no goroutine waits for it.
	near, err := newPlace(s.model, &uform.ExecutorOptions{Threads: 1})
	if err != nil {
		return err
	}
	defer near.close()
	far, err := newPlace(s.model, &uform.ExecutorOptions{Threads: 1})
	if err != nil {
		return err
	}
	defer far.close()
	if err := s.race(ctx, near, far); err != nil {
		return err
	}
	if err := s.handler(ctx, far); err != nil {
		return err
	}
	return s.held(ctx)
}

// race runs a short call and a very long one concurrently. The first that is final stops the other
// through its context.
func (s *story) race(ctx context.Context, near, far *place) error {
	// The context of a call governs its work, and the cause of its cancellation becomes the call's.
	longer, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	endless, err := s.submit(longer, far, "endless", texts(20_000, strings.Repeat("on and on ", 40)), nil)
	if err != nil {
		return err
	}
	// A head start, so that the long call is running whatever else the machine does.
	select {
	case <-endless.begun:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	quick, err := s.submit(ctx, near, "quick", s.quick, nil)
	if err != nil {
		return err
	}
	// The executor does not queue.
	if _, err := far.model.TextEncode(ctx, uform.Strings([]string{"and me?"}), far.arena, nil); errors.Is(err, uform.ErrContended) {
		s.log("endless", "holds its executor: a second call there is refused as contended")
	} else {
		return fmt.Errorf("a second call on a busy executor: %w", err)
	}

	// A nil channel is never ready, so a final call drops out of the select.
	quickDone, endlessDone := quick.call.Done(), endless.call.Done()
	for quickDone != nil || endlessDone != nil {
		select {
		case <-quickDone:
			quickDone = nil
			if err := s.conclude(ctx, quick); err != nil {
				return err
			}
			if endlessDone != nil {
				s.log("endless", "is cancelled")
				stop(errLost)
			}
		case <-endlessDone:
			endlessDone = nil
			if err := s.conclude(ctx, endless); err != nil {
				return err
			}
		case <-ctx.Done():
			// The calls have the same context and stop by themselves. Closing their places waits
			// for that.
			return context.Cause(ctx)
		}
	}
	return nil
}

// handler stops a call from its progress handler. The executor and the arena of a stopped call
// serve the next one.
func (s *story) handler(ctx context.Context, at *place) error {
	picky, err := s.submit(ctx, at, "picky", texts(1000, "a text of some length, and then some"), func(finished, total int) error {
		if finished >= total/10 {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.conclude(ctx, picky)
}

// held submits to an executor whose one thread is the caller's: a call makes no progress there
// until a goroutine waits for it.
func (s *story) held(ctx context.Context) error {
	at, err := newPlace(s.model, &uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		return err
	}
	defer at.close()
	patient, err := s.submit(ctx, at, "patient", texts(8, "no hurry"), nil)
	if err != nil {
		return err
	}
	if errors.Is(patient.call.Status(), uform.ErrDeferred) {
		s.log("patient", "has not begun: no goroutine waits for it")
	}
	return s.conclude(ctx, patient) // Wait advances the call, as Done would
}

func (s *story) log(name, format string, values ...any) {
	if _, err := fmt.Fprintf(s.out, "%-8s %s\n", name, fmt.Sprintf(format, values...)); err != nil && s.unwritten == nil {
		s.unwritten = err
	}
}

// texts returns n texts with the same beginning.
func texts(n int, text string) (batch uform.Tape) {
	for i := range n {
		batch.AppendString(fmt.Sprintf("%s %d", text, i))
	}
	return batch
}
