package nearest_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

var (
	scalars = []uform.Scalar{uform.F32, uform.F16, uform.I8}
	metrics = []nearest.Metric{nearest.Cosine, nearest.Dot, nearest.Euclidean}
)

// eachKind runs a test for every kind of rows and every metric.
func eachKind(t *testing.T, test func(t *testing.T, scalar uform.Scalar, metric nearest.Metric)) {
	for _, scalar := range scalars {
		for _, metric := range metrics {
			t.Run(fmt.Sprintf("%v/%v", scalar, metric), func(t *testing.T) { test(t, scalar, metric) })
		}
	}
}

func create(t testing.TB, columns int, scalar uform.Scalar, metric nearest.Metric) *nearest.Index {
	index, err := nearest.New(&nearest.Options{Columns: columns, Scalar: scalar, Metric: metric})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, index.Close()) })
	return index
}

// vectors returns random rows. Some are equal, or zero, or very long or very short, for which 32
// bits are not enough.
func vectors(random *rand.Rand, count, columns int) [][]float32 {
	rows := make([][]float32, count)
	for i := range rows {
		rows[i] = make([]float32, columns)
		factor := 1.0
		switch random.IntN(40) {
		case 0:
			if i > 0 {
				copy(rows[i], rows[random.IntN(i)])
				continue
			}
		case 1:
			continue
		case 2:
			factor = math.Pow(10, 8*random.Float64()-4)
		}
		for k := range rows[i] {
			rows[i][k] = float32(random.NormFloat64() * factor)
		}
	}
	return rows
}

// plain is the search of a plain loop in 64 bits.
func plain(t testing.TB, index *nearest.Index, query []float32, k int, filter func(uint64) bool) []nearest.Match {
	var found []nearest.Match
	for key := range index.Keys() {
		if filter != nil && !filter(key) {
			continue
		}
		row, err := index.AppendTo(nil, key)
		require.NoError(t, err)
		var dot, queries, squares, distance float64
		for i := range row {
			q, r := float64(query[i]), float64(row[i])
			dot += q * r
			queries += q * q
			squares += r * r
			distance += float64((q - r) * (q - r))
		}
		m := nearest.Match{Key: key, Score: dot}
		switch index.Metric() {
		case nearest.Euclidean:
			m.Score = math.Sqrt(distance)
		case nearest.Cosine:
			m.Score = 0
			if queries > 0 && squares > 0 {
				m.Score = dot / (math.Sqrt(queries) * math.Sqrt(squares))
			}
		}
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b nearest.Match) int {
		scores := cmp.Compare(b.Score, a.Score)
		if index.Metric() == nearest.Euclidean {
			scores = -scores
		}
		return cmp.Or(scores, cmp.Compare(a.Key, b.Key))
	})
	return found[:min(k, len(found))]
}

func keysFrom(first uint64, count int) []uint64 {
	keys := make([]uint64, count)
	for i := range keys {
		keys[i] = first + uint64(i)
	}
	return keys
}

// The scores are equal to the last bit, and so are the keys of equal scores.
func TestResultsAreThoseOfAPlainLoop(t *testing.T) {
	eachKind(t, func(t *testing.T, scalar uform.Scalar, metric nearest.Metric) {
		for _, shape := range []struct{ columns, count int }{{1, 300}, {2, 40}, {7, 900}, {64, 1000}, {100, 700}, {384, 1500}} {
			random := rand.New(rand.NewPCG(1, uint64(shape.columns)))
			index := create(t, shape.columns, scalar, metric)
			rows := vectors(random, shape.count, shape.columns)
			keys := keysFrom(0, shape.count)
			random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			require.NoError(t, index.Add(keys, rows))
			queries := append(vectors(random, 6, shape.columns), rows[3], make([]float32, shape.columns))
			for _, k := range []int{1, 10, shape.count + 1} {
				var want [][]nearest.Match
				for _, query := range queries {
					want = append(want, plain(t, index, query, k, nil))
				}
				for _, threads := range []int{0, 1, 3} {
					options := &nearest.SearchOptions{Threads: threads}
					got, err := index.SearchBatch(t.Context(), queries, k, options)
					require.NoError(t, err)
					require.Equal(t, want, got, "batch, %d columns, k %d, threads %d", shape.columns, k, threads)
					for i, query := range queries[:3] {
						got, err := index.Search(t.Context(), query, k, options)
						require.NoError(t, err)
						require.Equal(t, want[i], got)
					}
				}
			}
			even := func(key uint64) bool { return key%2 == 0 }
			got, err := index.Search(t.Context(), queries[0], 9, &nearest.SearchOptions{Filter: even})
			require.NoError(t, err)
			require.Equal(t, plain(t, index, queries[0], 9, even), got, "with a filter")
		}
	})
}

