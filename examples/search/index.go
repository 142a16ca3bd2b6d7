package main

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// index is the embeddings of lines, in one matrix with a row for each line. They are kept as 32-bit
// floats here, whatever kind they were rounded to; a real index would keep them in that kind.
type index struct {
	lines   []command.Text
	scalar  uform.Scalar
	columns int
	matrix  []float32
}

// String returns the index's size, computed as if rows were kept in their own kind.
func (x *index) String() string {
	width := map[uform.Scalar]int{uform.F32: 4, uform.F16: 2, uform.BF16: 2, uform.I8: 1}[x.scalar]
	return fmt.Sprintf("%d lines, %d columns of %v, %d bytes", len(x.lines), x.columns, x.scalar, len(x.matrix)*width)
}

// match is a line of the index and its cosine to a query.
type match struct {
	line  int
	score float32
}

// order sorts better matches first, and earlier lines first among equals.
func order(a, b match) int {
	switch {
	case a.score > b.score, a.score == b.score && a.line < b.line:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// nearest returns the k best matches of a query's embedding, best first. It scans every line, and
// keeps a heap of the best so far with the worst of them on top.
func (x *index) nearest(query []float32, k int) []match {
	best := make(worstFirst, 0, min(k, len(x.lines)))
	for i := range x.lines {
		row := x.matrix[i*x.columns : (i+1)*x.columns]
		m := match{line: i, score: product(query, row)}
		switch {
		case len(best) < k:
			heap.Push(&best, m)
		case order(m, best[0]) < 0:
			best[0] = m
			heap.Fix(&best, 0)
		}
	}
	slices.SortFunc(best, order)
	return best
}

// product returns the cosine of two rows of unit length.
func product(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// worstFirst is a heap of matches with the worst on top.
type worstFirst []match

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return order(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(m any)        { *h = append(*h, m.(match)) }
func (h *worstFirst) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}
