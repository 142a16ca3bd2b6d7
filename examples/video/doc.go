// Command video finds the clips that are nearest to one of them, and draws a contact sheet of their
// frames.
//
// Without arguments it searches the sample clips of this module:
//
//	go run ./examples/video
//	go run ./examples/video -query rotated-90.mp4
//
// Otherwise it searches the files and folders that it is given:
//
//	go run ./examples/video -query holiday.mp4 ~/Videos
//
// A file named "-" is standard input. MP4 and WebM are detected by content; a file that is neither,
// or needs a decoder that this machine does not have, is skipped, with the reason. Motion JPEG and
// the key frames of VP8 are decoded in Go, all other codecs by FFmpeg's libraries if they are
// installed. The embedded model is not trained: its weights for images are random. -model loads a
// trained one.
//
// It shows [uform.On.VideoEncode]. Most of the program is shared with the examples images and
// audio, in examples/internal/nearest.
package main
