// Command audio finds the recordings that sound most like one of them, and draws a contact sheet of
// their spectrograms.
//
// Without arguments it searches sample files of this module, a voice and some strings in several
// formats:
//
//	go run ./examples/audio
//	go run ./examples/audio -query celt.opus
//
// Otherwise it searches the files and folders that it is given:
//
//	go run ./examples/audio -query knock.wav recordings/
//
// A file named "-" is standard input. WAV, FLAC, MP3, Opus and Vorbis are detected by content;
// other files are skipped, with the reason. A spectrogram shows time from left to right and bands
// on the mel scale from bottom to top; louder is brighter. It is the model's input. The embedded
// model is not trained: its audio weights are random. -model loads a trained one.
//
// It shows [uform.On.AudioEncode]. Most of the program is shared with the examples images and
// video, in examples/internal/nearest.
package main
