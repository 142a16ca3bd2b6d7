package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/columnar"
)

// groupRows is the rows of a row group, which the writer holds in memory: 25 MB for 384 columns of
// f32, 6 MB of i8.
const groupRows = 16 << 10

// table is a Parquet file that is being written. It gets its name when it is complete.
type table struct {
	system           filesystem.Interface
	temporary, final string
	file             io.WriteCloser
	writer           *pqarrow.FileWriter
	schema           *arrow.Schema
	source           string
}

// create begins the file name with the vectors of the lines of source.
func create(ctx context.Context, name, source string, scalar uform.Scalar, columns int) (*table, error) {
	kind, err := columnar.Type(scalar, columns)
	if err != nil {
		return nil, err
	}
	t := &table{temporary: name, final: name, source: source}
	t.schema = arrow.NewSchema([]arrow.Field{
		{Name: "file", Type: arrow.BinaryTypes.String},
		{Name: "offset", Type: arrow.PrimitiveTypes.Int64},
		{Name: "vector", Type: kind},
	}, nil)
	if t.system, err = filesystem.New(ctx, name); err != nil {
		return nil, err
	}
	// Two workers may do the same part at once, and neither may meet the other's half of a file.
	if _, can := t.system.(filesystem.Renamer); can {
		t.temporary = fmt.Sprintf("%s.%016x.part", name, rand.Uint64())
	}
	if t.file, err = t.system.OpenWrite(ctx, t.temporary); err != nil {
		return nil, errors.Join(err, t.system.Close())
	}
	stored := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
	if t.writer, err = pqarrow.NewFileWriter(t.schema, t.file, properties(scalar), stored); err != nil {
		return nil, errors.Join(err, t.close(ctx, false))
	}
	return t, nil
}

// properties are the encodings. The numbers of a vector hardly ever repeat, so they have no
// dictionary and no statistics; those of i8, which Parquet has as 32 bits, are packed as deltas.
func properties(scalar uform.Scalar) *parquet.WriterProperties {
	const vector = "vector.list.element"
	chosen := []parquet.WriterProperty{
		parquet.WithMaxRowGroupLength(groupRows),
		parquet.WithDictionaryFor("offset", false),
		parquet.WithEncodingFor("offset", parquet.Encodings.DeltaBinaryPacked),
		parquet.WithDictionaryFor(vector, false),
		parquet.WithStatsFor(vector, false),
	}
	if scalar == uform.I8 {
		chosen = append(chosen, parquet.WithEncodingFor(vector, parquet.Encodings.DeltaBinaryPacked))
	}
	return parquet.NewWriterProperties(chosen...)
}

// write writes a row for each offset. The vectors are read in place, and the arena is free again
// when write returns.
func (t *table) write(offsets []int64, rows uform.Rows) error {
	vectors, err := columnar.Array(rows)
	if err != nil {
		return err
	}
	defer vectors.Release()
	files := array.NewStringBuilder(memory.DefaultAllocator)
	defer files.Release()
	places := array.NewInt64Builder(memory.DefaultAllocator)
	defer places.Release()
	for range offsets {
		files.Append(t.source)
	}
	places.AppendValues(offsets, nil)
	file, place := files.NewArray(), places.NewArray()
	defer file.Release()
	defer place.Release()
	record := array.NewRecordBatch(t.schema, []arrow.Array{file, place, vectors}, int64(len(offsets)))
	defer record.Release()
	return t.writer.WriteBuffered(record)
}

// close ends the file. One that is not complete is removed.
func (t *table) close(ctx context.Context, complete bool) error {
	var err error
	if t.writer != nil {
		err = t.writer.Close() // closes the file, too, unless it fails
	}
	if t.writer == nil || err != nil {
		err = errors.Join(err, t.file.Close())
	}
	if complete && err == nil {
		if t.temporary != t.final {
			err = t.system.(filesystem.Renamer).Rename(ctx, t.temporary, t.final)
		}
	} else if remover, can := t.system.(filesystem.Remover); can {
		err = errors.Join(err, remover.Remove(ctx, t.temporary))
	}
	return errors.Join(err, t.system.Close())
}
