// Package model reads checkpoints and runs the reference architecture over texts, and over patches of pictures, clips and
// recordings. docs/checkpoint.md, specifies both; each file here is a section of it.
//
// A checkpoint goes from bytes to a model in three steps. [ReadContainer] takes the safetensors container apart,
// [ParseConfig] reads the architecture out of its metadata, and [Parse] does both, checks every tensor, and packs the
// matrices that products are taken with. Tables that are read row by row (bytes, n-grams, the decoder's head, the
// lexical weights) are used where the file lies, so a mapped checkpoint of many megabytes costs little to load. [Write]
// goes the other way.
//
// A [Model] never changes. Calls work in a [Scratch], which each goroutine brings along and which stops growing once
// it has seen the largest call; from then on nothing is allocated.
//
// A text is a few steps: its fold (package fold, where the configuration names one), its input rows (text.go, hash.go), the layers (trunk.go, attention.go, rotation.go), the
// mean and the projection (embedding.go), the lexical lane (lexical.go), or the scores of next bytes (decoder.go).
// Texts of a batch stand end to end and never meet, so each has the same bits in any batch. What packages raster, clip and sound
// make of files comes in as [Patches] (patches.go), and goes the same way from there.
//
// Whether a text is UTF-8, how it is cut to the context, and whether its choices make sense is the caller's to check,
// before any work: [unicode/utf8.Valid] is the format's notion of valid.
//
// Errors wrap a status of package errors and name the tensor or the member at fault.
package model
