package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// goldenOf returns the golden of a sample, empty for one that does not decode.
func goldenOf(name string) string {
	switch {
	case name == "arithmetic.jpg":
		return ""
	case strings.HasPrefix(name, "oriented-"):
		return "oriented.ppm"
	case name == "nodht.jpg":
		return "baseline-2x2.jpg.ppm"
	case name == "gray-restarts-1B.jpg", name == "gray-progressive-restarts-3B.jpg":
		return "gray.jpg.ppm"
	}
	// The same coefficients in other scans.
	if _, variant, found := strings.Cut(name, "-restarts-"); found {
		sampling, _, _ := strings.Cut(variant, "-")
		return strings.Replace("baseline-"+sampling+".jpg.ppm", "-1x1", "", 1)
	}
	return name + ".ppm"
}

func pictures(t testing.TB) []string {
	var names []string
	for _, name := range sampleNames(t, "*.*") {
		if filepath.Ext(name) != ".md" && goldenOf(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// PNG and lossless WebP have one right answer. So has lossy WebP: the format fixes every bit up to
// luma and chroma, and the conversion is that of libwebp. JPEG leaves the inverse transform to its
// decoders, and ours is that of libjpeg. Only the photograph that was turned without loss before it
// was coded has its chroma rounded in other places.
func TestDecodeGoldens(t *testing.T) {
	for _, name := range pictures(t) {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "oriented-") {
				requireNear(t, goldenImage(t, goldenOf(name)), decode(t, name), 3, 0.2, name)
				return
			}
			require.Equal(t, goldenImage(t, goldenOf(name)), decode(t, name))
		})
	}
}

// Bug 16: every stage is pinned, and so is what they give together.
func TestChainGoldens(t *testing.T) {
	const side, patch = 16, 8
	for _, golden := range sampleNames(t, "golden/chain-*.f32") {
		name := strings.TrimSuffix(strings.TrimPrefix(golden, "chain-"), ".f32")
		t.Run(name, func(t *testing.T) {
			tolerance := 1e-5
			if filepath.Ext(name) == ".jpg" {
				// A difference of one in all pixels of a window would be 1/255/0.26; those of JPEG
				// cancel out.
				tolerance = 0.015
			}
			patches := make([]float32, side*side*3)
			raster.Patches(patches, raster.Resize(decode(t, name), side), side, patch, clipMean, clipDeviation)
			require.InDeltaSlice(t, goldenFloats(t, golden), patches, tolerance)
		})
	}
}

// Bug 18: the second picture through one shared decoder failed.
func TestDecodeInterleaved(t *testing.T) {
	names := pictures(t)
	files, want := map[string][]byte{}, map[string]*raster.Image{}
	for _, name := range names {
		files[name], want[name] = sample(t, name), decode(t, name)
	}
	var group sync.WaitGroup
	faults := make(chan string, 1)
	for worker := range 8 {
		group.Go(func() {
			order := append(append([]string{}, names...), names...)
			rand.New(rand.NewPCG(uint64(worker), 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, name := range order {
				got, err := raster.Decode(files[name], nil, background)
				if err != nil || !bytes.Equal(want[name].RGB, got.RGB) {
					select {
					case faults <- name:
					default:
					}
				}
			}
		})
	}
	group.Wait()
	close(faults)
	require.Empty(t, <-faults)
}

// Nothing that is read may be written: a mapped file would fault, and a shared one would change
// under others.
func TestDecodeLeavesItsInput(t *testing.T) {
	for _, name := range pictures(t) {
		whole := append(sample(t, name), make([]byte, 64)...)
		before := bytes.Clone(whole)
		_, err := raster.Decode(whole[:len(whole)-64], nil, background)
		require.NoError(t, err)
		require.True(t, bytes.Equal(before, whole), name)
	}
}

// The decoders of others see the files of strangers. One that panics must not end the process.
func TestDecodeSurvives(t *testing.T) {
	im, err := raster.DecodeWith(raster.WebP, func(io.Reader) (image.Image, error) { panic("index out of range") }, nil)
	require.ErrorIs(t, err, errors.ErrMalformed)
	require.ErrorContains(t, err, "the decoder of the WebP panicked: index out of range")
	require.Nil(t, im)
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		begin string
		want  raster.Format
		name  string
	}{
		{"\xFF\xD8\xFF\xE0", raster.JPEG, "JPEG"},
		{"\x89PNG\r\n\x1a\n", raster.PNG, "PNG"},
		{"RIFF\x00\x00\x00\x00WEBP", raster.WebP, "WebP"},
		{"RIFF\x00\x00\x00\x00WAVE", 0, "unknown format"},
		{"RIFF\x00\x00\x00\x00WEB", 0, "unknown format"},
		{"\xFF\xD8", 0, "unknown format"},
		{"\x89PNG\r\n\x1a", 0, "unknown format"},
		{"GIF89a", 0, "unknown format"},
		{"", 0, "unknown format"},
	} {
		format, known := raster.Sniff([]byte(c.begin))
		require.Equal(t, c.want, format, "%q", c.begin)
		require.Equal(t, c.want != 0, known, "%q", c.begin)
		require.Equal(t, c.name, format.String())
	}
}

func TestDecodeNoImage(t *testing.T) {
	for _, file := range []string{"", "GIF89a\x01\x00\x01\x00", "not an image", "\xFF\xD8", "RIFF\x04\x00\x00\x00WAVE"} {
		_, err := raster.Decode([]byte(file), nil, background)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, "first bytes are not those of JPEG, PNG or WebP")
	}
}

