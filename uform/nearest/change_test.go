package nearest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// Changes in any order leave what they would leave in a map, in RAM and over a file.
func TestChangesAreThoseOfAMap(t *testing.T) {
	for _, scalar := range scalars {
		t.Run(scalar.String(), func(t *testing.T) {
			const columns, steps = 5, 400
			random := rand.New(rand.NewPCG(11, 1))
			path := filepath.Join(t.TempDir(), "index")
			index := create(t, columns, scalar, nearest.Euclidean)
			want := make(map[uint64][]float32)
			for step := range steps {
				keys := make([]uint64, random.IntN(300))
				for i := range keys {
					keys[i] = random.Uint64N(3000)
				}
				slices.Sort(keys)
				keys = slices.Compact(keys)
				random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
				rows := vectors(random, len(keys), columns)
				switch random.IntN(3) {
				case 0:
					taken := slices.ContainsFunc(keys, func(key uint64) bool { return want[key] != nil })
					err := index.Add(keys, rows)
					require.Equal(t, taken, err != nil)
					if taken {
						continue
					}
				case 1:
					require.NoError(t, index.Replace(keys, rows))
				case 2:
					there := 0
					for _, key := range keys {
						if want[key] != nil {
							there++
						}
						delete(want, key)
					}
					deleted, err := index.Delete(append(keys, keys...))
					require.NoError(t, err)
					require.Equal(t, there, deleted)
					keys = nil
				}
				for i, key := range keys {
					want[key] = rows[i]
				}
				require.Equal(t, len(want), index.Len())
				if step%40 == 39 {
					same(t, index, want)
				}
				if step%100 == 99 {
					require.NoError(t, index.Save(t.Context(), path))
					opened, err := nearest.Open(path)
					require.NoError(t, err)
					same(t, opened, want)
					require.NoError(t, index.Close())
					index = opened
				}
			}
			require.NoError(t, index.Close())
		})
	}
}

// same requires that an index has these rows, as far as its kind can hold them, and finds them.
func same(t *testing.T, index *nearest.Index, want map[uint64][]float32) {
	t.Helper()
	keys := slices.Sorted(index.Keys())
	require.Len(t, keys, len(want))
	step := map[uform.Scalar]float64{uform.F16: 0x1p-11, uform.I8: 0.5 / 127}[index.Scalar()]
	for _, key := range keys {
		row, err := index.AppendTo(nil, key)
		require.NoError(t, err)
		require.NotNil(t, want[key], "key %d", key)
		require.True(t, index.Contains(key))
		var largest float64
		for _, v := range want[key] {
			largest = max(largest, math.Abs(float64(v)))
		}
		for k, v := range want[key] {
			require.InDelta(t, float64(v), float64(row[k]), 1.0001*step*largest+0x1p-24*min(1, step*1e9))
		}
	}
	require.False(t, index.Contains(1<<40))
	query := []float32{1, -1, 0, 0.5, 2}
	found, err := index.Search(t.Context(), query, 15, nil)
	require.NoError(t, err)
	require.Equal(t, plain(t, index, query, 15, nil), found)
}

