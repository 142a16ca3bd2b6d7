// Package fold makes texts alike that differ in letter case, in canonically equivalent characters, in kinds and amounts of
// white space, or in long runs of a punctuation mark: the fold "unicode-15.0" of docs/checkpoint.md, exact to the byte. The
// tables are of Unicode 15.0.0 whatever release of Go compiles them, as a trained model depends on every byte.
package fold

//go:generate go run ./maketables tables_generated.go ../../testdata/libuform/fold_generated.h

// Name is what a checkpoint calls this fold.
const Name = "unicode-15.0"
