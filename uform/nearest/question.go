package nearest

import (
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
)

// A search is exact, although the products of the kernels are rounded: a product and a bound on its
// error show that a row cannot be among the best, which holds for nearly all rows. The score of
// every other row is computed by a plain loop in 64 bits, and these scores alone decide. So results
// do not depend on the processor, the number of goroutines, or the other queries of a batch.

// question is a query, as all goroutines of a search see it.
type question struct {
	query []float32
	// unit is the query made to unit length, norm its length before that. A query of zeroes stays
	// one.
	unit []float32
	norm float64
}

// set makes a question of a query, which it keeps until the search ends.
func (q *question) set(query []float32) {
	q.query = query
	var squares float64
	for _, v := range query {
		squares += float64(v) * float64(v)
	}
	q.norm = math.Sqrt(squares)
	q.unit = append(q.unit[:0], query...)
	if q.norm > 0 {
		for i, v := range query {
			q.unit[i] = float32(float64(v) / q.norm)
		}
	}
}

// checkQuery returns the error of a query that the index cannot answer.
func (x *Index) checkQuery(verb string, item int, query []float32) error {
	if len(query) != x.columns {
		return errors.New(verb, errors.ErrShapeMismatch, item, fmt.Errorf("the query has %d columns, the index %d", len(query), x.columns))
	}
	for i, v := range query {
		if v-v != 0 {
			return errors.New(verb, errors.ErrMalformed, item, fmt.Errorf("column %d of the query is %v", i, v))
		}
	}
	return nil
}

// score is the exact score of a row: a plain loop in 64 bits. A larger one is better, so a distance
// is negated.
func (q *question) score(metric Metric, row []float32) float64 {
	if metric == Euclidean {
		var sum float64
		for i, v := range row {
			d := float64(q.query[i]) - float64(v)
			sum += float64(d * d) // the conversion keeps compilers from fusing
		}
		return -math.Sqrt(sum)
	}
	// Products of two f32 are exact in 64 bits, fused or not.
	var dot, squares float64
	for i, v := range row {
		dot += float64(q.query[i]) * float64(v)
		squares += float64(v) * float64(v)
	}
	if metric == Dot {
		return dot
	}
	if q.norm == 0 || squares == 0 {
		return 0
	}
	return dot / (q.norm * math.Sqrt(squares))
}

// unlikely tells rows that cannot be among the best from the others, which may.
type unlikely struct {
	metric Metric
	// norm is that of the query.
	norm float64
	// slack bounds how far the product of the unit query and a row in 32 bits may be from the exact
	// one, as a share of the row's norm: each of the sums rounds at most columns times; the rest is
	// for the rounding of the unit query, of the row's norm, and of the operations below.
	slack float32
	// share and least exclude rows by their product with the unit query: what is less than
	// share·norm + least is too little. most is what the square of a distance must not exceed.
	share, least float32
	most         float64
}

// Outside of these lengths of rows, 32 bits overflow, or lose too much below their range. Such rows
// are always compared exactly.
const (
	shortest = 0x1p-60
	longest  = 0x1p60
)

// newUnlikely excludes nothing yet.
func newUnlikely(metric Metric, columns int, norm float64) unlikely {
	return unlikely{
		metric: metric, norm: norm, slack: 1.01 * float32(columns+16) * 0x1p-24,
		least: float32(math.Inf(-1)), most: math.Inf(1),
	}
}

// raise takes the worst of the best scores so far, once there are enough of them.
func (u *unlikely) raise(worst float64) {
	switch u.metric {
	case Cosine:
		u.share, u.least = below(worst-float64(u.slack)), 0
	case Dot:
		// The quotient is not a number for a query of zeroes, which then excludes nothing.
		u.share, u.least = -u.slack, below(worst/u.norm)
	case Euclidean:
		u.most = worst*worst*(1+0x1p-35) + 0x1p-35*u.norm*u.norm
	}
}

// below is the f32 next below v.
func below(v float64) float32 { return math.Nextafter32(float32(v), float32(math.Inf(-1))) }

// excludes reports whether a row cannot be among the best: its norm, and its product with the unit
// query. Comparisons with what is not a number are false, so that such rows are compared exactly.
func (u *unlikely) excludes(product, norm float32) bool {
	if u.metric == Euclidean {
		return u.far(float64(product), float64(norm)) && norm >= shortest && norm <= longest
	}
	return product < u.share*norm+u.least && norm >= shortest && norm <= longest
}

// far reports whether a row is farther than the worst of the best.
func (u *unlikely) far(product, norm float64) bool {
	// |q−r|² = |q|² − 2·q·r + |r|², less what rounding may have added
	square := u.norm*u.norm - 2*u.norm*product + norm*norm
	return square-(2*u.norm*float64(u.slack)*norm+0x1p-22*norm*norm) > u.most
}
