package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// batch is the number of lines that are encoded in one call.
const batch = 1024

// encoder turns lines into rows of a matrix. One executor, one arena and one tape serve all of its
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

// encode appends the embeddings of lines to matrix, rounded to scalar and widened again. An error
// names the line at fault.
func (e *encoder) encode(ctx context.Context, matrix []float32, lines []command.Text, scalar uform.Scalar) ([]float32, error) {
	for len(lines) > 0 {
		now := lines[:min(batch, len(lines))]
		e.texts.Reset()
		for _, l := range now {
			e.texts.AppendString(l.Content)
		}
		encoded, err := e.on.TextEncode(ctx, e.texts, e.arena, &uform.TextOptions{Scalar: scalar})
		if failure := (*uform.Error)(nil); errors.As(err, &failure) && failure.Item >= 0 {
			return nil, fmt.Errorf("%s: %w", now[failure.Item].Place(), err)
		}
		if err != nil {
			return nil, err
		}
		e.cut += len(encoded.Cut)
		// The next call rewinds the arena, so the embeddings are copied: append does that.
		for _, row := range encoded.Embeddings.All() {
			matrix = append(matrix, row...)
			scaleToUnit(matrix[len(matrix)-len(row):])
		}
		lines = lines[len(now):]
	}
	return matrix, nil
}

// scaleToUnit gives a row unit length, so that products are similarities. Rows of UForm's own
// checkpoints have it already and stay as they are; those of a folder may have any.
func scaleToUnit(row []float32) {
	squares := 0.0
	for _, value := range row {
		squares += float64(value) * float64(value)
	}
	if squares == 0 || math.Abs(squares-1) < 0.1 {
		return
	}
	for i, value := range row {
		row[i] = float32(float64(value) / math.Sqrt(squares))
	}
}

// index encodes lines to search in.
func (e *encoder) index(ctx context.Context, lines []command.Text, scalar uform.Scalar) (*index, error) {
	e.cut = 0
	matrix, err := e.encode(ctx, nil, lines, scalar)
	if err != nil {
		return nil, err
	}
	return &index{lines: lines, scalar: scalar, columns: len(matrix) / len(lines), matrix: matrix}, nil
}
