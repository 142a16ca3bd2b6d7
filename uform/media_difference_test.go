package uform_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// fileVerb is a verb of files, on one receiver.
type fileVerb = func(f fixture, files uform.Tape, options *uform.EncodeOptions) (uform.Encoded, error)

// fileVerbs are keyed by the folders of their samples.
var fileVerbs = map[string]fileVerb{
	"images": func(f fixture, files uform.Tape, options *uform.EncodeOptions) (uform.Encoded, error) {
		return f.model.On(f.executor).ImageEncode(background, files, f.arena, options)
	},
	"video": func(f fixture, files uform.Tape, options *uform.EncodeOptions) (uform.Encoded, error) {
		return f.model.On(f.executor).VideoEncode(background, files, f.arena, options)
	},
	"audio": func(f fixture, files uform.Tape, options *uform.EncodeOptions) (uform.Encoded, error) {
		return f.model.On(f.executor).AudioEncode(background, files, f.arena, options)
	},
}

// everything asks for both outputs.
var everything = &uform.EncodeOptions{Outputs: uform.Embeddings | uform.States}

// mediaPair is the model mini in both. The test is skipped where the C library has no FFmpeg to be
// built with.
func mediaPair(t *testing.T) pair {
	t.Helper()
	p := openPair(t, mini.Checkpoint(), nil)
	if _, err := fileVerbs["images"](p.native, uform.Bytes(nil), nil); err != nil {
		require.ErrorIs(t, err, uform.ErrUnsupported)
		require.False(t, loadertest.FFmpeg(), "the library was built with FFmpeg")
		t.Skip("the C library was built without FFmpeg: ", err)
	}
	return p
}

// sampleNames are the sample files of a folder.
func sampleNames(t testing.TB, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("..", "testdata", "media", folder))
	require.NoError(t, err)
	for _, entry := range entries {
		if !entry.IsDir() && filepath.Ext(entry.Name()) != ".md" {
			names = append(names, entry.Name())
		}
	}
	require.NotEmpty(t, names)
	return names
}

// alike requires that the cosine of two rows is at least 1 minus a tolerance.
func alike(t *testing.T, want, got []float32, tolerance float64, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	var product, wants, gots float64
	for i := range want {
		product += float64(want[i]) * float64(got[i])
		wants += float64(want[i]) * float64(want[i])
		gots += float64(got[i]) * float64(got[i])
	}
	if distance := 1 - product/math.Sqrt(wants*gots); !(distance <= tolerance) {
		require.LessOrEqual(t, distance, tolerance, what)
	}
}

// sameMedia requires that the outputs of both are alike, the embeddings and each state.
func sameMedia(t *testing.T, engine, native uform.Encoded, tolerance float64) {
	t.Helper()
	want, err := engine.Copy()
	require.NoError(t, err)
	got, err := native.Copy()
	require.NoError(t, err)
	require.Len(t, got.Embeddings, len(want.Embeddings))
	require.Len(t, got.States, len(want.States))
	for i := range want.Embeddings {
		alike(t, want.Embeddings[i], got.Embeddings[i], tolerance, fmt.Sprintf("embedding %d", i))
		require.Len(t, got.States[i], len(want.States[i]), "item %d: tokens", i)
		for j := range want.States[i] {
			alike(t, want.States[i][j], got.States[i][j], tolerance, fmt.Sprintf("item %d: state %d", i, j))
		}
	}
}

// How far the two may be apart, as one less the cosine. Where a format fixes every value that a
// decoder gives, all that is left is the order of sums in 32 bits, and the page's 1e-4 holds by
// far. Lossy formats leave the last bit of an inverse transform to the decoder: up to three steps
// of 255 in a channel, which on pictures as small as these, and of nothing but edges, moves a state
// by up to 4e-4. MP3, Vorbis and music in Opus are computed in floats on either side, and differ by
// less than 16 bits show.
//
// Voices in Opus are coded by SILK, which its reference computes in integers, and the engine in
// floats: they differ by -40 to -60 dB of the signal. Nowhere is that a matter of what is heard,
// but a logarithm of bands that hold next to nothing sees it: above 4 kHz in a stream of narrow
// band.
const (
	losslessTolerance = 1e-9
	lossyTolerance    = 1e-3
	narrowTolerance   = 0.05
	// Random models have states of six scalars, in which one pixel has more weight.
	drawnTolerance = 0.01
)

