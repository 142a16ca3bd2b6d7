// Package trunk runs the layers of encoders over rows: the one forward pass of all architectures.
//
// An architecture is a description, not code of its own: a [Config] says where norms stand and of
// which kind they are, which activation and which positions there are, and what a token attends to.
// UForm's own checkpoints (package model) and the models of others (package folder) both become a
// [Trunk]; what comes before the layers (tokens, patches, position tables) and after them (the last
// norm, pooling, projections) belongs to those packages.
package trunk
