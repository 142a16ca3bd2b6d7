// Package columnar has embeddings as Apache Arrow arrays, over the memory of the arena that they
// were computed in, for Parquet files, Arrow streams, and engines that take record batches.
//
//	encoded, err := model.TextEncode(ctx, texts, arena, &uform.TextOptions{Scalar: uform.F16})
//	vectors, err := columnar.Array(encoded.Embeddings)
//	defer vectors.Release()
//
// It is a module of its own, so that Arrow is a dependency only of programs that use it:
//
//	go get github.com/unum-cloud/uform-go/uform/columnar
//
// Texts go the other way without this package: the buffers of an Arrow LargeString array are a
// [uform.Tape] as they are, and those of a String array become one by [uform.Narrow].
package columnar
