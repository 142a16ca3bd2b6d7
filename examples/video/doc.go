// Command video finds the clips that are nearest to one of them, and draws a contact sheet of their
// frames.
//
// Without arguments it looks at the sample clips of this module:
//
//	go run ./examples/video
//	go run ./examples/video -query rotated-90.mp4
//
// Otherwise it looks at the files and folders that it is given:
//
//	go run ./examples/video -query holiday.mp4 ~/Videos
//
// A file named "-" is standard input. MP4 and WebM are told apart by their content; what is
// neither, or needs a decoder that this machine does not have, is left out, with the reason. Motion
// JPEG and the key frames of VP8 are decoded in Go, all other codecs by FFmpeg's libraries where
// they are installed. The embedded model is not trained: its eyes are random. -model loads one of
// yours.
//
// It shows [uform.On.VideoEncode]. Most of the program is that of the examples images and audio
// too, in examples/internal/nearest.
package main
