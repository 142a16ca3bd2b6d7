package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// batch is the number of lines that are encoded in one call.
const batch = 1024

// encoder turns lines into vectors. One executor, one arena and one tape serve all of its
// calls, so that many calls take no more memory than one.
type encoder struct {
	executor *uform.Executor
	on       uform.On
	arena    *uform.Arena
	texts    uform.Tape
	// cut counts the lines that were longer than the model's context.
	cut int
}

func newEncoder(model *uform.Model) (*encoder, error) {
	executor, err := model.Library().NewExecutor(nil)
	if err != nil {
		return nil, err
	}
	arena, err := model.Library().NewArena(executor)
	if err != nil {
		return nil, errors.Join(err, executor.Close())
	}
	return &encoder{executor: executor, on: model.On(executor), arena: arena}, nil
}

func (e *encoder) close() { e.arena.Close(); e.executor.Close() }

// encode returns the embeddings of lines. An error names the line at fault.
func (e *encoder) encode(ctx context.Context, lines []command.Text) (rows [][]float32, err error) {
	e.cut = 0
	for now := range slices.Chunk(lines, batch) {
		e.texts.Reset()
		for _, l := range now {
			e.texts.AppendString(l.Content)
		}
		encoded, err := e.on.TextEncode(ctx, e.texts, e.arena, nil)
		if failure := (*uform.Error)(nil); errors.As(err, &failure) && failure.Item >= 0 {
			return nil, fmt.Errorf("%s: %w", now[failure.Item].Place(), err)
		}
		if err != nil {
			return nil, err
		}
		e.cut += len(encoded.Cut)
		// The next call rewinds the arena, so the embeddings are copied.
		copied, err := encoded.Embeddings.Copy()
		if err != nil {
			return nil, err
		}
		rows = append(rows, copied...)
	}
	return rows, nil
}
