// Package sound turns recordings into what the audio part of a model reads: section 11 of docs/checkpoint.md.
//
// It has three parts, each of which stands alone:
//
//	recording, err := sound.Decode(data, nil)                              // steps 1 and 2: any file to samples of one channel
//	samples, err := sound.Resample(nil, recording.Samples, recording.Rate, 16000) // step 3: to the model's rate
//	patches := analyzer.Patches(nil, samples, context)                     // steps 4 to 7: to vectors
//
// [Decode] knows WAV, FLAC, MP3, and Ogg with Opus or Vorbis, by their first bytes. It holds to one rule above all: a file
// that ends early is an error and never a shorter recording. Each format is checked by what it has for that: lengths in
// headers, checksums, numbers of frames and pages, marks of the last page. Three cases show nothing, and pass when they
// are cut just between two units: a WAV that was streamed (its sizes are 0, 0xFFFFFFFF, or sox's 0x7FFFF000), a FLAC whose
// total is unknown, an MP3 without an information frame.
//
// WAV, FLAC, MP3 and the pages of Ogg are decoded here. The packets of Opus and Vorbis go to modules that are not ours:
// Vorbis headers are checked before, and a panic on the way is the file's fault. Opus is exact where CELT made it, and
// about 50 dB from the reference where SILK did, the layer of voices at low rates, which that module computes in floats;
// what fills a gap that the encoder left silent (DTX) is any decoder's choice.
//
// A [Resampler] and an [Analyzer] are made once and shared by any number of goroutines. Both can stop early: a model that
// keeps the head of a recording needs [Analyzer.Reach] samples of it, and no more.
package sound
