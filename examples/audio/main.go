package main

import (
	"github.com/unum-cloud/uform-go/examples/internal/nearest"
	"github.com/unum-cloud/uform-go/testdata/media"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/senses"
)

// wide and high are the size of a spectrogram on the sheet, in pixels.
const wide, high = 240, 110

var medium = &nearest.Medium{
	Name: "audio", Plural: "recordings", Samples: samples,
	Does: "Audio finds the recordings that sound most like one of them.",

	Encode: uform.On.AudioEncode, Texts: senses.Load, Look: spectrogram, Columns: 4, Width: wide, Height: high,
}

// samples returns a voice, strings, noise and silence, each in some formats.
func samples() ([]nearest.File, error) {
	return nearest.FromFS(media.Files, "audio",
		"silk12.opus", "hybrid.opus", "silk60.opus", "mpeg2.mp3", "mono48.mp3", "mono.ogg", "s16.wav", // the voice
		"celt.opus", "cbr.mp3", "stereo.ogg", "stereo24.flac", "six.opus", // the strings
		"noise.flac", "silence.flac")
}

func main() { nearest.Main(medium) }