// toleranceOf returns the tolerance of a sample file.
func toleranceOf(folder, name string) float64 {
	lossless := strings.HasPrefix(name, "lossless") || slices.Contains([]string{"dot-lossless.webp", "animated-part-lossless.webp"}, name)
	switch extension := filepath.Ext(name); {
	case name == "silk8.opus":
		return narrowTolerance
	case lossless, extension == ".png", extension == ".wav", extension == ".flac":
		return losslessTolerance
	}
	return lossyTolerance
}

// oneSided are the samples that are refused by both, or by FFmpeg 5, which has neither free format
// nor FLAC of 32 bits.
var oneSided = map[string]error{
	"arithmetic.jpg": uform.ErrUnsupported, "adpcm.wav": uform.ErrUnsupported, "layer2.mp3": uform.ErrUnsupported,
	"flac.ogg": uform.ErrUnsupported, "mpeg2.mp4": uform.ErrUnsupported, "sound.mp4": uform.ErrMalformed, "sound.webm": uform.ErrMalformed,
	"free.mp3": nil, "s32.flac": nil,
}

// TestMediaAgree compares the two on every sample, alone and in a batch.
func TestMediaAgree(t *testing.T) {
	p := mediaPair(t)
	for folder, verb := range fileVerbs {
		batch := map[float64]uform.Tape{}
		for _, name := range sampleNames(t, folder) {
			content := sampleFile(t, folder, name)
			files, tolerance := uform.Bytes([][]byte{nil, content}), toleranceOf(folder, name)
			status, odd := oneSided[name]
			if !odd {
				of := batch[tolerance]
				of.Append(content)
				batch[tolerance] = of
			}
			t.Run(name, func(t *testing.T) {
				want, err := verb(p.engine, files, everything)
				if status != nil {
					requireRefused(t, err, status, 1)
					_, err = verb(p.native, files, everything)
					requireRefused(t, err, status, 1)
					return
				}
				require.NoError(t, err)
				got, err := verb(p.native, files, everything)
				if odd && err != nil {
					requireRefused(t, err, uform.ErrUnsupported, 1)
					return
				}
				require.NoError(t, err)
				sameMedia(t, want, got, tolerance)
			})
		}
		for tolerance, files := range batch {
			want, err := verb(p.engine, files, everything)
			require.NoError(t, err)
			got, err := verb(p.native, files, everything)
			require.NoError(t, err)
			sameMedia(t, want, got, tolerance)
		}
	}
}

func requireRefused(t *testing.T, err, status error, item int) {
	t.Helper()
	require.ErrorIs(t, err, status)
	var failure *uform.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, item, failure.Item)
}

// TestTruncatedMediaAgree cuts samples: both refuse the same ones.
func TestTruncatedMediaAgree(t *testing.T) {
	p := mediaPair(t)
	for folder, verb := range fileVerbs {
		for _, name := range sampleNames(t, folder) {
			content := sampleFile(t, folder, name)
			for _, part := range []float64{0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97} {
				cut := int(part * float64(len(content)))
				files := uform.Bytes([][]byte{content[:cut]})
				_, want := verb(p.engine, files, nil)
				_, got := verb(p.native, files, nil)
				require.Equal(t, want == nil, got == nil, "%s at %d of %d: %v, %v", name, cut, len(content), want, got)
			}
		}
	}
}

