package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// place is that of a line.
type place struct {
	file   string
	offset int64
}

// vectors are those of all Parquet files in a folder. Nothing else is there, but for the bad lines.
// Those of f16 are bits: Num.Float32 of arrow-go 18.8.0 is wrong for subnormal numbers.
func vectors(t *testing.T, folder string) map[place][]float32 {
	t.Helper()
	all := map[place][]float32{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.Name() == "bad.jsonl" {
			continue
		}
		require.Equal(t, ".parquet", filepath.Ext(entry.Name()))
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		reader, err := file.NewParquetReader(bytes.NewReader(content))
		require.NoError(t, err)
		arrows, err := pqarrow.NewFileReader(reader, pqarrow.ArrowReadProperties{BatchSize: 100}, memory.DefaultAllocator)
		require.NoError(t, err)
		records, err := arrows.GetRecordReader(context.Background(), nil, nil)
		require.NoError(t, err)
		last := int64(-1)
		for records.Next() {
			record := records.RecordBatch()
			names, offsets := record.Column(0).(*array.String), record.Column(1).(*array.Int64)
			lists := record.Column(2).(*array.FixedSizeList)
			for i := range int(record.NumRows()) {
				require.Greater(t, offsets.Value(i), last, "rows are in the order of lines")
				last = offsets.Value(i)
				from, to := lists.ValueOffsets(i)
				row := make([]float32, 0, to-from)
				for j := from; j < to; j++ {
					switch values := lists.ListValues().(type) {
					case *array.Float32:
						row = append(row, values.Value(int(j)))
					case *array.Float16:
						row = append(row, float32(values.Value(int(j)).Uint16()))
					case *array.Int8:
						row = append(row, float32(values.Value(int(j))))
					}
				}
				at := place{names.Value(i), last}
				require.NotContains(t, all, at)
				all[at] = row
			}
		}
		records.Release()
	}
	return all
}

// plain encodes each line of a file by itself, without Beam and without Parquet.
func plain(t *testing.T, name, content string, scalar uform.Scalar) (rows map[place][]float32, bad []place) {
	t.Helper()
	model, err := load(t.Context(), "")
	require.NoError(t, err)
	arena, err := model.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	rows = map[place][]float32{}
	for _, line := range expected([]byte(content)) {
		at := place{name, line.offset}
		if line.tooLong || !utf8.ValidString(line.text) {
			bad = append(bad, at)
			continue
		}
		encoded, err := model.TextEncode(t.Context(), uform.Strings([]string{line.text}), arena, &uform.TextOptions{Scalar: scalar})
		require.NoError(t, err)
		pin, err := encoded.Embeddings.Pin()
		require.NoError(t, err)
		switch scalar {
		case uform.F32:
			rows[at], err = encoded.Embeddings.AppendTo(nil, 0)
		case uform.F16:
			rows[at], err = numbers(pin.Float16s(0))
		case uform.I8:
			rows[at], err = numbers(pin.Int8s(0))
		}
		require.NoError(t, err)
		pin.Release()
	}
	return rows, bad
}

// numbers are the values of i8, or the bits of f16.
func numbers[T int8 | uint16](row []T, err error) (all []float32, _ error) {
	for _, value := range row {
		all = append(all, float32(value))
	}
	return all, err
}

// readBad is the lines of a dead-letter file.
func readBad(t *testing.T, name string) (all []badLine) {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		var one badLine
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		all = append(all, one)
	}
	return all
}

