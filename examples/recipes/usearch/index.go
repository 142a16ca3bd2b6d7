//go:build linux || darwin

package usearch

import (
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// Options are usearch_init_options_t, field for field. Where a number is 0, USearch's own is taken.
type Options struct {
	Metric Metric
	_      uintptr // a metric of the program's own
	// Scalar is the kind that the index keeps vectors in. Rows of the same kind are copied as they
	// are, others converted.
	Scalar uform.Scalar
	// Columns is how many scalars a vector has.
	Columns uintptr
	// Connectivity is how many neighbours a vector is linked to; ExpansionAdd and ExpansionSearch
	// are how many candidates are looked at to add one and to search.
	Connectivity, ExpansionAdd, ExpansionSearch uintptr
	// Multi lets a key have many vectors.
	Multi bool
}

// Index is an HNSW graph of USearch. One goroutine at a time may use it. Its vectors are copies, so
// an arena may be used again once Add has returned.
type Index struct {
	library *Library
	handle  uintptr
	options Options
}

// NewIndex makes an index with room for so many vectors. It calls usearch_init and usearch_reserve.
func (l *Library) NewIndex(options Options, capacity int) (*Index, error) {
	i := &Index{library: l, options: options}
	var failure uintptr
	i.handle = l.init(&i.options, &failure)
	if failure == 0 {
		l.reserve(i.handle, uintptr(capacity), &failure)
	}
	if failure != 0 {
		err := fmt.Errorf("make an index: %s", abi.TextAt(failure))
		i.Close()
		return nil, err
	}
	return i, nil
}

// Add adds rows, with the keys first, first+1 and so on. USearch reads them in place. It calls
// usearch_add.
func (i *Index) Add(first uint64, rows uform.Rows) error {
	if rows.Columns() != int(i.options.Columns) {
		return fmt.Errorf("add to an index: rows of %d columns, where it has %d", rows.Columns(), i.options.Columns)
	}
	pin, err := rows.Pin()
	if err != nil {
		return err
	}
	defer pin.Release()
	var failure uintptr
	for row := range rows.Len() {
		i.library.add(i.handle, first+uint64(row), rows.Data()+uintptr(row*rows.Stride()), rows.Scalar(), &failure)
		if failure != 0 {
			return fmt.Errorf("add row %d to an index: %s", row, abi.TextAt(failure))
		}
	}
	return nil
}

// Search returns the nearest vectors to each query, the nearest one first. It calls usearch_search.
func (i *Index) Search(queries uform.Rows, nearest int) ([][]Match, error) {
	if queries.Columns() != int(i.options.Columns) || nearest < 1 {
		return nil, fmt.Errorf("search an index: queries of %d columns, where it has %d, for %d rows", queries.Columns(), i.options.Columns, nearest)
	}
	pin, err := queries.Pin()
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	matches := make([][]Match, queries.Len())
	keys, distances := make([]uint64, nearest), make([]float32, nearest)
	for query := range matches {
		var failure uintptr
		found := i.library.search(i.handle, queries.Data()+uintptr(query*queries.Stride()), queries.Scalar(), uintptr(nearest), &keys[0], &distances[0], &failure)
		if failure != 0 {
			return nil, fmt.Errorf("search an index for query %d: %s", query, abi.TextAt(failure))
		}
		matches[query] = matched(keys[:found], distances)
	}
	return matches, nil
}

// Close frees the index. Closing again is safe. It calls usearch_free.
func (i *Index) Close() {
	if i.handle != 0 {
		var failure uintptr
		i.library.free(i.handle, &failure)
		i.handle = 0
	}
}
