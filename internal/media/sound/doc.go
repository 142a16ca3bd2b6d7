// Package sound turns recordings into what the audio part of a model reads: section 11 of
// docs/checkpoint.md.
//
// It has three parts, each of which stands alone:
//
//	recording, err := sound.Decode(data, nil)                              // steps 1 and 2: any file to samples of one channel
//	samples, err := sound.Resample(nil, recording.Samples, recording.Rate, 16000) // step 3: to the model's rate
//	patches := analyzer.Patches(nil, samples, context)                     // steps 4 to 7: to vectors
//
// [Decode] knows WAV, FLAC, MP3, and Ogg with Opus or Vorbis, by their first bytes. It holds to one
// rule above all: a file that ends early is an error and never a shorter recording. Each format is
// checked by what it has for that: lengths in headers, checksums, numbers of frames and pages,
// marks of the last page. Three cases show nothing, and pass when they are cut just between two
// units: a WAV that was streamed (its sizes are 0, or as good as 2^31 or 2^32: placeholder in
// wav.go), a FLAC whose total is unknown, an MP3 without an information frame.
//
// WAV, FLAC, MP3 and the pages of Ogg are decoded here. The packets of Opus and Vorbis go to
// modules that are not ours: Vorbis headers are checked before, and a panic on the way is the
// file's fault. Opus is exact where CELT made it, but not where SILK did, the layer of voices at
// low rates: libopus rounds it to integers on the way, and that module computes in floats, as RFC
// 6716 allows (4.2.7.9). Against opusdec, over 6 to 32 kb/s, narrow to full band, one channel and
// two, voices of full scale were at 43 to 64 dB, pink noise at 39 to 50; 20 dB softer ones at 38 to
// 46, and 40 dB softer ones at 28 to 38, where what differs is the last of 16 bits. What fills a
// gap that the encoder left silent (DTX) is any decoder's choice.
//
// A [Resampler] and an [Analyzer] are made once and shared by any number of goroutines. Both can
// stop early: a model that keeps the head of a recording needs [Analyzer.Reach] samples of it, and
// no more.
package sound
