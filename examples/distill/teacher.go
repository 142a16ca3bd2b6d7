package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/unum-cloud/uform-go/uform"
)

// teacher turns texts into vectors, one for each, all of one width. The vectors are valid until the
// next call.
type teacher interface {
	embed(ctx context.Context, texts []string) ([][]float32, error)
	// batch is how many texts a call should have.
	batch() int
	close() error
}

// local is a model that this program loads.
type local struct {
	model    *uform.Model
	executor *uform.Executor
	arena    *uform.Arena
	tape     uform.Tape
	rows     [][]float32
}

func openLocal(ctx context.Context, library *uform.Library, path string) (_ *local, err error) {
	l := new(local)
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.model, err = library.Load(ctx, path, nil); err != nil {
		return nil, fmt.Errorf("the teacher: %w", err)
	}
	if l.executor, err = library.NewExecutor(&uform.ExecutorOptions{WithCaller: true}); err != nil {
		return nil, err
	}
	l.arena, err = library.NewArena(l.executor)
	return l, err
}

// A batch is short, so that an interrupt does not wait for long.
func (l *local) batch() int { return 256 }

func (l *local) embed(ctx context.Context, texts []string) ([][]float32, error) {
	l.tape.Reset()
	for _, text := range texts {
		l.tape.AppendString(text)
	}
	encoded, err := l.model.On(l.executor).TextEncode(ctx, l.tape, l.arena, nil)
	if err != nil {
		return nil, err
	}
	l.rows = l.rows[:0]
	for _, row := range encoded.Embeddings.All() {
		l.rows = append(l.rows, row)
	}
	return l.rows, encoded.Embeddings.Err()
}

func (l *local) close() error {
	return errors.Join(l.arena.Close(), l.executor.Close(), l.model.Close())
}

// isEndpoint reports whether a teacher's name is an address.
func isEndpoint(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// prefixed gives its teacher every text with a prefix, as models for retrieval expect.
type prefixed struct {
	teacher
	prefix string
}

func (p *prefixed) embed(ctx context.Context, texts []string) ([][]float32, error) {
	long := make([]string, len(texts))
	for i, text := range texts {
		long[i] = p.prefix + text
	}
	return p.teacher.embed(ctx, long)
}
