// Package fold makes texts equal that differ in letter case, in canonically equivalent characters,
// in kinds and amounts of white space, or in long runs of a punctuation mark: the fold
// "unicode-15.0" of docs/checkpoint.md, exact to the byte. The tables are those of Unicode 15.0.0
// in every release of Go, since a trained model depends on every byte.
package fold

//go:generate go run ./maketables tables_generated.go ../../testdata/libuform/fold_generated.h

// Name is the name of this fold in checkpoints.
const Name = "unicode-15.0"
