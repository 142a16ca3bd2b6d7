// Package arena holds the memory that outputs land in, and the views through which Go reads it.
//
// A call names an [Arena], and the library puts its outputs there. The next call with the same
// arena rewinds it: the memory is used again, so a steady loop allocates once, and the outputs of
// the call before are gone. To keep a result, copy it, or give the next call another arena.
//
//	encoded, err := model.On(executor).TextEncode(ctx, texts, arena, nil)
//	for i, row := range encoded.Embeddings.All() {
//		index.Add(keys[i], slices.Clone(row))
//	}
//
// [Rows] and [RowsTape] are views. They borrow the arena's memory and remember which call filled
// it, so reading after a later call, or after [Arena.Close], is an error and never garbage. While
// memory is being read it is pinned: a call that names a pinned arena fails as contended. Ranging
// over All pins for the loop, [Rows.Pin] until [Pin.Release], and copies pin for the copy alone.
//
// An arena of a GPU executor is the memory of that GPU. The host cannot read it, and trying to is
// [errors.ErrDevice]; Data, Stride, Columns and Scalar are what device code needs.
//
// Package uform makes arenas, with Library.NewArena, and has aliases of these types. Goroutines may
// share an [Arena], a [Pin] and an export. Everything else is a plain value: goroutines may share
// one that none of them changes.
package arena
