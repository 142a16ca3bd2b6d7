package sound_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// rates are the sampling rates of files, by name.
var rates = map[string]int{
	"joint32.mp3": 32000, "mono48.mp3": 48000, "untagged22.mp3": 22050, "mpeg2.mp3": 16000, "mpeg2-stereo.mp3": 24000,
	"mpeg25-11.mp3": 11025, "mpeg25-12.mp3": 12000, "mpeg25-8.mp3": 8000,
	"flac.wav": 11111, "stereo.wav": 48000, "six.wav": 48000, "mono.flac": 8000, "fixed.flac": 8000, "s8.flac": 8000, "noise.flac": 16000,
	"silence.flac": 24000, "unknown.flac": 11111, "stereo.ogg": 44100, "six.ogg": 48000,
}

// defaults are the rates of all other files, by the end of the name.
var defaults = map[string]int{".wav": 8000, ".flac": 48000, ".mp3": 44100, ".opus": 48000, ".ogg": 16000}

// faithful is the required signal-to-noise ratio to the golden, in dB: 16 bits allow for about 80.
// The decoder of Opus computes its voice layer, SILK, in floats, where the format has integers:
// doc.go has the measurements.
func faithful(name string) float64 {
	switch {
	case name == "silk-wide.opus", name == "silk-stereo.opus":
		return 42
	case name == "silk12.opus" || name == "silk60.opus" || name == "silk8.opus" || name == "hybrid.opus" || name == "lavc.opus":
		return 48
	case name == "chained.opus":
		return 55
	case name == "six.opus", name == "six.ogg":
		return 60
	}
	return 75
}

func TestDecodeTheCorpus(t *testing.T) {
	refused := 0
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			data := file(t, name)
			want, exact := golden(t, name)
			format, ok := sound.Sniff(data)
			require.True(t, ok)
			expected := map[string]sound.Format{
				".wav": sound.WAV, ".flac": sound.FLAC, ".ogg": sound.Ogg, ".opus": sound.Ogg, ".mp3": sound.MP3,
			}
			require.Equal(t, expected[filepath.Ext(name)], format)
			if want == nil {
				refused++
				_, err := sound.Decode(data, nil)
				require.ErrorIs(t, err, errors.ErrUnsupported)
				return
			}
			got := decoded(t, data)
			rate := rates[name]
			if rate == 0 {
				rate = defaults[filepath.Ext(name)]
			}
			require.Equal(t, rate, got.Rate)
			require.Len(t, got.Samples, len(want))
			if !exact {
				require.Greater(t, signalToNoise(want, got.Samples), faithful(name))
				return
			}
			for i, v := range want {
				// The mean of six channels may be rounded otherwise.
				require.InDelta(t, v, got.Samples[i], tolerance(name), "sample %d", i)
			}
		})
	}
	require.Equal(t, 3, refused, "adpcm.wav, flac.ogg, layer2.mp3")
}

func tolerance(name string) float64 {
	if strings.HasPrefix(name, "six") {
		return 6e-8
	}
	return 0
}

// Bug 9: a tag in front of a file changes nothing, of whatever format the file is.
func TestTagInFront(t *testing.T) {
	for _, name := range []string{"mono.flac", "stereo24.flac", "s16.wav", "rf64.wav", "cbr.mp3", "celt.opus", "mono.ogg"} {
		t.Run(name, func(t *testing.T) {
			data := file(t, name)
			want := decoded(t, data)
			for _, tag := range [][]byte{id3(0), id3(10), id3(70000), concat(id3(200), id3(3))} {
				require.Equal(t, want, decoded(t, concat(tag, data)))
				_, err := sound.Decode(tag[:len(tag)-1], nil)
				require.ErrorIs(t, err, errors.ErrMalformed)
				_, err = sound.Decode(tag, nil)
				require.ErrorIs(t, err, errors.ErrMalformed)
			}
		})
	}
}

// Bug 18: no state of one decoding affects the next, in sequence or concurrently.
func TestDecodeTwiceInterleaved(t *testing.T) {
	all := names(t)
	first := map[string]*sound.Recording{}
	for _, name := range all {
		first[name], _ = sound.Decode(file(t, name), nil)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range all {
				name := all[(i*(2*worker+1)+worker)%len(all)]
				again, err := sound.Decode(file(t, name), nil)
				if (err == nil) != (first[name] != nil) {
					t.Errorf("%s: %v", name, err)
				}
				if err == nil && !equal(again.Samples, first[name].Samples) {
					t.Errorf("%s decodes to something else the second time", name)
				}
			}
		})
	}
	group.Wait()
}

func equal(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestNoRecording(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":        "",
		"a byte":         "R",
		"text":           "hello, hello",
		"JPEG":           "\xFF\xD8\xFF\xE0\x00\x10JFIF\x00",
		"AAC":            "\xFF\xF1\x50\x80\x00\x1F\xFC\x21",
		"AIFF":           "FORM\x00\x00\x00\x20AIFFCOMM",
		"AVI":            "RIFF\x00\x00\x00\x20AVI LIST",
		"big-endian WAV": "RIFX\x00\x00\x00\x20WAVEfmt ",
		"an APE tag":     "APETAGEX\xD0\x07\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := sound.Sniff([]byte(data))
			require.False(t, ok)
			_, err := sound.Decode([]byte(data), nil)
			require.ErrorIs(t, err, errors.ErrMalformed)
		})
	}
}

func TestLimits(t *testing.T) {
	for _, name := range []string{"s16.wav", "mono.flac", "unknown.flac", "silence.flac", "cbr.mp3", "celt.opus", "mono.ogg", "chained.ogg"} {
		t.Run(name, func(t *testing.T) {
			data := file(t, name)
			count := len(decoded(t, data).Samples)
			got, err := sound.Decode(data, &sound.Limits{Samples: count})
			require.NoError(t, err)
			require.Len(t, got.Samples, count)
			for _, most := range []int{1, count - 1} {
				_, err = sound.Decode(data, &sound.Limits{Samples: most})
				require.ErrorIs(t, err, errors.ErrUnsupported)
				require.ErrorContains(t, err, "longer than")
			}
		})
	}
}