// Rows that differ by less than 32 bits can tell, and rows whose products leave the range of 32
// bits, are in the right order.
func TestScoresOfExtremes(t *testing.T) {
	const columns = 33
	random := rand.New(rand.NewPCG(2, 1))
	var rows [][]float32
	for _, factor := range []float32{1e-44, 1e-38, 1e-30, 1e-19, 1, 1e15, 1e19, 1e30, 1e38} {
		for _, row := range vectors(random, 50, columns) {
			for k := range row {
				row[k] = max(-2, min(2, row[k])) * factor
			}
			rows = append(rows, row)
		}
	}
	center := vectors(random, 1, columns)[0]
	for range 300 {
		row := slices.Clone(center)
		row[random.IntN(columns)] *= 1 + 0x1p-22*float32(random.IntN(9))
		rows = append(rows, row)
	}
	for _, scalar := range []uform.Scalar{uform.F32, uform.I8} {
		for _, metric := range metrics {
			index := create(t, columns, scalar, metric)
			require.NoError(t, index.Add(keysFrom(100, len(rows)), rows))
			for _, query := range append(rows[:40:len(rows)], center, rows[70], rows[130], rows[260], rows[310], rows[444]) {
				got, err := index.Search(t.Context(), query, 20, nil)
				require.NoError(t, err)
				require.Equal(t, plain(t, index, query, 20, nil), got, "%v %v", scalar, metric)
			}
		}
	}
}

// The kernels exclude nearly all rows, so the filter is called for few.
func TestFewRowsAreComparedExactly(t *testing.T) {
	eachKind(t, func(t *testing.T, scalar uform.Scalar, metric nearest.Metric) {
		random := rand.New(rand.NewPCG(3, 1))
		const count = 20000
		index := create(t, 64, scalar, metric)
		rows := make([][]float32, count)
		for i := range rows {
			rows[i] = make([]float32, 64)
			for k := range rows[i] {
				rows[i][k] = float32(random.NormFloat64())
			}
		}
		require.NoError(t, index.Add(keysFrom(0, count), rows))
		asked := 0
		_, err := index.Search(t.Context(), rows[7], 10, &nearest.SearchOptions{Threads: 1, Filter: func(uint64) bool { asked++; return true }})
		require.NoError(t, err)
		require.Less(t, asked, 400)
		require.GreaterOrEqual(t, asked, 10)
	})
}

