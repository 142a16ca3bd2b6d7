package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/collection"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// Index is what the page's search box and /search search.
type Index struct {
	// prompt is the name of the prompt that stands before queries of text, empty for the model's
	// own.
	prompt string
	search func(ctx context.Context, query []float32, k int) ([]match, error)
	close  func() error
}

// match is an item that was found: a line of the file that was given, or an item of a collection.
type match struct {
	Score float64 `json:"score"`
	Line  int     `json:"line,omitempty"` // from 1
	Item  string  `json:"item,omitempty"`
	Text  string  `json:"text"`
}

// NewIndex embeds the lines with the model that will serve first.
func NewIndex(ctx context.Context, model *uform.Model, lines []string) (*Index, error) {
	description, err := model.Describe(ctx)
	if err != nil {
		return nil, err
	}
	vectors, err := model.EmbedWith(ctx, lines, &uform.EmbedOptions{Prompt: collection.PromptFor(description, collection.Passages)})
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
	if err := index.Add(keys, vectors); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	search := func(ctx context.Context, query []float32, k int) ([]match, error) {
		found, err := index.Search(ctx, query, k, nil)
		matches := make([]match, 0, len(found))
		for _, one := range found {
			matches = append(matches, match{Score: one.Score, Line: int(one.Key) + 1, Text: lines[one.Key]})
		}
		return matches, err
	}
	return &Index{prompt: collection.PromptFor(description, collection.Queries), search: search, close: index.Close}, nil
}

// OpenIndex takes a collection, which the model that will serve first must have made. Closing the
// index closes it.
func OpenIndex(ctx context.Context, model *uform.Model, from *collection.Collection) (*Index, error) {
	description, err := model.Describe(ctx)
	if err != nil {
		return nil, err
	}
	if have := from.Vectors().Columns(); have != description.EmbeddingColumns {
		return nil, fmt.Errorf("the index has vectors of %d columns, and the model makes %d", have, description.EmbeddingColumns)
	}
	search := func(ctx context.Context, query []float32, k int) ([]match, error) {
		found, err := from.Search(ctx, query, k)
		matches := make([]match, 0, len(found))
		for _, one := range found {
			matches = append(matches, match{Score: one.Score, Item: one.Name, Text: one.Text})
		}
		return matches, err
	}
	return &Index{prompt: collection.PromptFor(description, collection.Queries), search: search, close: from.Close}, nil
}

// Close frees the index, once the server that has it is closed.
func (x *Index) Close() error { return x.close() }

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
	if asked.items[0].modality == uform.Text {
		asked.how.prompt = s.options.Index.prompt
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
