// Package raster turns image files into the patches that a model takes: section 9 of
// docs/checkpoint.md, step by step, in Go alone.
//
//	picture, err := raster.Decode(file, nil, [3]uint8{255, 255, 255}) // steps 1 to 3
//	pixels := raster.Resize(picture, 224)                             // step 4: [224][224][3]
//	raster.Patches(patches, pixels, 224, 16, mean, deviation)         // steps 5 and 6: [196][768]
//
// # Files
//
// A file is told by its first bytes (format.go). JPEG is decoded by package jpeg, and turned by its
// orientation (jpeg.go, exif.go). PNG is left to the standard library, WebP to golang.org/x/image,
// and what those leave undone is here: a walk over the chunks of a WebP (webp.go) finds the still
// picture, or the first frame of an animation, and its luma and chroma (chroma.go) are converted by
// the matrix of VP8, which is not JPEG's.
//
// Images of Go programs come in by [FromImage] (convert.go), frames of video by [Frame], whose
// chroma takes the same way as that of pictures (frame.go).
//
// # What is promised
//
// The same file gives the same bytes whoever decodes it: lossless files exactly those that any
// decoder gives, WebP those of libwebp, JPEG those of libjpeg. A file that ends early is an error,
// never half a picture. A header that asks for too many pixels is an error before any are decoded.
// Nothing here keeps what it is given, and everything but a [Resizer] may be used by many
// goroutines at once.
package raster
