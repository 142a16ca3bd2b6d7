// Package vp8l decodes lossless WebPs, except for those of few colours.
//
//	picture, ok := vp8l.Decode(chunk)
//
// A picture with a fault, or with a palette, is left to the decoder of golang.org/x/image: Decode
// then reports false.
//
// Pixels are alpha, red, green and blue in the bytes of a word, the highest first. They are read by
// prefix codes (codes.go) as literals, as copies, or from a cache of colours (pixels.go), and the
// transforms that made them easier to write are undone (transform.go).
package vp8l
