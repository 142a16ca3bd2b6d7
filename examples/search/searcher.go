package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// searcher answers queries.
type searcher struct {
	encoder *encoder
	index   *index
	// exact is the same index in 32-bit floats, where index is not.
	exact *index
	k     int
	out   io.Writer
}

// answer prints the best matches of a query.
func (s *searcher) answer(ctx context.Context, query command.Text) error {
	best, err := s.search(ctx, s.index, query)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s\n", query.Content)
	for _, m := range best {
		l := s.index.lines[m.line]
		fmt.Fprintf(&text, "%7.3f  %s  (%s)\n", m.score, l.Content, l.Place())
	}
	if s.exact != nil {
		exact, err := s.search(ctx, s.exact, query)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "         %s\n", compare(best, exact, len(s.index.lines), s.index.scalar))
	}
	_, err = s.out.Write(append(text.Bytes(), '\n'))
	return err
}

func (s *searcher) search(ctx context.Context, x *index, query command.Text) ([]match, error) {
	embedding, err := s.encoder.encode(ctx, nil, []command.Text{query}, x.scalar)
	if err != nil {
		return nil, err
	}
	return x.nearest(embedding, s.k), nil
}

// compare describes how a ranking in scalar, of a number of lines, agrees with the exact one of the
// same length.
func compare(ranking, exact []match, lines int, scalar uform.Scalar) string {
	kept, furthest := 0, float32(0)
	same := "another order"
	for _, m := range ranking {
		i := slices.IndexFunc(exact, func(e match) bool { return e.line == m.line })
		if i < 0 {
			continue
		}
		kept++
		furthest = max(furthest, m.score-exact[i].score, exact[i].score-m.score)
	}
	if slices.EqualFunc(ranking, exact, func(a, b match) bool { return a.line == b.line }) {
		same = "the same order"
	}
	if len(exact) == lines { // rankings of all lines always have the same lines
		return fmt.Sprintf("%v against f32: %s; scores differ by up to %.4f", scalar, same, furthest)
	}
	return fmt.Sprintf("%v against f32: %d of the best %d are the same, in %s; scores differ by up to %.4f",
		scalar, kept, len(exact), same, furthest)
}
