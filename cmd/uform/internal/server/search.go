package server

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/unum-cloud/uform-go/uform"
)

// Index has lines of text with their vectors, for the page's search box.
type Index struct {
	lines   []string
	vectors [][]float32
}

// NewIndex embeds the lines with the model that will serve first.
func NewIndex(ctx context.Context, model *uform.Model, lines []string) (*Index, error) {
	vectors, err := model.Embed(ctx, lines)
	return &Index{lines: lines, vectors: vectors}, err
}

// match is a line that was found.
type match struct {
	Score float64 `json:"score"`
	Line  int     `json:"line"` // from 1
	Text  string  `json:"text"`
}

// nearest returns the k lines that are nearest to a query, best first.
func (x *Index) nearest(query []float32, k int) []match {
	scored := make([]match, len(x.lines))
	for i, vector := range x.vectors {
		var sum float32
		for column, value := range vector {
			sum += value * query[column]
		}
		scored[i] = match{Score: float64(sum), Line: i + 1, Text: x.lines[i]}
	}
	slices.SortStableFunc(scored, func(a, b match) int { return cmp.Compare(b.Score, a.Score) })
	return scored[:min(k, len(scored))]
}

const mostMatches = 1000

// search answers {"query": …, "k": …}, where the query is an item as in /v1/embeddings.
func (s *Server) search(a *admission, body []byte) ([]byte, *refusal) {
	if s.options.Index == nil {
		return nil, refuse(unknownRoute, "", "there is nothing to search: serve with --index")
	}
	request := struct {
		Query json.RawMessage `json:"query"`
		K     int             `json:"k"`
	}{K: 10}
	if refused := fields(body, &request); refused != nil {
		return nil, refused
	}
	if request.K < 1 || request.K > mostMatches {
		return nil, refuse(invalid, "k", "k is %d: it is from 1 to %d", request.K, mostMatches)
	}
	asked := new(asking)
	if refused := asked.setItems("query", request.Query, true); refused != nil {
		return nil, refused
	}
	if !asked.single {
		return nil, refuse(invalid, "query", "query: it is one item, and no array")
	}
	made, refused := s.vectors(a, asked)
	if refused != nil {
		return nil, refused
	}
	return asJSON(map[string]any{"model": made.model, "matches": s.options.Index.nearest(made.vectors[0], request.K)}), nil
}