// TestWAVHeadersAgree draws headers that lie: what the one refuses the other refuses, for the same
// reason, and the rest is the same recording.
func TestWAVHeadersAgree(t *testing.T) {
	p := mediaPair(t)
	random := rand.New(rand.NewPCG(13, 3))
	one := func(of ...int) int { return of[random.IntN(len(of))] }
	samples := make([]byte, 480)
	for i := range samples {
		samples[i] = byte(random.Uint32())
	}
	read := 0
	for range 2000 {
		channels, bits := one(0, 1, 2, 2, 3), one(0, 8, 12, 16, 16, 24, 24, 32, 64)
		frame := one(0, 1, 2, 3, 4, 6, 8, 32, channels*4, channels*(bits+7)/8)
		sound := samples[:one(48, 48, 480, 47, 0)]
		if one(0, 1) == 0 { // 24 bits in four bytes, at times
			sound = slices.Clone(sound)
			for i := 0; i < len(sound); i += 4 {
				sound[i] = 0
			}
		}
		sizes := []int{0, 35, len(sound) - 1, len(sound), len(sound) + 1, 1 << 30, 0x7FFEFFFF, 0x7FFF0000, 0x7FFFFFFF, -0x7FFF0001, -0x7FFF0000, -1<<16 - 1, -1 << 16, -1}
		header := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(one(append(sizes, 36+len(sound), 36+len(sound), 37+len(sound), 41+len(sound))...)))
		header = binary.LittleEndian.AppendUint32(append(header, "WAVEfmt "...), 16)
		for _, field := range []int{one(1, 1, 1, 3, 6, 7, 2), channels, 8000, 0, 0, 0, frame, bits} {
			header = binary.LittleEndian.AppendUint16(header, uint16(field))
		}
		header = binary.LittleEndian.AppendUint32(append(header, "data"...), uint32(one(append(sizes, len(sound), len(sound), len(sound))...)))
		file := slices.Concat(header, sound, []byte("LIST\x02\x00\x00\x00ab")[:one(0, 0, 1, 3, 7, 10)])
		files := uform.Bytes([][]byte{nil, file})
		want, err := fileVerbs["audio"](p.engine, files, everything)
		got, second := fileVerbs["audio"](p.native, files, everything)
		if err != nil {
			for _, status := range []error{uform.ErrMalformed, uform.ErrUnsupported} {
				require.Equal(t, errors.Is(err, status), errors.Is(second, status), "%q: %v, %v", header, err, second)
			}
			continue
		}
		require.NoError(t, second, "%q", header)
		sameMedia(t, want, got, losslessTolerance)
		read++
	}
	require.Greater(t, read, 200)
}

// TestMissingScansAgree ends JPEGs properly, but before one of their scans: a shorter success would
// be a coarser picture.
func TestMissingScansAgree(t *testing.T) {
	p := mediaPair(t)
	for _, name := range []string{"progressive.jpg", "progressive-restarts-2x2-1B.jpg", "scans-restarts-2x2-1B.jpg", "gray-progressive.jpg"} {
		content := sampleFile(t, "images", name)
		head := []byte{0xFF, 0xDA}
		for at := bytes.Index(content, head); at >= 0; {
			files := uform.Bytes([][]byte{append(slices.Clone(content[:at]), 0xFF, 0xD9)})
			for _, f := range []fixture{p.engine, p.native} {
				_, err := fileVerbs["images"](f, files, nil)
				require.ErrorIs(t, err, uform.ErrMalformed, "%s ends at %d", name, at)
			}
			next := bytes.Index(content[at+2:], head)
			if next < 0 {
				break
			}
			at += 2 + next
		}
	}
}

// TestPixelsAndSamplesAgree makes random pixels and samples, which need no decoder.
func TestPixelsAndSamplesAgree(t *testing.T) {
	loadertest.Need(t)
	p := openPair(t, mini.Checkpoint(), nil)
	random := rand.New(rand.NewPCG(3, 3))
	p.samePixels(t, drawnPixels(random))
	for _, rate := range []int{0, 8000, 11025, 16000, 44100, 48000, 96000, 7919} {
		p.sameSamples(t, drawnSamples(random, rate))
	}
}

