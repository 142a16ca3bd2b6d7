package columnar_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/columnar"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Embeddings are written to a Parquet file from the memory that they were computed in.
func Example() {
	if err := write(context.Background(), []string{"a cat on a mat", "a dog in the fog"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 rows of fixed_size_list<item: float16>[192]
}

func write(ctx context.Context, texts []string) error {
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	model, err := mini.Load(ctx, library, nil)
	if err != nil {
		return err
	}
	defer model.Close()
	arena, err := library.NewArena(nil)
	if err != nil {
		return err
	}
	defer arena.Close()
	encoded, err := model.TextEncode(ctx, uform.Strings(texts), arena, &uform.TextOptions{Scalar: uform.F16})
	if err != nil {
		return err
	}

	vectors, err := columnar.Array(encoded.Embeddings)
	if err != nil {
		return err
	}
	defer vectors.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "vector", Type: vectors.DataType()}}, nil)
	record := array.NewRecordBatch(schema, []arrow.Array{vectors}, int64(vectors.Len()))
	defer record.Release()

	var file bytes.Buffer
	properties := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false))
	stored := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
	writer, err := pqarrow.NewFileWriter(schema, &file, properties, stored)
	if err != nil {
		return err
	}
	if err := writer.Write(record); err != nil {
		return err
	}
	fmt.Println(record.NumRows(), "rows of", vectors.DataType())
	return writer.Close()
}
