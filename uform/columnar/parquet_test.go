package columnar_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/columnar"
)

var ids = []string{"first", "second", "third"}

// recordOf is rows with their ids. Arrow's own memory is of allocator.
func recordOf(t *testing.T, rows uform.Rows, allocator memory.Allocator) arrow.RecordBatch {
	t.Helper()
	record, err := vectorsOf(rows)
	require.NoError(t, err)
	defer record.Release()
	builder := array.NewStringBuilder(allocator)
	defer builder.Release()
	builder.AppendValues(ids[:rows.Len()], nil)
	names := builder.NewStringArray()
	defer names.Release()
	fields := append([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String}}, record.Schema().Fields()...)
	columns := []arrow.Array{names, record.Column(0)}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, record.NumRows())
}

// vectorsOf is rows alone.
func vectorsOf(rows uform.Rows) (arrow.RecordBatch, error) {
	vectors, err := columnar.Array(rows)
	if err != nil {
		return nil, err
	}
	defer vectors.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "vector", Type: vectors.DataType()}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{vectors}, int64(vectors.Len())), nil
}

// packed are the encodings that docs/neighbours.md names.
func packed(scalar uform.Scalar) []parquet.WriterProperty {
	const column = "vector.list.element"
	properties := []parquet.WriterProperty{parquet.WithDictionaryFor(column, false), parquet.WithStatsFor(column, false)}
	if scalar == uform.I8 {
		properties = append(properties, parquet.WithEncodingFor(column, parquet.Encodings.DeltaBinaryPacked))
	}
	return properties
}

func writeParquet(record arrow.RecordBatch, out io.Writer, allocator memory.Allocator, more ...parquet.WriterProperty) error {
	properties := parquet.NewWriterProperties(append(more, parquet.WithAllocator(allocator))...)
	arrows := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema(), pqarrow.WithAllocator(allocator))
	writer, err := pqarrow.NewFileWriter(record.Schema(), out, properties, arrows)
	if err != nil {
		return err
	}
	return errors.Join(writer.Write(record), writer.Close())
}

func writeStream(record arrow.RecordBatch, out io.Writer, allocator memory.Allocator) error {
	writer := ipc.NewWriter(out, ipc.WithSchema(record.Schema()), ipc.WithAllocator(allocator))
	return errors.Join(writer.Write(record), writer.Close())
}

// ways are the files that are written.
var ways = []struct {
	name, extension string
	write           func(arrow.RecordBatch, io.Writer, memory.Allocator) error
}{
	{"parquet", ".parquet", func(record arrow.RecordBatch, out io.Writer, allocator memory.Allocator) error {
		return writeParquet(record, out, allocator)
	}},
	{"packed parquet", ".parquet", func(record arrow.RecordBatch, out io.Writer, allocator memory.Allocator) error {
		scalar := uform.F32
		if kind := record.Schema().Field(1).Type.(*arrow.FixedSizeListType); kind.Elem().ID() == arrow.INT8 {
			scalar = uform.I8
		}
		return writeParquet(record, out, allocator, packed(scalar)...)
	}},
	{"stream", ".arrow", writeStream},
}

// eachWay runs test with what each way writes of each kind. Nothing that it allocates is left, and
// the arena is free afterwards.
func eachWay(t *testing.T, test func(t *testing.T, rows uform.Rows, written []byte, extension string)) {
	eachKind(t, func(t *testing.T, e encoder, rows uform.Rows) {
		for _, way := range ways {
			t.Run(way.name, func(t *testing.T) {
				checked := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer checked.AssertSize(t, 0)
				record := recordOf(t, rows, checked)
				var written bytes.Buffer
				err := way.write(record, &written, checked)
				record.Release()
				require.NoError(t, err)
				test(t, rows, written.Bytes(), way.extension)
			})
		}
		_, err := e.encode(t, rows.Scalar(), "the arena is free")
		require.NoError(t, err)
	})
}

// Arrow's Go implementation reads back what it wrote: the same type and values.
func TestGoReadsItBack(t *testing.T) {
	eachWay(t, func(t *testing.T, rows uform.Rows, written []byte, extension string) {
		want := recordOf(t, rows, memory.DefaultAllocator)
		defer want.Release()
		if extension == ".arrow" {
			reader, err := ipc.NewReader(bytes.NewReader(written))
			require.NoError(t, err)
			defer reader.Release()
			require.True(t, reader.Next(), reader.Err())
			require.True(t, array.RecordEqual(want, reader.RecordBatch()))
			return
		}
		reader, err := file.NewParquetReader(bytes.NewReader(written))
		require.NoError(t, err)
		arrows, err := pqarrow.NewFileReader(reader, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		require.NoError(t, err)
		table, err := arrows.ReadTable(context.Background())
		require.NoError(t, err)
		defer table.Release()
		require.EqualValues(t, rows.Len(), table.NumRows())
		got := table.Column(1).Data().Chunk(0)
		require.Equal(t, rows.Len(), got.Len())
		require.True(t, array.Equal(want.Column(1), got), "%v", got.DataType())
	})
}

// pyarrow reads the vectors that the arena had, byte for byte. UFORM_PYARROW names a Python that
// has pyarrow; ci/arrow.sh installs one.
func TestPyarrowReadsItBack(t *testing.T) {
	python := os.Getenv("UFORM_PYARROW")
	if python == "" {
		t.Skip("UFORM_PYARROW does not name a Python with pyarrow: run ci/arrow.sh")
	}
	elements := map[uform.Scalar]string{uform.F32: "float", uform.F16: "halffloat", uform.I8: "int8"}
	eachWay(t, func(t *testing.T, rows uform.Rows, written []byte, extension string) {
		pin, err := rows.Pin()
		require.NoError(t, err)
		defer pin.Release()
		path, raw := filepath.Join(t.TempDir(), "vectors"+extension), filepath.Join(t.TempDir(), "raw")
		require.NoError(t, os.WriteFile(path, written, 0o600))
		require.NoError(t, os.WriteFile(raw, pin.Bytes(), 0o600))
		arguments := append([]string{"testdata/readback.py", path, elements[rows.Scalar()], strconv.Itoa(rows.Columns()), raw}, ids[:rows.Len()]...)
		printed, err := exec.Command(python, arguments...).CombinedOutput()
		require.NoError(t, err, string(printed))
		if extension != ".arrow" {
			return
		}
		// The check itself fails where a bit differs.
		bits := bytes.Clone(pin.Bytes())
		bits[len(bits)/2] ^= 1
		require.NoError(t, os.WriteFile(raw, bits, 0o600))
		printed, err = exec.Command(python, arguments...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(printed), "the vectors differ")
	})
}

// full is a disk that takes so many bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(bytes []byte) (int, error) {
	if f.left -= len(bytes); f.left < 0 {
		return 0, errFull
	}
	return len(bytes), nil
}

// A file that cannot be written is an error, and the release of the record still frees the arena.
func TestAFullDisk(t *testing.T) {
	eachKind(t, func(t *testing.T, e encoder, rows uform.Rows) {
		for _, way := range ways {
			for _, left := range []int{0, 300} {
				record := recordOf(t, rows, memory.DefaultAllocator)
				require.ErrorIs(t, way.write(record, &full{left}, memory.DefaultAllocator), errFull, way.name)
				record.Release()
			}
		}
		_, err := e.encode(t, rows.Scalar(), "the arena is free")
		require.NoError(t, err)
	})
}
