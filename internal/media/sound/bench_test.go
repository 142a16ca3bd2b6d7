package sound_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// realtime reports how many seconds of sound a second of b takes care of.
func realtime(b *testing.B, seconds float64) {
	b.ReportMetric(seconds*float64(b.N)/b.Elapsed().Seconds(), "x-realtime")
}

// BenchmarkFile is a file's way to patches, and its parts.
func BenchmarkFile(b *testing.B) {
	analyzer, err := sound.NewAnalyzer(speechConfig)
	require.NoError(b, err)
	for _, name := range []string{"stereo.wav", "stereo.flac", "cbr.mp3", "celt.opus", "silk12.opus", "stereo.ogg"} {
		data := file(b, name)
		recording := decoded(b, data)
		seconds := float64(len(recording.Samples)) / float64(recording.Rate)
		resampler, err := sound.NewResampler(recording.Rate, speechConfig.Rate)
		require.NoError(b, err)
		name = strings.ReplaceAll(name, ".", "-")
		b.Run(name+"/decode", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				decoded(b, data)
			}
			realtime(b, seconds)
		})
		b.Run(name+"/whole", func(b *testing.B) {
			var resampled, patches []float32
			for range b.N {
				recording := decoded(b, data)
				resampled = resampler.Append(resampled[:0], recording.Samples, math.MaxInt)
				patches = analyzer.Patches(patches[:0], resampled, math.MaxInt)
			}
			realtime(b, seconds)
		})
	}
}

func BenchmarkResample(b *testing.B) {
	samples := tones(1 << 16)
	for name, rates := range map[string][2]int{"table": {44100, 16000}, "computed": {44101, 16000}, "up": {8000, 16000}} {
		b.Run(name, func(b *testing.B) {
			resampler, err := sound.NewResampler(rates[0], rates[1])
			require.NoError(b, err)
			var out []float32
			for range b.N {
				out = resampler.Append(out[:0], samples, math.MaxInt)
			}
			realtime(b, float64(len(samples))/float64(rates[0]))
		})
	}
}

func BenchmarkPatches(b *testing.B) {
	samples := tones(1 << 16)
	for name, window := range map[string]int{"400": 400, "512": 512, "401": 401} {
		b.Run(name, func(b *testing.B) {
			config := speechConfig
			config.Window = window
			analyzer, err := sound.NewAnalyzer(config)
			require.NoError(b, err)
			var out []float32
			for range b.N {
				out = analyzer.Patches(out[:0], samples, math.MaxInt)
			}
			realtime(b, float64(len(samples))/float64(config.Rate))
		})
	}
}
