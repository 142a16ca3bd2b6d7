package nearest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// stored returns the file of an index.
func stored(t testing.TB, index *nearest.Index) []byte {
	path := filepath.Join(t.TempDir(), "index")
	require.NoError(t, index.Save(t.Context(), path))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

func small(t testing.TB, scalar uform.Scalar, metric nearest.Metric) *nearest.Index {
	index := create(t, 3, scalar, metric)
	require.NoError(t, index.Add([]uint64{9, 2, 1 << 63}, [][]float32{{1, 2, 3}, {-1, 0.5, 0}, {0, 0, 0}}))
	return index
}

func TestSavedAndOpened(t *testing.T) {
	eachKind(t, func(t *testing.T, scalar uform.Scalar, metric nearest.Metric) {
		random := rand.New(rand.NewPCG(21, 1))
		for _, count := range []int{0, 1, 63, 64, 65, 1000} {
			index := create(t, 17, scalar, metric)
			rows := vectors(random, count, 17)
			require.NoError(t, index.Add(keysFrom(5, count), rows))
			path := filepath.Join(t.TempDir(), "index")
			require.NoError(t, index.Save(t.Context(), path))
			opened, err := nearest.Open(path)
			require.NoError(t, err)
			defer opened.Close()
			require.Equal(t, []any{17, scalar, metric, count}, []any{opened.Columns(), opened.Scalar(), opened.Metric(), opened.Len()})
			query := vectors(random, 1, 17)[0]
			want, err := index.Search(t.Context(), query, 10, nil)
			require.NoError(t, err)
			got, err := opened.Search(t.Context(), query, 10, nil)
			require.NoError(t, err)
			require.Equal(t, want, got)
			for i := range rows {
				before, err := index.AppendTo(nil, uint64(5+i))
				require.NoError(t, err)
				after, err := opened.AppendTo(nil, uint64(5+i))
				require.NoError(t, err)
				require.Equal(t, before, after)
			}
			require.Equal(t, stored(t, index), stored(t, opened), "equal indexes have equal files")
		}
	})
}

// An open index that was changed is saved to its own path, and goes on with its old file.
func TestSavedToItsOwnPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	require.NoError(t, small(t, uform.F16, nearest.Dot).Save(t.Context(), path))
	index, err := nearest.Open(path)
	require.NoError(t, err)
	defer index.Close()
	_, err = index.Delete([]uint64{2, 3})
	require.NoError(t, err)
	require.NoError(t, index.Replace([]uint64{9, 10}, [][]float32{{5, 5, 5}, {6, 6, 6}}))
	require.NoError(t, index.Save(t.Context(), path))
	again, err := nearest.Open(path)
	require.NoError(t, err)
	defer again.Close()
	for _, x := range []*nearest.Index{index, again} {
		found, err := x.Search(t.Context(), []float32{1, 1, 1}, 5, nil)
		require.NoError(t, err)
		require.Equal(t, []nearest.Match{{Key: 10, Score: 18}, {Key: 9, Score: 15}, {Key: 1 << 63, Score: 0}}, found)
		require.False(t, x.Contains(2))
	}
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// The file is the one that docs/nearest.md describes, byte for byte.
func TestTheFileIsAsDescribed(t *testing.T) {
	index := create(t, 2, uform.I8, nearest.Euclidean)
	require.NoError(t, index.Add([]uint64{300, 7}, [][]float32{{0, -254}, {127, 3}}))
	want := make([]byte, 64+4*64)
	copy(want, "uform-nn")
	le := binary.LittleEndian
	for at, v := range map[int]uint32{8: 1, 12: 4, 16: 2, 20: 2, 24: 2} {
		le.PutUint32(want[at:], v)
	}
	le.PutUint32(want[60:], crc32.Checksum(want[:60], crc32.MakeTable(crc32.Castagnoli)))
	le.PutUint64(want[64:], 7)
	le.PutUint64(want[72:], 300)
	le.PutUint32(want[128:], math.Float32bits(float32(math.Sqrt(127*127+3*3))))
	le.PutUint32(want[132:], math.Float32bits(254))
	le.PutUint32(want[192:], math.Float32bits(1))
	le.PutUint32(want[196:], math.Float32bits(2))
	copy(want[256:], []byte{127, 3, 0, 0x81})
	require.Equal(t, want, stored(t, index))
}

// resealed changes a file and makes its header's checksum right again.
func resealed(file []byte, change func(file []byte) []byte) []byte {
	file = change(slices.Clone(file))
	if len(file) >= 64 {
		binary.LittleEndian.PutUint32(file[60:], crc32.Checksum(file[:60], crc32.MakeTable(crc32.Castagnoli)))
	}
	return file
}

func TestFilesThatAreNoIndex(t *testing.T) {
	good := stored(t, small(t, uform.I8, nearest.Cosine))
	put32 := func(at int, v uint32) func([]byte) []byte {
		return func(file []byte) []byte { binary.LittleEndian.PutUint32(file[at:], v); return file }
	}
	put64 := func(at int, v uint64) func([]byte) []byte {
		return func(file []byte) []byte { binary.LittleEndian.PutUint64(file[at:], v); return file }
	}
	for name, test := range map[string]struct {
		file   []byte
		status error
		says   string
	}{
		"empty":                    {nil, errors.ErrMalformed, "fewer than a header"},
		"half a header":            {good[:32], errors.ErrMalformed, "fewer than a header"},
		"another file":             {bytes.Repeat([]byte("text"), 100), errors.ErrMalformed, "not an index"},
		"a flipped bit":            {append(append(slices.Clone(good[:24]), good[24]^1), good[25:]...), errors.ErrMalformed, "checksum"},
		"a later version":          {resealed(good, put32(8, 2)), errors.ErrUnsupported, "version 2"},
		"an unknown kind":          {resealed(good, put32(12, 6)), errors.ErrMalformed, "scalar kind 6"},
		"a kind that is negative":  {resealed(good, put32(12, 1<<31|1)), errors.ErrMalformed, "scalar kind"},
		"an unknown metric":        {resealed(good, put32(16, 3)), errors.ErrMalformed, "no metric 3"},
		"no columns":               {resealed(good, put32(20, 0)), errors.ErrMalformed, "0 columns"},
		"too many columns":         {resealed(good, put32(20, nearest.MostColumns+1)), errors.ErrMalformed, "columns"},
		"too many rows":            {resealed(good, put64(24, math.MaxUint64)), errors.ErrMalformed, "rows"},
		"more rows than there are": {resealed(good, put64(24, 1<<31-1)), errors.ErrMalformed, "take"},
		"reserved bytes":           {resealed(good, put32(40, 1)), errors.ErrMalformed, "reserved"},
		"cut short":                {good[:len(good)-1], errors.ErrMalformed, "take"},
		"too long":                 {append(slices.Clone(good), 0), errors.ErrMalformed, "take"},
		"a key twice":              {resealed(good, put64(72, 2)), errors.ErrMalformed, "key of row 1"},
		"keys that descend":        {resealed(good, put64(64, 100)), errors.ErrMalformed, "key of row 1"},
		"a norm that is none":      {resealed(good, put32(128, 0x7FC00000)), errors.ErrMalformed, "norm of row 0"},
		"a negative scale":         {resealed(good, put32(192, 0xBF800000)), errors.ErrMalformed, "scale of row 0"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, test.file, 0o600))
		_, err := nearest.Open(path)
		require.ErrorIs(t, err, test.status, name)
		require.ErrorContains(t, err, test.says, name)
	}
	_, err := nearest.Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, errors.ErrIO)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = nearest.Open(t.TempDir())
	require.ErrorIs(t, err, errors.ErrIO)
}

