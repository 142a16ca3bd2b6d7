// Package arena has the memory that outputs are written to, and the views through which Go reads
// it. Package uform makes arenas, with Library.NewArena, and has aliases of these types, so most
// programs do not import this package.
//
// A call names an [Arena], and the library writes its outputs there. The next call with the same
// arena rewinds it: it uses the same memory from the start. So a loop allocates only until the
// arena is as large as the largest outputs, and the outputs of the call before are overwritten. To
// keep a result, copy it, or pass another arena to the next call.
//
//	encoded, err := model.On(executor).TextEncode(ctx, texts, arena, nil)
//	for i, row := range encoded.Embeddings.All() {
//		index.Add(keys[i], slices.Clone(row))
//	}
//
// [Rows] and [RowsTape] are views: they refer to the arena's memory and know which call filled it.
// Reading one after a later call, or after [Arena.Close], is an error; it never returns other data.
//
// An arena is pinned while its memory is being read: a call that names a pinned arena fails with
// [errors.ErrContended]. Ranging over All pins the arena during the loop, [Rows.Pin] pins it until
// [Pin.Release], and a copy pins it while it copies.
//
// The arena of a GPU executor is memory of that GPU. The host cannot read it, and trying to is
// [errors.ErrDevice]. Code for the device needs Data, Stride, Columns and Scalar of the rows.
//
// Goroutines may share an [Arena], a [Pin], a [DLPack] and a [CUDAArray]. Everything else is a
// plain value: goroutines may share one as long as none of them changes it.
package arena
