// Package trunk runs the layers of encoders over rows: the one forward pass of all architectures.
//
// An architecture is a description, not code of its own: a [Config] says where norms stand and of
// which kind they are, which activation there is, and what a token attends to; a [Layer] has the
// weights of one layer, its positions and its window. [New] checks that they fit and returns a
// [Trunk]. UForm's own checkpoints (package model) and the models of others (package folder) both
// become one; what comes before the layers (tokens, patches, position tables) and after them (the
// last norm, pooling, projections) belongs to those packages, which use [Linear.Apply] and
// [Norm.Apply] for it.
//
// [Trunk.Forward] alternates two steps, each cut into independent parts (forward.go): one of rows,
// which ends a layer and begins the next (layer.go), and one of heads, the attention
// (attention.go). A [Trunk] never changes. Calls work in a [Scratch], one for each goroutine, which
// stops growing after the largest call; from then on nothing is allocated. Goroutines whose scratch
// has joined one [Team] compute one call together.
//
// A text has the same bits alone and in any batch, for every number of goroutines, and each of its
// rows the same whether all are computed or one.
package trunk
