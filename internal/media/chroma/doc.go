// Package chroma converts luma and colour differences to red, green and blue, a row at a time: the
// colour part of step 1 of section 9 of the page docs/checkpoint.md.
//
// Colour differences at half the resolution are interpolated (upsample.go), by the two roundings
// that decoders commonly use. A matrix converts them to RGB (convert.go): JPEG's, of the full
// range, and that of VP8. Each function works on whole rows and holds no state. The loops are those
// of package kernel, except for samples of more than 8 bits (deep.go).
package chroma