func TestBadQueries(t *testing.T) {
	index := create(t, 3, uform.F32, nearest.Cosine)
	require.NoError(t, index.Add([]uint64{1}, [][]float32{{1, 2, 3}}))
	good := []float32{1, 0, 0}
	for name, test := range map[string]struct {
		query  []float32
		k      int
		status error
	}{
		"no match wanted": {good, 0, errors.ErrInvalidArgument},
		"short":           {good[:2], 1, errors.ErrShapeMismatch},
		"none":            {nil, 1, errors.ErrShapeMismatch},
		"not a number":    {[]float32{0, float32(math.NaN()), 0}, 1, errors.ErrMalformed},
		"infinite":        {[]float32{0, 0, float32(math.Inf(-1))}, 1, errors.ErrMalformed},
	} {
		_, err := index.Search(t.Context(), test.query, test.k, nil)
		require.ErrorIs(t, err, test.status, name)
		_, err = index.SearchBatch(t.Context(), [][]float32{good, test.query}, test.k, nil)
		require.ErrorIs(t, err, test.status, name)
		var failure *errors.Error
		require.ErrorAs(t, err, &failure)
		if test.k > 0 {
			require.Equal(t, 1, failure.Item, name)
		}
	}
	found, err := index.Search(t.Context(), good, 5, nil)
	require.NoError(t, err)
	require.Len(t, found, 1, "the index serves on")
	none, err := index.SearchBatch(t.Context(), nil, 5, nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestAnEmptyIndex(t *testing.T) {
	index := create(t, 3, uform.F32, nearest.Cosine)
	found, err := index.Search(t.Context(), []float32{1, 2, 3}, 5, nil)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Zero(t, index.Len())
}

func TestACancelledSearch(t *testing.T) {
	index := create(t, 256, uform.F32, nearest.Dot)
	random := rand.New(rand.NewPCG(4, 1))
	require.NoError(t, index.Add(keysFrom(0, 8000), vectors(random, 8000, 256)))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := fmt.Errorf("the user left")
	calls := new(atomic.Int64)
	_, err := index.Search(ctx, make([]float32, 256), 5, &nearest.SearchOptions{Filter: func(uint64) bool {
		if calls.Add(1) == 1 {
			cancel(why)
		}
		return false
	}})
	require.ErrorIs(t, err, errors.ErrCancelled)
	require.ErrorIs(t, err, why)
	require.Less(t, calls.Load(), int64(8000), "it ends soon")
	_, err = index.Search(ctx, make([]float32, 256), 5, nil)
	require.ErrorIs(t, err, errors.ErrCancelled)
}

func TestAPanicOfAFilterIsTheCallers(t *testing.T) {
	index := create(t, 256, uform.F32, nearest.Dot)
	random := rand.New(rand.NewPCG(5, 1))
	require.NoError(t, index.Add(keysFrom(0, 8000), vectors(random, 8000, 256)))
	for _, threads := range []int{1, 4} {
		require.PanicsWithValue(t, "filter", func() {
			_, _ = index.Search(t.Context(), make([]float32, 256), 5, &nearest.SearchOptions{Threads: threads, Filter: func(uint64) bool { panic("filter") }})
		})
	}
	_, err := index.Search(t.Context(), make([]float32, 256), 5, nil)
	require.NoError(t, err)
}

func TestClosingWhileSearching(t *testing.T) {
	index := create(t, 16, uform.F16, nearest.Cosine)
	random := rand.New(rand.NewPCG(7, 1))
	require.NoError(t, index.Add(keysFrom(0, 1000), vectors(random, 1000, 16)))
	inside, ended := make(chan bool), make(chan error, 1)
	var once atomic.Bool
	go func() {
		_, err := index.Search(context.Background(), make([]float32, 16), 5, &nearest.SearchOptions{Filter: func(uint64) bool {
			if once.CompareAndSwap(false, true) {
				inside <- true
				inside <- true
			}
			return true
		}})
		ended <- err
	}()
	<-inside
	closed := make(chan bool)
	go func() { index.Close(); close(closed) }()
	require.Eventually(t, func() bool {
		_, err := index.Search(t.Context(), make([]float32, 16), 5, nil)
		return err != nil
	}, 10*time.Second, time.Millisecond)
	select {
	case <-closed:
		t.Fatal("it was closed under a search")
	default:
	}
	<-inside
	require.NoError(t, <-ended)
	<-closed
	for _, err := range []error{
		index.Add([]uint64{1}, [][]float32{make([]float32, 16)}),
		index.Replace(nil, nil),
		second(index.Delete(nil)),
		index.Save(t.Context(), t.TempDir()+"/x"),
		second(index.AppendTo(nil, 1)),
		second(index.Search(t.Context(), nil, 1, nil)),
	} {
		require.ErrorIs(t, err, errors.ErrInvalidArgument)
		require.ErrorIs(t, err, errors.ErrClosed)
	}
	require.Zero(t, index.Len())
	require.False(t, index.Contains(1))
	for range index.Keys() {
		t.Fatal("a key of a closed index")
	}
	require.NoError(t, index.Close(), "twice")
	require.NoError(t, (*nearest.Index)(nil).Close())
	require.ErrorIs(t, (*nearest.Index)(nil).Add(nil, nil), errors.ErrInvalidArgument)
}

func second[T any](_ T, err error) error { return err }
