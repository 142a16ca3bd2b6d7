package rows_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/rows"
)

var layout = rows.Layout{Format: rows.TSV, Columns: 2}

// begun leaves an output of one row that was interrupted, and returns its path.
func begun(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.tsv")
	out, err := rows.Create(path, layout, "identity", false)
	require.NoError(t, err)
	require.NoError(t, out.Write([]rows.Row{{Item: "a", Vector: []float32{1, 0.1}}}, items.Position{Offset: 7, Line: 1}, 2))
	require.NoError(t, out.Close())
	require.NoError(t, out.Close())
	return path
}

func TestOutputContinues(t *testing.T) {
	path := begun(t)
	out, err := rows.Create(path, layout, "identity", false)
	require.NoError(t, err)
	require.Equal(t, rows.State{Identity: "identity", Position: items.Position{Offset: 7, Line: 1}, Bytes: 8, Rows: 1, Bad: 2}, out.State())
	require.NoError(t, out.Write([]rows.Row{{Item: "b\t", Vector: []float32{2, 3}}}, items.Position{Source: 1}, 0))
	require.NoError(t, out.Finish())
	require.NoError(t, out.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "a\t1\t0.1\nb\\t\t2\t3\n", string(content))
}

func TestOutputRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		spoil func(path string) error
		says  string
	}{
		"a state that is none":  {func(p string) error { return os.WriteFile(p+".resume", []byte("{"), 0o600) }, "is not the state"},
		"a state below nothing": {func(p string) error { return os.WriteFile(p+".resume", []byte(`{"bytes":-1}`), 0o600) }, "is not the state"},
		"another command":       {func(p string) error { return os.WriteFile(p+".resume", []byte(`{"identity":"x"}`), 0o600) }, "is of a run with other inputs"},
		"rows that are gone":    {func(p string) error { return os.Truncate(p+".partial", 3) }, "less than the 8 bytes"},
	} {
		path := begun(t)
		require.NoError(t, row.spoil(path), name)
		_, err := rows.Create(path, layout, "identity", false)
		require.ErrorContains(t, err, row.says, name)
		require.ErrorContains(t, err, "--restart", name)
		out, err := rows.Create(path, layout, "identity", true)
		require.NoError(t, err, name)
		require.Zero(t, out.State().Bytes, name)
		require.NoError(t, out.Close())
	}
	// Without rows there is nothing to continue.
	path := begun(t)
	require.NoError(t, os.Remove(path+".partial"))
	out, err := rows.Create(path, layout, "identity", false)
	require.NoError(t, err)
	require.Zero(t, out.State().Rows)
	require.ErrorContains(t, out.Write([]rows.Row{{Item: "a", Vector: []float32{1}}}, items.Position{}, 0), "a: a vector of 1 columns where 2 belong")
	require.NoError(t, out.Close())
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Empty(t, entries)
	_, err = rows.Create(t.TempDir(), layout, "", false)
	require.Error(t, err, "a folder is there")
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]rows.Format{"a.npy": rows.NPY, "b/c.JSONL": rows.JSON, "x.tsv": rows.TSV, "x.y.parquet": rows.Parquet} {
		got, err := rows.FormatOf(path)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := rows.FormatOf("vectors.csv")
	require.ErrorContains(t, err, "vectors.csv")
	_, err = rows.Stream(&strings.Builder{}, rows.Layout{Format: rows.Parquet})
	require.ErrorContains(t, err, "--output")
}