func TestSavesThatFail(t *testing.T) {
	index := small(t, uform.F32, nearest.Cosine)
	folder := t.TempDir()
	path := filepath.Join(folder, "index")
	require.NoError(t, index.Save(t.Context(), path))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = index.Delete([]uint64{2})
	require.NoError(t, err)
	require.ErrorIs(t, index.Save(ctx, path), errors.ErrCancelled)
	require.ErrorIs(t, index.Save(t.Context(), folder), errors.ErrIO)
	require.ErrorIs(t, index.Save(t.Context(), filepath.Join(folder, "none", "index")), errors.ErrIO)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// FuzzOpen opens any file, changes and searches what opens. Nothing may panic, and nothing may take
// more memory than the file has.
func FuzzOpen(f *testing.F) {
	for _, scalar := range scalars {
		file := stored(f, small(f, scalar, nearest.Euclidean))
		f.Add(file)
		f.Add(file[:len(file)-1])
	}
	path := filepath.Join(f.TempDir(), "index")
	f.Fuzz(func(t *testing.T, file []byte) {
		require.NoError(t, os.WriteFile(path, resealed(file, func(file []byte) []byte { return file }), 0o600))
		index, err := nearest.Open(path)
		if err != nil {
			status, known := errors.StatusOf(err)
			require.True(t, known && (status == errors.ErrMalformed || status == errors.ErrUnsupported), err)
			return
		}
		defer index.Close()
		query := make([]float32, index.Columns())
		query[0] = 1
		found, err := index.Search(t.Context(), query, 5, nil)
		require.NoError(t, err)
		for _, m := range found {
			require.True(t, index.Contains(m.Key))
			require.False(t, math.IsNaN(m.Score))
		}
		count := index.Len()
		for key := range index.Keys() {
			deleted, err := index.Delete([]uint64{key})
			require.NoError(t, err)
			require.Equal(t, 1, deleted)
			break
		}
		require.NoError(t, index.Replace([]uint64{1, 2}, [][]float32{query, query}))
		require.LessOrEqual(t, index.Len(), count+2)
		require.NoError(t, index.Save(t.Context(), path))
	})
}
