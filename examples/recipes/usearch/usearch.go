//go:build linux || darwin

// Package usearch opens USearch's C library at run time, without cgo, and lets it read rows of an
// arena where they are: the address, the stride, the columns and the kind of scalars that Rows have
// are the arguments that USearch takes.
//
// It has what shows that, the exact search and an index, and is made to be copied. ci/usearch.sh
// builds the library from its source package.
package usearch

import (
	"fmt"

	"github.com/ebitengine/purego"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// Metric is usearch_metric_kind_t.
type Metric int32

// The metrics that vectors of length 1 are compared by. A distance is 1 less the similarity. The
// inner product of i8 is that of the integers, 127 × 127 times as large. It is the one to take for
// them: USearch 2.26.2, built without NumKong as here, says that rows of i8 are equal where their
// product is 0.
const (
	Cosine       Metric = 1
	InnerProduct Metric = 2
)

// Match is a row that was found: its key, or its number, and its distance to the query.
type Match struct {
	Key      uint64
	Distance float32
}

// Library is USearch's C library. Goroutines may share it. It stays open until the process ends.
type Library struct {
	version func() string
	init    func(options *Options, err *uintptr) uintptr
	free    func(index uintptr, err *uintptr)
	reserve func(index, capacity uintptr, err *uintptr)
	add     func(index uintptr, key uint64, vector uintptr, kind uform.Scalar, err *uintptr)
	search  func(index, query uintptr, kind uform.Scalar, count uintptr, keys *uint64, distances *float32, err *uintptr) uintptr
	exact   func(rows, rowCount, rowStride, queries, queryCount, queryStride uintptr,
		kind uform.Scalar, dimensions uintptr, metric Metric, count, threads uintptr,
		keys *uint64, keysStride uintptr, distances *float32, distancesStride uintptr, err *uintptr)
}

// Open opens the C library at a path.
func Open(path string) (*Library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("open USearch: %w", err)
	}
	l := new(Library)
	for name, function := range map[string]any{
		"usearch_version": &l.version, "usearch_init": &l.init, "usearch_free": &l.free, "usearch_reserve": &l.reserve,
		"usearch_add": &l.add, "usearch_search": &l.search, "usearch_exact_search": &l.exact,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("open USearch: %w", err)
		}
		purego.RegisterFunc(function, symbol)
	}
	return l, nil
}

// Version is the library's version.
func (l *Library) Version() string { return l.version() }

// ExactOptions say how rows are compared.
type ExactOptions struct {
	// Metric is 0 for [Cosine].
	Metric Metric
	// Columns is how many of each row's columns are compared, the first ones; 0 means all. The rest
	// is stepped over by the stride.
	Columns int
	// Threads is how many threads compare; 0 means one for each core.
	Threads int
}

// Exact compares each query with every row, and returns the nearest rows of each, the nearest one
// first. Rows and queries are read in place, and pinned meanwhile; both must have the same columns
// and kind of scalars. It calls usearch_exact_search.
func (l *Library) Exact(rows, queries uform.Rows, nearest int, options *ExactOptions) ([][]Match, error) {
	if options == nil {
		options = new(ExactOptions)
	}
	if rows.Columns() != queries.Columns() || rows.Scalar() != queries.Scalar() {
		return nil, fmt.Errorf("search exactly: the rows are %d %v each, the queries %d %v", rows.Columns(), rows.Scalar(), queries.Columns(), queries.Scalar())
	}
	metric, columns := options.Metric, options.Columns
	if metric == 0 {
		metric = Cosine
	}
	if columns == 0 {
		columns = rows.Columns()
	}
	nearest = min(nearest, rows.Len())
	if columns < 0 || columns > rows.Columns() || nearest < 0 || options.Threads < 0 {
		return nil, fmt.Errorf("search exactly: %d of %d columns, %d rows, %d threads", columns, rows.Columns(), nearest, options.Threads)
	}
	if nearest == 0 || queries.Len() == 0 {
		return make([][]Match, queries.Len()), nil
	}
	release, err := pinned(rows, queries)
	if err != nil {
		return nil, err
	}
	defer release()
	count := queries.Len() * nearest
	keys, distances := make([]uint64, count), make([]float32, count)
	var failure uintptr
	l.exact(rows.Data(), uintptr(rows.Len()), uintptr(rows.Stride()),
		queries.Data(), uintptr(queries.Len()), uintptr(queries.Stride()),
		rows.Scalar(), uintptr(columns), metric, uintptr(nearest), uintptr(options.Threads),
		&keys[0], uintptr(8*nearest), &distances[0], uintptr(4*nearest), &failure)
	if failure != 0 {
		return nil, fmt.Errorf("search exactly: %s", abi.TextAt(failure))
	}
	matches := make([][]Match, queries.Len())
	for i := range matches {
		matches[i] = matched(keys[i*nearest:(i+1)*nearest], distances[i*nearest:])
	}
	return matches, nil
}

// pinned keeps calls from overwriting rows until release is called.
func pinned(rows, queries uform.Rows) (release func(), err error) {
	first, err := rows.Pin()
	if err != nil {
		return nil, err
	}
	second, err := queries.Pin()
	if err != nil {
		first.Release()
		return nil, err
	}
	return func() { first.Release(); second.Release() }, nil
}

func matched(keys []uint64, distances []float32) []Match {
	matches := make([]Match, len(keys))
	for i, key := range keys {
		matches[i] = Match{key, distances[i]}
	}
	return matches
}