func TestBadRowsChangeNothing(t *testing.T) {
	for name, test := range map[string]struct {
		scalar uform.Scalar
		keys   []uint64
		rows   [][]float32
		status error
		item   int
	}{
		"fewer rows":      {uform.F32, []uint64{1, 2}, [][]float32{{1, 2}}, errors.ErrInvalidArgument, errors.NoItem},
		"a key twice":     {uform.F32, []uint64{1, 2, 1}, [][]float32{{1, 2}, {1, 2}, {1, 2}}, errors.ErrInvalidArgument, 2},
		"a key there is":  {uform.F32, []uint64{1, 7}, [][]float32{{1, 2}, {1, 2}}, errors.ErrInvalidArgument, 1},
		"a short row":     {uform.F32, []uint64{1, 2}, [][]float32{{1, 2}, {1}}, errors.ErrShapeMismatch, 1},
		"not a number":    {uform.I8, []uint64{1, 2}, [][]float32{{1, 2}, {1, float32(math.NaN())}}, errors.ErrMalformed, 1},
		"infinite":        {uform.F32, []uint64{1}, [][]float32{{float32(math.Inf(1)), 0}}, errors.ErrMalformed, 0},
		"too large a f16": {uform.F16, []uint64{1}, [][]float32{{0, -65520}}, errors.ErrMalformed, 0},
	} {
		index := create(t, 2, test.scalar, nearest.Cosine)
		require.NoError(t, index.Add([]uint64{7}, [][]float32{{3, 4}}))
		err := index.Add(test.keys, test.rows)
		require.ErrorIs(t, err, test.status, name)
		var failure *errors.Error
		require.ErrorAs(t, err, &failure)
		require.Equal(t, test.item, failure.Item, name)
		require.Equal(t, 1, index.Len(), name)
		require.Equal(t, []uint64{7}, slices.Collect(index.Keys()), name)
		_, err = index.AppendTo(nil, 1)
		require.ErrorIs(t, err, errors.ErrInvalidArgument)
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		options *nearest.Options
		status  error
	}{
		{nil, errors.ErrInvalidArgument},
		{&nearest.Options{}, errors.ErrInvalidArgument},
		{&nearest.Options{Columns: -1}, errors.ErrInvalidArgument},
		{&nearest.Options{Columns: nearest.MostColumns + 1}, errors.ErrInvalidArgument},
		{&nearest.Options{Columns: 1, Metric: 3}, errors.ErrInvalidArgument},
		{&nearest.Options{Columns: 1, Metric: -1}, errors.ErrInvalidArgument},
		{&nearest.Options{Columns: 1, Scalar: uform.BF16}, errors.ErrUnsupported},
	} {
		_, err := nearest.New(test.options)
		require.ErrorIs(t, err, test.status, fmt.Sprint(test.options))
	}
	index := create(t, nearest.MostColumns, 0, nearest.Dot)
	require.Equal(t, uform.F32, index.Scalar())
	row := make([]float32, nearest.MostColumns)
	row[len(row)-1] = 3
	require.NoError(t, index.Add([]uint64{5}, [][]float32{row}))
	found, err := index.Search(t.Context(), row, 1, nil)
	require.NoError(t, err)
	require.Equal(t, []nearest.Match{{Key: 5, Score: 9}}, found)
}

func TestMetricsAsText(t *testing.T) {
	for _, metric := range metrics {
		text, err := metric.MarshalText()
		require.NoError(t, err)
		require.Equal(t, metric.String(), string(text))
		var read nearest.Metric
		require.NoError(t, read.UnmarshalText(text))
		require.Equal(t, metric, read)
	}
	_, err := nearest.Metric(9).MarshalText()
	require.Error(t, err)
	require.Equal(t, "9", nearest.Metric(9).String())
	require.Error(t, new(nearest.Metric).UnmarshalText([]byte("manhattan")))
}

// Rows that are replaced without end do not take more and more memory, and searches meanwhile see
// each key once, with one of its rows.
func TestSearchesDuringChanges(t *testing.T) {
	const columns, count = 8, 2000
	index := create(t, columns, uform.F32, nearest.Dot)
	row := func(factor float32) []float32 { return slices.Repeat([]float32{factor}, columns) }
	keys := keysFrom(0, count)
	rows := make([][]float32, count)
	for i := range rows {
		rows[i] = row(1)
	}
	require.NoError(t, index.Add(keys, rows))
	done := make(chan struct{})
	var group sync.WaitGroup
	for seed := range 2 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(12, uint64(seed)))
			for {
				select {
				case <-done:
					return
				default:
				}
				found, err := index.Search(t.Context(), row(1), count+10, &nearest.SearchOptions{Threads: 1 + random.IntN(3)})
				if err != nil || len(found) != count {
					t.Errorf("%d rows, %v", len(found), err)
					return
				}
				slices.SortFunc(found, func(a, b nearest.Match) int { return int(a.Key) - int(b.Key) })
				for i, m := range found {
					if m.Key != uint64(i) || m.Score != columns && m.Score != 2*columns {
						t.Errorf("match %d is %v", i, m)
						return
					}
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(13, 1))
	for round := range 150 {
		at := random.IntN(count - 400)
		factor := float32(1 + round%2)
		changed := make([][]float32, 400)
		for i := range changed {
			changed[i] = row(factor)
		}
		require.NoError(t, index.Replace(keys[at:at+400], changed))
	}
	close(done)
	group.Wait()
	require.Equal(t, count, index.Len())
}