// On prism, every good line has the vector that it has alone, every bad one its place and cause.
func TestPipeline(t *testing.T) {
	contents := map[string]string{
		"a.txt": "a cat on a mat\n\xff not UTF-8\na dog in the fog\n\n" + strings.Repeat("x", longest) + "\nafter a long line\r\n",
		"b.txt": strings.Repeat("\xfe\n", 40) + "the only good one\n" + strings.Repeat("\xfe\n", 40),
		"c.txt": "",
		"d.txt": func() (text string) {
			for i := range 700 {
				text += fmt.Sprintf("line %d of many\n", i)
			}
			return text + strings.Repeat("a long text, which is cut to the context ", 400)
		}(),
	}
	for _, kind := range []string{"f32", "f16", "i8"} {
		t.Run(kind, func(t *testing.T) {
			in, out := t.TempDir(), filepath.Join(t.TempDir(), "vectors")
			s := &settings{input: in + "/*.txt", output: out, lines: 128, part: 4000}
			require.NoError(t, s.check(kind))
			want, wantBad := map[place][]float32{}, []place(nil)
			for name, content := range contents {
				path := filepath.Join(in, name)
				require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
				rows, bad := plain(t, path, content, s.scalar)
				for at, row := range rows {
					want[at] = row
				}
				wantBad = append(wantBad, bad...)
			}
			// A second run writes the same files again.
			for range 2 {
				var log bytes.Buffer
				require.NoError(t, s.run(t.Context(), &log))
				got := vectors(t, out)
				require.Len(t, got, len(want))
				for at, row := range want {
					require.Equal(t, row, got[at], "%v", at)
				}
				var gotBad []place
				for _, line := range readBad(t, out+"/bad.jsonl") {
					gotBad = append(gotBad, place{line.File, line.Offset})
					if strings.HasPrefix(line.Head, `"\xff`) {
						require.Equal(t, `"\xff not UTF-8"`, line.Head)
						require.Contains(t, line.Cause, uform.ErrMalformed.Error())
						require.NotContains(t, line.Cause, "item")
					}
				}
				require.ElementsMatch(t, wantBad, gotBad)
				require.Equal(t, fmt.Sprintf("beam: %d lines encoded, %d bad, 1 cut to the model's context\n", len(want), len(wantBad)), log.String())
			}
		})
	}
}

// A file that is missing, and a folder that cannot be written, fail the job, and no half of a file
// is left.
func TestFaultsOfFiles(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "lines.txt")
	s := &settings{input: name, output: filepath.Join(folder, "out"), lines: 8, part: 100}
	require.NoError(t, s.check("f32"))
	require.ErrorContains(t, s.run(t.Context(), new(bytes.Buffer)), "no files matching")

	require.NoError(t, os.WriteFile(name, []byte("a line\n"), 0o600))
	require.NoError(t, os.WriteFile(s.output, nil, 0o600))
	require.ErrorContains(t, s.run(t.Context(), new(bytes.Buffer)), "not a directory")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

// A file gets its name when it is complete. Of one that is not, nothing is left.
func TestATableIsWholeOrNotThere(t *testing.T) {
	model, err := load(t.Context(), "")
	require.NoError(t, err)
	arena, err := model.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	for _, complete := range []bool{false, true} {
		folder := t.TempDir()
		table, err := create(t.Context(), folder+"/vectors.parquet", "lines.txt", uform.F32, 384)
		require.NoError(t, err)
		for offset := range int64(3) {
			// The arena is free again after each write.
			encoded, err := model.TextEncode(t.Context(), uform.Strings([]string{"a line"}), arena, nil)
			require.NoError(t, err)
			require.NoError(t, table.write([]int64{offset}, encoded.Embeddings))
		}
		require.NoFileExists(t, folder+"/vectors.parquet")
		require.NoError(t, table.close(t.Context(), complete))
		if complete {
			require.Len(t, vectors(t, folder), 3)
			continue
		}
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestSettings(t *testing.T) {
	good := settings{input: "in", output: "out/", lines: 1, part: 1}
	s := good
	require.NoError(t, s.check("i8"))
	require.Equal(t, "out/bad.jsonl", s.bad)
	require.ErrorContains(t, s.check("bf16"), "use f32, f16 or i8")
	for _, spoil := range []func(*settings){
		func(s *settings) { s.input = "" },
		func(s *settings) { s.output = "" },
		func(s *settings) { s.lines = 0 },
		func(s *settings) { s.part = 0 },
	} {
		s := good
		spoil(&s)
		require.Error(t, s.check("f32"))
	}
}
