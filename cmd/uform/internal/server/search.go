package server

import (
	"context"
	"encoding/json"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// Index has lines of text, and an index of their vectors, for the page's search box.
type Index struct {
	lines   []string
	vectors *nearest.Index
}

// NewIndex embeds the lines with the model that will serve first.
func NewIndex(ctx context.Context, model *uform.Model, lines []string) (*Index, error) {
	vectors, err := model.Embed(ctx, lines)
	if err != nil {
		return nil, err
	}
	description, err := model.Describe(ctx)
	if err != nil {
		return nil, err
	}
	index, err := nearest.New(&nearest.Options{Columns: description.EmbeddingColumns})
	if err != nil {
		return nil, err
	}
	keys := make([]uint64, len(lines))
	for i := range keys {
		keys[i] = uint64(i)
	}
	return &Index{lines: lines, vectors: index}, index.Add(keys, vectors)
}

// match is a line that was found.
type match struct {
	Score float64 `json:"score"`
	Line  int     `json:"line"` // from 1
	Text  string  `json:"text"`
}

// search returns the k lines that are nearest to a query, best first.
func (x *Index) search(ctx context.Context, query []float32, k int) ([]match, error) {
	found, err := x.vectors.Search(ctx, query, k, nil)
	matches := make([]match, 0, len(found))
	for _, one := range found {
		matches = append(matches, match{Score: one.Score, Line: int(one.Key) + 1, Text: x.lines[one.Key]})
	}
	return matches, err
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
	matches, err := s.options.Index.search(a.request.Context(), made.vectors[0], request.K)
	if err != nil {
		return nil, ofModel(err, "query")
	}
	return asJSON(map[string]any{"model": made.model, "matches": matches}), nil
}
