// Package vp8 decodes key frames of VP8, which lossy WebPs are.
//
//	planes, ok := vp8.Decode(chunk)
//
// A frame with a fault, or of another kind, is left to the decoder of
// golang.org/x/image: Decode then reports false.
//
// The frame's head is in header.go. Bits are coded arithmetically (reader.go); those of
// coefficients are read in tokens.go. A macroblock is predicted from its neighbours (predict.go,
// predict4.go), and its residues are added (residue.go). When all are done, their edges are
// smoothed (filter.go). The bits are those of libwebp.
package vp8
