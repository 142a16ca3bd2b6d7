package nearest

import (
	"context"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

const (
	// pieceBytes is how much a goroutine takes at once, and between two looks at the context.
	pieceBytes = 1 << 20
	// blockBytes stay in a core's second cache while all queries of a batch pass over them.
	blockBytes = 128 << 10
)

// search is one search. Its memory serves the next.
type search struct {
	index   *Index
	ctx     context.Context
	rows    snapshot
	k       int
	threads int
	filter  func(uint64) bool

	questions []question // of which there are asked
	asked     int
	pieces    []piece
	scanners  []*scanner

	next    atomic.Int64 // the piece that is to be taken next
	stopped atomic.Bool
}

// piece is rows of a segment.
type piece struct{ segment, from, to int }

var searches = sync.Pool{New: func() any { return new(search) }}

// release gives the search's memory to the next.
func (s *search) release() {
	s.index, s.ctx, s.rows, s.filter = nil, nil, snapshot{}, nil
	for i := range s.questions {
		s.questions[i].query = nil
	}
	for _, scanner := range s.scanners {
		scanner.err, scanner.raised = nil, nil
	}
	s.asked = 0
	searches.Put(s)
}

// ask adds a question.
func (s *search) ask(query []float32) {
	if s.asked == len(s.questions) {
		s.questions = append(s.questions, question{})
	}
	s.questions[s.asked].set(query)
	s.asked++
}

// run answers the questions.
func (s *search) run() error {
	s.next.Store(0)
	s.stopped.Store(false)
	s.pieces = s.pieces[:0]
	most := max(1, pieceBytes/s.index.rowBytes())
	for i := range s.rows.segments {
		count := s.rows.count(i)
		for from := 0; from < count && s.k > 0; from += most {
			s.pieces = append(s.pieces, piece{i, from, min(from+most, count)})
		}
	}
	threads := max(1, min(s.threads, len(s.pieces)))
	for len(s.scanners) < threads {
		s.scanners = append(s.scanners, new(scanner))
	}
	for _, scanner := range s.scanners[:threads] {
		scanner.begin(s)
	}
	if threads > 1 {
		var group sync.WaitGroup
		for _, scanner := range s.scanners[1:threads] {
			group.Go(scanner.scan)
		}
		s.scanners[0].scan()
		group.Wait()
	} else {
		s.scanners[0].scan()
	}
	for _, scanner := range s.scanners[:threads] {
		if scanner.raised != nil {
			panic(scanner.raised)
		}
		if scanner.err != nil {
			return scanner.err
		}
	}
	if s.ctx.Err() != nil {
		return errors.New(verbSearch, errors.ErrCancelled, errors.NoItem, context.Cause(s.ctx))
	}
	for i := range s.asked {
		found := &s.scanners[0].tops[i].best
		for _, scanner := range s.scanners[1:threads] {
			for _, m := range scanner.tops[i].matches {
				found.add(m)
			}
		}
		found.sort()
		if s.index.metric == Euclidean {
			for j := range found.matches {
				found.matches[j].Score = -found.matches[j].Score
			}
		}
	}
	return nil
}

// matches are the answer to question i, until the search is released.
func (s *search) matches(i int) []Match { return s.scanners[0].tops[i].matches }

// top is what a goroutine found for one question.
type top struct {
	best
	unlikely
}

// scanner is the part of a search that one goroutine does.
type scanner struct {
	search   *search
	tops     []top
	products []float32
	row      []float32
	err      error
	raised   any
}

func (c *scanner) begin(s *search) {
	c.search = s
	for len(c.tops) < s.asked {
		c.tops = append(c.tops, top{})
	}
	for i := range s.asked {
		t := &c.tops[i]
		t.best = best{matches: t.matches[:0], most: s.k}
		t.unlikely = newUnlikely(s.index.metric, s.index.columns, s.questions[i].norm)
	}
	if cap(c.row) < s.index.columns {
		c.row = make([]float32, s.index.columns)
	}
	c.row = c.row[:s.index.columns]
}

// scan takes pieces until there are none.
func (c *scanner) scan() {
	s := c.search
	defer func() {
		if c.err != nil || c.raised != nil {
			s.stopped.Store(true)
		}
	}()
	defer s.index.shield(verbSearch, &c.err, &c.raised, debug.SetPanicOnFault(true))
	for {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.pieces) || s.stopped.Load() || s.ctx.Err() != nil {
			return
		}
		c.piece(s.pieces[i])
	}
}

// piece compares all queries with the rows of a piece, block by block.
func (c *scanner) piece(p piece) {
	x := c.search.index
	segment := &c.search.rows.segments[p.segment]
	most := max(4, min(blockBytes/x.rowBytes(), 1<<12))
	if cap(c.products) < most {
		c.products = make([]float32, most)
	}
	for from := p.from; from < p.to; from += most {
		to := min(from+most, p.to)
		values := segment.values[from*x.rowBytes() : to*x.rowBytes()]
		products := c.products[:to-from]
		for i := range c.search.asked {
			x.dots(products, values, c.search.questions[i].unit)
			c.choose(&c.tops[i], &c.search.questions[i], segment, from, products)
		}
	}
}

// dots multiplies a query with rows that lie end to end. Rows of i8 are not scaled.
func (x *Index) dots(products []float32, rows []byte, query []float32) {
	switch x.scalar {
	case abi.ScalarF32:
		kernel.DotsF32(products, rows, query)
	case abi.ScalarF16:
		kernel.DotsF16(products, rows, query)
	case abi.ScalarI8:
		kernel.DotsI8(products, rows, query)
	}
}

// choose adds rows to the best for a question: the rows that begin at from, with these products.
func (c *scanner) choose(t *top, q *question, s *segment, from int, products []float32) {
	norms, scales := s.norms[4*from:], s.scales
	if scales != nil {
		scales = scales[4*from:]
	}
	for i, product := range products {
		row := from + i
		if scales != nil {
			product *= floatAt(scales, i)
		}
		if t.excludes(product, floatAt(norms, i)) || s.isGone(row) {
			continue
		}
		key := s.key(row)
		if c.search.filter != nil && !c.search.filter(key) {
			continue
		}
		c.search.index.widen(c.row, s, row)
		score := q.score(c.search.index.metric, c.row)
		if math.IsNaN(score) || math.IsInf(score, 0) {
			continue // a row of a damaged file
		}
		if t.add(Match{key, score}); t.full() {
			t.raise(t.matches[0].Score)
		}
	}
}
