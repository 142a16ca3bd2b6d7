// Package model reads checkpoints and runs the reference architecture over texts, and over patches
// of pictures, clips and recordings. docs/checkpoint.md specifies both; each file here is a section
// of it.
//
// A checkpoint becomes a model in three steps. [ReadContainer] parses the safetensors container,
// [ParseConfig] reads the architecture from its metadata, and [Parse] does both, checks every
// tensor, and packs the matrices of products. Tables that are read row by row (bytes, n-grams, the
// decoder's head, the lexical weights) are used in place, so a mapped checkpoint of many megabytes
// costs little to load. [Write] writes a checkpoint.
//
// A [Model] never changes. Calls work in a [Scratch], one for each goroutine, which stops growing
// after the largest call; from then on nothing is allocated. Structs of options and configurations
// are plain values: goroutines may share one that none of them changes.
//
// A text takes a few steps: its fold (package fold, where the configuration names one), its input
// rows (text.go, hash.go), the layers (package trunk), the mean and the projection (embedding.go),
// the lexical lane (lexical.go), or the scores of next bytes (decoder.go). Texts of a batch stand
// end to end and are independent, so each has the same bits in any batch. What packages raster,
// clip and sound decode from files comes in as [Patches] (patches.go), and takes the same steps
// from there.
//
// The caller checks, before any work, that a text is UTF-8, that it is cut to the context, and that
// its choices are valid. [unicode/utf8.Valid] defines valid text.
//
// Errors wrap a status of package errors and name the tensor or the member at fault.
package model
