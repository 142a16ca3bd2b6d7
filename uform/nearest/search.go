package nearest

import (
	"context"
	"fmt"
	"runtime"

	"github.com/unum-cloud/uform-go/errors"
)

// SearchOptions say how to search. The zero value compares all rows.
type SearchOptions struct {
	// Filter returns whether the row with a key may be a match; nil takes all. It is called for
	// rows that would be among the best so far and not for others, in no order, and by several
	// goroutines at once unless Threads is 1. A panic of it is a panic of the search.
	Filter func(key uint64) bool
	// Threads is the largest number of goroutines that search, the calling one included. Zero is
	// GOMAXPROCS. A small index is searched by the calling goroutine alone.
	Threads int
	// Into is memory for the matches of [Index.Search], which overwrites it and appends to it as
	// append does. A loop that passes the last result allocates nothing with one thread.
	Into []Match
}

const verbSearch = "search"

// Search returns the k rows that are nearest to a query, best first, with smaller keys first among
// equal scores; fewer where the index or the filter has fewer. The query has the index's columns
// and need not have unit length.
//
// The result is that of a plain loop over the rows as they are stored, in 64 bits: it does not
// depend on the processor or on the number of goroutines. It sees the index as it was when it
// began.
//
// A k below one is [errors.ErrInvalidArgument], a query of another length
// [errors.ErrShapeMismatch], and one with a scalar that is no number [errors.ErrMalformed]. A
// search whose context ends is [errors.ErrCancelled].
func (x *Index) Search(ctx context.Context, query []float32, k int, options *SearchOptions) ([]Match, error) {
	s, err := x.prepare(ctx, k, options)
	if err != nil {
		return nil, err
	}
	defer x.end()
	defer s.release()
	if err := x.checkQuery(verbSearch, errors.NoItem, query); err != nil {
		return nil, err
	}
	s.ask(query)
	if err := s.run(); err != nil {
		return nil, err
	}
	var into []Match
	if options != nil {
		into = options.Into[:0]
	}
	return append(into, s.matches(0)...), nil
}

// SearchBatch searches for many queries in one pass over the rows, which takes much less time than
// a pass for each. It is otherwise [Index.Search] of each query; an error names the query at fault.
func (x *Index) SearchBatch(ctx context.Context, queries [][]float32, k int, options *SearchOptions) ([][]Match, error) {
	s, err := x.prepare(ctx, k, options)
	if err != nil {
		return nil, err
	}
	defer x.end()
	defer s.release()
	for i, query := range queries {
		if err := x.checkQuery(verbSearch, i, query); err != nil {
			return nil, err
		}
		s.ask(query)
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	found := make([][]Match, len(queries))
	for i := range found {
		found[i] = append([]Match(nil), s.matches(i)...)
	}
	return found, nil
}

// prepare begins a use of the index, and returns a search without questions.
func (x *Index) prepare(ctx context.Context, k int, options *SearchOptions) (*search, error) {
	if err := x.begin(verbSearch); err != nil {
		return nil, err
	}
	if k < 1 {
		x.end()
		return nil, errors.New(verbSearch, errors.ErrInvalidArgument, errors.NoItem, fmt.Errorf("k is %d: ask for one match or more", k))
	}
	s := searches.Get().(*search)
	s.index, s.ctx, s.rows = x, ctx, x.snapshot()
	s.k = min(k, s.rows.live)
	s.threads = runtime.GOMAXPROCS(0)
	if options != nil {
		s.filter = options.Filter
		if options.Threads > 0 {
			s.threads = options.Threads
		}
	}
	return s, nil
}
