// Command audio finds the recordings that sound most like one of them, and draws a contact sheet of
// their spectrograms.
//
// Without arguments it listens to sample files of this module, a voice and some strings in several
// formats:
//
//	go run ./examples/audio
//	go run ./examples/audio -query celt.opus
//
// Otherwise it listens to the files and folders that it is given:
//
//	go run ./examples/audio -query knock.wav recordings/
//
// A file named "-" is standard input. WAV, FLAC, MP3, Opus and Vorbis are told apart by their
// content; what is none of them is left out, with the reason. A spectrogram has time from left to
// right, and bands on the mel scale from below to above, the louder the brighter: it is what the
// model gets to see. The embedded model is not trained: its ears are random. -model loads one of
// yours.
//
// It shows [uform.On.AudioEncode]. Most of the program is that of the examples images and video
// too, in examples/internal/nearest.
package main
