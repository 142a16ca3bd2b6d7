// Package sound turns recordings into the input of a model's audio part: section 11 of
// docs/checkpoint.md.
//
// It has three independent parts:
//
//	// Steps 1 and 2: any file to samples of one channel.
//	recording, err := sound.Decode(data, nil)
//	// Step 3: to the model's rate.
//	samples, err := sound.Resample(nil, recording.Samples, recording.Rate, 16000)
//	// Steps 4 to 7: to vectors.
//	patches := analyzer.Patches(nil, samples, context)
//
// [Decode] detects WAV, FLAC, MP3, and Ogg with Opus or Vorbis, by their first bytes. A file that
// ends early is always an error and never a shorter recording. Each format is checked by what it
// has for that: lengths in headers, checksums, numbers of frames and pages, marks of the last page.
// Three kinds of files have no such mark, and are accepted if they are cut exactly between two
// units: a WAV that was streamed (its sizes are 0, or close to 2^31 or 2^32: placeholder in
// wav.go), a FLAC whose total is unknown, an MP3 without an information frame.
//
// WAV, FLAC, MP3 and the pages of Ogg are decoded here. The packets of Opus and Vorbis are decoded
// by other modules. Vorbis headers are checked before, and a panic of a decoder is returned as an
// error of the file.
//
// Opus is exact in CELT, but not in SILK, its layer for voices at low rates: libopus rounds SILK to
// integers, and the module computes in floats, as RFC 6716 allows (4.2.7.9). Measured against
// opusdec, at 6 to 32 kb/s, from narrow band to full band, with one channel and two: voices of full
// scale at 43 to 64 dB, pink noise at 39 to 50, voices 20 dB softer at 38 to 46, and 40 dB softer
// at 28 to 38, where the difference is the last of 16 bits. Decoders are free to choose what fills
// a gap that the encoder left silent (DTX).
//
// A [Resampler] and an [Analyzer] do not change in use: any number of goroutines may share one.
// Both can stop early: a model that keeps the head of a recording needs only [Analyzer.Reach]
// samples of it.
package sound
