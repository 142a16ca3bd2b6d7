package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
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
	embeddings, err := s.encoder.encode(ctx, []command.Text{query})
	if err != nil {
		return err
	}
	best, err := s.index.Search(ctx, embeddings[0], s.k, nil)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s\n", query.Content)
	for _, m := range best {
		l := s.index.lines[m.Key]
		fmt.Fprintf(&text, "%7.3f  %s  (%s)\n", m.Score, l.Content, l.Place())
	}
	if s.exact != nil {
		exact, err := s.exact.Search(ctx, embeddings[0], s.k, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "         %s\n", compare(best, exact, len(s.index.lines), s.index.Scalar()))
	}
	_, err = s.out.Write(append(text.Bytes(), '\n'))
	return err
}

// compare describes how a ranking in scalar, of a number of lines, agrees with the exact one of the
// same length.
func compare(ranking, exact []nearest.Match, lines int, scalar uform.Scalar) string {
	kept, furthest := 0, 0.0
	same := "another order"
	for _, m := range ranking {
		i := slices.IndexFunc(exact, func(e nearest.Match) bool { return e.Key == m.Key })
		if i < 0 {
			continue
		}
		kept++
		furthest = max(furthest, m.Score-exact[i].Score, exact[i].Score-m.Score)
	}
	if slices.EqualFunc(ranking, exact, func(a, b nearest.Match) bool { return a.Key == b.Key }) {
		same = "the same order"
	}
	if len(exact) == lines { // rankings of all lines always have the same lines
		return fmt.Sprintf("%v against f32: %s; scores differ by up to %.4f", scalar, same, furthest)
	}
	return fmt.Sprintf("%v against f32: %d of the best %d are the same, in %s; scores differ by up to %.4f",
		scalar, kept, len(exact), same, furthest)
}
