// Package raster turns image files into the patches that a model reads: section 9 of
// docs/checkpoint.md, step by step, in pure Go.
//
//	picture, err := raster.Decode(file, nil, [3]uint8{255, 255, 255}) // steps 1 to 3
//	pixels := raster.Resize(picture, 224)                             // step 4: [224][224][3]
//	raster.Patches(patches, pixels, 224, 16, mean, deviation)         // steps 5 and 6: [196][768]
//
// # Files
//
// The format is detected by the first bytes of a file (format.go). JPEG is decoded by package jpeg,
// and turned by its orientation (jpeg.go, exif.go). PNG is decoded by the standard library, WebP by
// golang.org/x/image. The rest is here: a walk over the chunks of a WebP (webp.go) finds the still
// picture, or the first frame of an animation, and its luma and chroma (chroma.go) are converted by
// the matrix of VP8, which differs from JPEG's.
//
// [FromImage] (convert.go) converts images of Go programs, and [Frame] (frame.go) frames of video,
// whose chroma is interpolated like that of pictures.
//
// # Guarantees
//
// The same file gives the same bytes on every implementation: lossless files exactly those that any
// decoder gives, WebP those of libwebp, JPEG those of libjpeg except in pictures of up to four
// pixels across, where libjpeg does not interpolate chroma. A file that ends early is an error,
// never half a picture. A header with too many pixels is an error before any are decoded. No
// function keeps its arguments, and everything except a [Resizer] may be used by many goroutines at
// once.
package raster