// drawnPixels returns random pictures of all shapes: one pixel, thin ones, larger and smaller than
// any square.
func drawnPixels(random *rand.Rand) uform.Pixels {
	var pixels uform.Pixels
	for _, size := range [][2]int{{1, 1}, {1, 300}, {300, 1}, {0, 0}, {7, 5}, {64, 64}, {31, 200}, {200, 31}, {130, 97}} {
		content := make([]byte, size[0]*size[1]*3)
		for i := range content {
			content[i] = byte(random.Uint32())
		}
		pixels.Append(content)
		pixels.Heights, pixels.Widths = append(pixels.Heights, uint32(size[0])), append(pixels.Widths, uint32(size[1]))
	}
	return pixels
}

// drawnSamples returns noise of all lengths.
func drawnSamples(random *rand.Rand, rate int) uform.Samples {
	var recordings [][]float32
	for _, count := range []int{0, 1, 2, 100, 1601, 9000, 30_000} {
		samples := make([]float32, count)
		for i := range samples {
			samples[i] = float32(random.NormFloat64() / 4)
		}
		recordings = append(recordings, samples)
	}
	return uform.Recordings(rate, recordings...)
}

func (p pair) samePixels(t *testing.T, pixels uform.Pixels) {
	t.Helper()
	want, err := p.engine.model.On(p.engine.executor).ImageEncodePixels(background, pixels, p.engine.arena, everything)
	require.NoError(t, err)
	got, err := p.native.model.On(p.native.executor).ImageEncodePixels(background, pixels, p.native.arena, everything)
	require.NoError(t, err)
	sameMedia(t, want, got, 1e-6)
}

func (p pair) sameSamples(t *testing.T, samples uform.Samples) {
	t.Helper()
	want, err := p.engine.model.On(p.engine.executor).AudioEncodeSamples(background, samples, p.engine.arena, everything)
	require.NoError(t, err)
	got, err := p.native.model.On(p.native.executor).AudioEncodeSamples(background, samples, p.native.arena, everything)
	require.NoError(t, err)
	sameMedia(t, want, got, 1e-6)
}

// sameDrawnMedia compares what a drawn configuration encodes beside texts, and that both refuse the
// rest.
func (p pair) sameDrawnMedia(t *testing.T, random *rand.Rand) {
	t.Helper()
	pixels, samples := drawnPixels(random), drawnSamples(random, 11025)
	if p.config.Image != nil {
		p.samePixels(t, pixels)
	}
	if p.config.Audio != nil {
		p.sameSamples(t, samples)
	}
	for _, f := range []fixture{p.engine, p.native} {
		if p.config.Image == nil {
			_, err := f.model.ImageEncodePixels(background, pixels, f.arena, nil)
			require.ErrorIs(t, err, uform.ErrUnsupported)
		}
		if p.config.Audio == nil {
			_, err := f.model.AudioEncodeSamples(background, samples, f.arena, nil)
			require.ErrorIs(t, err, uform.ErrUnsupported)
		}
	}
	if !loadertest.FFmpeg() {
		return
	}
	for folder, files := range map[string]uform.Tape{
		"images": uform.Bytes(sampleFiles(t, "images", "rgb-alpha-16.png", "cmyk.jpg", "animated-part-alpha.webp")),
		"audio":  uform.Bytes(sampleFiles(t, "audio", "six.flac", "f64.wav")),
		"video":  uform.Bytes(sampleFiles(t, "video", "mjpeg.mp4", "vp8-keys.webm")),
	} {
		want, err := fileVerbs[folder](p.engine, files, everything)
		got, refusal := fileVerbs[folder](p.native, files, everything)
		if err != nil {
			require.ErrorIs(t, err, uform.ErrUnsupported)
			require.ErrorIs(t, refusal, uform.ErrUnsupported)
			continue
		}
		require.NoError(t, refusal)
		sameMedia(t, want, got, drawnTolerance)
	}
}
