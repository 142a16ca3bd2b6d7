// Package jpeg decodes JPEG files to red, green and blue: baseline, extended sequential and
// progressive, of 8 bits and Huffman codes, in pure Go.
//
//	file, err := jpeg.Parse(data)
//	rgb := make([]byte, file.Width*file.Height*3)
//	err = decoder.Decode(rgb, file)
//
// # Files
//
// [Parse] walks over the segments (marker.go) and records what they declare about the picture
// (file.go), its frame (frame.go) and its scans (scan.go), before anything is decoded. A [Decoder]
// walks over them again (decode.go). It reads tables (tables.go, huffman.go, standard.go) and the
// bits of a scan (bits.go), which hold blocks of 8×8 coefficients: whole in a sequential scan
// (sequential.go), bit by bit in progressive ones (progressive.go). The inverse transform, of
// package kernel, turns them into samples, and rows of samples become rows of pixels (rows.go,
// inks.go), by package chroma.
//
// # Memory
//
// The blocks of a picture that one sequential scan holds are transformed as they are read, and only
// a row of them is kept. Other pictures need all of their coefficients, two bytes each. A Decoder
// keeps its working memory for the next picture, except for the coefficients of large ones.
//
// # Guarantees
//
// Pixels are bit-identical to those of libjpeg with its exact integer transform and its
// interpolation of chroma, with one exception: libjpeg repeats chroma that is at most two samples
// wide, which is interpolated here like all other. A scan that ends early, or a progressive picture
// whose last scans are missing, is an error, never half a picture.
package jpeg