// A file that was cut is an error wherever it was cut, and what stands after a whole one does not
// matter.
func TestDecodeCut(t *testing.T) {
	for _, name := range pictures(t) {
		file := sample(t, name)
		// Most cuts of a PNG are found by decoding it, so not each of them is tried.
		step := 1
		if filepath.Ext(name) == ".png" {
			step = 1 + len(file)/50
		}
		for end := 0; end < len(file); end += step {
			_, err := raster.Decode(file[:end:end], nil, background)
			require.ErrorIs(t, err, errors.ErrMalformed, "%s cut to %d bytes", name, end)
		}
		_, err := raster.Decode(file[:len(file)-1:len(file)-1], nil, background)
		require.ErrorContains(t, err, "ends early", name)

		longer := append(bytes.Clone(file), "\xFF\xD9 behind the picture \xFF\xD8\xFF"...)
		im, err := raster.Decode(longer, nil, background)
		require.NoError(t, err, name)
		require.Equal(t, decode(t, name), im, name)
	}
}

// An explosion is told from its header: nothing is allocated for it.
func TestDecodeBomb(t *testing.T) {
	jpeg := bytes.Clone(sample(t, "baseline.jpg"))
	copy(jpeg[frameOf(t, jpeg)+5:], "\xFF\xFF\xFF\xFF")
	simple, lossless := bytes.Clone(sample(t, "lossy.webp")), bytes.Clone(sample(t, "lossless.webp"))
	copy(simple[26:], "\xFF\x3F\xFF\x3F")
	copy(lossless[21:], "\xFF\xFF\xFF\x0F")
	canvas := bytes.Clone(sample(t, "animated.webp"))
	copy(canvas[24:], "\xFF\xFF\xFF\xFF\xFF\xFF")
	for name, file := range map[string][]byte{
		"JPEG": jpeg, "PNG": pngOf(t, 1<<15, 1<<12), "lossy": simple, "lossless": lossless, "canvas": canvas,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := raster.Decode(file, nil, background)
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, errors.ErrMalformed)
			require.ErrorContains(t, err, "the limit is 67108864")
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
		})
	}
}

func TestLimits(t *testing.T) {
	for _, name := range pictures(t) {
		want := decode(t, name)
		pixels := want.Width * want.Height
		im, err := raster.Decode(sample(t, name), &raster.Limits{Pixels: pixels}, background)
		require.NoError(t, err, name)
		require.Equal(t, want, im, name)
		im, err = raster.Decode(sample(t, name), &raster.Limits{}, background)
		require.NoError(t, err, name)
		require.Equal(t, want, im, name)
		if pixels > 1 {
			_, err = raster.Decode(sample(t, name), &raster.Limits{Pixels: pixels - 1}, background)
			require.ErrorIs(t, err, errors.ErrMalformed, name)
			require.ErrorContains(t, err, "the limit is", name)
		}
	}
}

func TestDecodePNGChecksums(t *testing.T) {
	file := sample(t, "rgb-alpha-8.png")
	for at := 8; at+12 <= len(file); {
		size := int(file[at])<<24 | int(file[at+1])<<16 | int(file[at+2])<<8 | int(file[at+3])
		end := at + 12 + size
		flipped := bytes.Clone(file)
		flipped[end-1] ^= 1
		_, err := raster.Decode(flipped, nil, background)
		require.ErrorIs(t, err, errors.ErrMalformed, "chunk %q", file[at+4:at+8])
		at = end
	}
}

// Transparent pixels show the background, whatever it is, by the formula of the page.
func TestDecodeTransparency(t *testing.T) {
	source := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for x, c := range []color.NRGBA{{200, 100, 50, 255}, {200, 100, 50, 0}, {200, 100, 50, 128}, {255, 0, 1, 1}} {
		source.SetNRGBA(x, 0, c)
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, source))
	for _, c := range []struct {
		background [3]uint8
		want       []byte
	}{
		{[3]uint8{255, 255, 255}, []byte{200, 100, 50, 255, 255, 255, 227, 177, 152, 255, 254, 254}},
		{[3]uint8{0, 0, 0}, []byte{200, 100, 50, 0, 0, 0, 100, 50, 25, 1, 0, 0}},
		{[3]uint8{10, 20, 30}, []byte{200, 100, 50, 10, 20, 30, 105, 60, 40, 11, 20, 30}},
	} {
		im, err := raster.Decode(file.Bytes(), nil, c.background)
		require.NoError(t, err)
		require.Equal(t, c.want, im.RGB)
	}
}
