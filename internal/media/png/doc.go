// Package png decodes the PNGs that most files are: of 8 bits, gray, RGB or RGBA, not interlaced,
// without a colour that stands for transparency.
//
//	picture, ok := png.Decode(data, limit)
//
// Anything else, and any fault of a file, is left to the standard library's decoder: Decode then
// reports false. So this one only has to be right about files that are right.
//
// A file's chunks and their checksums are in decode.go. Its pixels are inflated at once, into
// memory of the size that its head states (inflate.go, by the tables of codes.go), and its filters
// undone in place (filter.go), by the loops of package kernel.
package png
