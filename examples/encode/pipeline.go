package main

import (
	"context"
	"errors"
	"io"

	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
)

// pipeline overlaps reading, encoding and writing, in bounded memory and in order.
//
//	reader ── batch ──▶ executor ── rows in one of two arenas ──▶ sink
//	   ▲────── empty ──────┘
//
// The executor has one call at a time. While it fills one arena, the rows of the call before are
// written from the other, and the reader fills the next batch. A deferred call copies its batch, so
// the batch can be filled again at once.
type pipeline struct {
	executor *uform.Executor
	model    uform.Deferred
	arenas   [2]*uform.Arena
	turn     int
	sink     sink
	bar      *bar

	// written counts the lines whose vectors were written, cut those of them that were longer than
	// the context, and lost the bytes that these lost.
	written, cut, lost int
	// byToken counts those that the library cut, since only it knows where a context of tokens
	// ends.
	byToken bool
}

// flight is a batch that is being encoded.
type flight struct {
	call      *deferred.Call[uform.Encoded]
	cut, lost int
}

func newPipeline(model *uform.Model, sink sink, bar *bar) (*pipeline, error) {
	executor, err := model.Library().NewExecutor(nil)
	if err != nil {
		return nil, err
	}
	p := &pipeline{executor: executor, model: model.Deferred(executor), sink: sink, bar: bar}
	for i := range p.arenas {
		if p.arenas[i], err = model.Library().NewArena(executor); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	return p, nil
}

// close waits for a call that was abandoned, then frees everything.
func (p *pipeline) close() error {
	err := p.executor.Close()
	for _, arena := range p.arenas {
		if arena != nil {
			err = errors.Join(err, arena.Close())
		}
	}
	return err
}

// run writes a vector for each line of lines, until there are no more, a line is at fault, or ctx
// ends. The vectors of the lines before that one are written.
func (p *pipeline) run(ctx context.Context, lines *reader) (fault error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errors.New("the pipeline is over"))
	empty, filled := make(chan *batch, 2), make(chan *batch)
	empty <- new(batch)
	empty <- new(batch)
	// A blocked read does not end with ctx, so the goroutine may outlive run. It shares nothing by
	// then.
	go lines.feed(ctx, empty, filled)

	var running *flight
	ended := false
	for filled != nil || running != nil {
		var next *batch
		select {
		case next = <-filled:
			if next == nil {
				filled = nil
			}
		case <-running.done():
			// No line to encode yet, but vectors to write.
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		finished, encoded, err := running.wait(ctx)
		if err != nil {
			return err
		}
		if running = nil; next != nil {
			if running, err = p.submit(ctx, next); err != nil {
				return err
			}
			ended = next.err != nil
			if !errors.Is(next.err, io.EOF) {
				fault = next.err
			}
			empty <- next
		}
		if finished == nil {
			continue
		}
		if err := p.write(finished, encoded); err != nil {
			return err
		}
		if running == nil {
			// No batch is in flight that would fill the buffer, so the reader of the output gets
			// what there is.
			if err := p.sink.flush(); err != nil {
				return err
			}
		}
	}
	if !ended {
		// The reading goroutine has noticed the end of ctx first: an incomplete output is no
		// success.
		return context.Cause(ctx)
	}
	return fault
}

// submit starts the encoding of a batch, in the arena that is not being written from. The batch can
// be reused afterwards. It returns nil for a batch without lines.
func (p *pipeline) submit(ctx context.Context, b *batch) (*flight, error) {
	if b.texts.Len() == 0 {
		return nil, nil
	}
	p.turn = 1 - p.turn
	call, err := p.model.TextEncode(ctx, b.texts, p.arenas[p.turn], &uform.TextOptions{Progress: p.bar.during(b)})
	if err != nil {
		return nil, err
	}
	return &flight{call: call, cut: b.cut, lost: b.lost}, nil
}

func (p *pipeline) write(f *flight, encoded uform.Encoded) error {
	if err := p.sink.write(encoded.Embeddings); err != nil {
		return err
	}
	if p.byToken {
		f.cut = max(f.cut, len(encoded.Cut))
		for _, cut := range encoded.Cut {
			f.lost += cut.Bytes
		}
	}
	p.written += encoded.Embeddings.Len()
	p.cut += f.cut
	p.lost += f.lost
	return nil
}

// done returns a channel that is closed when the call is final. Without a call it is nil, which a
// select never takes.
func (f *flight) done() <-chan struct{} {
	if f == nil {
		return nil
	}
	return f.call.Done()
}

// wait returns the flight and its result when it is final, or nil if there is none.
func (f *flight) wait(ctx context.Context) (*flight, uform.Encoded, error) {
	if f == nil {
		return nil, uform.Encoded{}, nil
	}
	encoded, err := f.call.Wait(ctx)
	return f, encoded, err
}
