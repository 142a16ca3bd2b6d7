package main

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"

	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// The parameters of the spectrogram, as for a model of speech.
const (
	rate   = 16000
	window = 400
	bands  = 64
	// columns is the approximate number of columns in a spectrogram. They are closer together in a
	// short recording.
	columns = 200
	// lowest and highest are the logarithms of the powers that are drawn black and white.
	lowest, highest = -9.0, 7.0
	// longest is the number of samples that are drawn: ten seconds.
	longest = 10 * rate
)

// flame is the colours from silence to the loudest.
var flame = []color.RGBA{
	{0x00, 0x00, 0x04, 255}, {0x28, 0x0b, 0x54, 255}, {0x65, 0x15, 0x6e, 255}, {0x9f, 0x2a, 0x63, 255},
	{0xd4, 0x48, 0x42, 255}, {0xf5, 0x7d, 0x15, 255}, {0xfa, 0xc2, 0x28, 255}, {0xfc, 0xff, 0xa4, 255},
}

// spectrogram draws a recording.
func spectrogram(content []byte) (image.Image, error) {
	recording, err := sound.Decode(content, nil)
	if err != nil {
		return nil, err
	}
	resampler, err := sound.NewResampler(recording.Rate, rate)
	if err != nil {
		return nil, err
	}
	heard := resampler.Append(nil, recording.Samples, longest)
	hop := min(max(len(heard)/columns, 8), window)
	analyzer, err := sound.NewAnalyzer(sound.Config{
		Rate: rate, Window: window, Hop: hop, Mels: bands, Low: 40, High: rate / 2, Frames: 1, Mean: 0, Deviation: 1,
	})
	if err != nil {
		return nil, err
	}
	values := analyzer.Patches(nil, heard, longest/hop+1)
	small := image.NewRGBA(image.Rect(0, 0, max(len(values)/bands, 1), bands))
	for i, value := range values {
		small.SetRGBA(i/bands, bands-1-i%bands, glow((float64(value)-lowest)/(highest-lowest)))
	}
	// A recording of any length fills its card.
	picture := image.NewRGBA(image.Rect(0, 0, 2*wide, 2*high))
	draw.BiLinear.Scale(picture, picture.Bounds(), small, small.Bounds(), draw.Src, nil)
	return picture, nil
}

// glow returns the colour of a loudness within 0 … 1.
func glow(loudness float64) color.RGBA {
	place := min(max(loudness, 0), 1) * float64(len(flame)-1)
	below := min(int(place), len(flame)-2)
	share := place - float64(below)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*share) }
	a, b := flame[below], flame[below+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
