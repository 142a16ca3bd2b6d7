package jpeg_test

import (
	"bytes"
	"image"
	standard "image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/jpeg"
)

type picture struct {
	width, height int
	rgb           []byte
}

func decode(t testing.TB, file []byte) picture {
	parsed, err := jpeg.Parse(file)
	require.NoError(t, err)
	rgb := make([]byte, 3*parsed.Width*parsed.Height)
	require.NoError(t, new(jpeg.Decoder).Decode(rgb, parsed))
	return picture{parsed.Width, parsed.Height, rgb}
}

// samples returns the JPEGs that every implementation decodes, by name.
func samples(t testing.TB) map[string][]byte {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "media", "images", "*.jpg"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	files := map[string][]byte{}
	for _, path := range paths {
		files[filepath.Base(path)], err = os.ReadFile(path)
		require.NoError(t, err)
	}
	return files
}

// What image/jpeg decodes is the same here, except for its transform, which rounds in another way,
// and for the chroma that it repeats.
func TestLikeTheStandardLibrary(t *testing.T) {
	compared := 0
	for name, file := range samples(t) {
		im, err := standard.Decode(bytes.NewReader(file))
		if err != nil {
			continue
		}
		var want []byte
		switch im := im.(type) {
		case *image.Gray:
			for y := range im.Rect.Dy() {
				for _, v := range im.Pix[y*im.Stride:][:im.Rect.Dx()] {
					want = append(want, v, v, v)
				}
			}
		case *image.YCbCr:
			if im.SubsampleRatio != image.YCbCrSubsampleRatio444 {
				continue
			}
			for y := range im.Rect.Dy() {
				for x := range im.Rect.Dx() {
					r, g, b, _ := im.At(x, y).RGBA()
					want = append(want, byte(r>>8), byte(g>>8), byte(b>>8))
				}
			}
		default:
			continue
		}
		got := decode(t, file)
		require.Equal(t, im.Bounds().Size(), image.Pt(got.width, got.height), name)
		for i := range want {
			require.InDelta(t, want[i], got.rgb[i], 3, "%s: byte %d", name, i)
		}
		compared++
	}
	require.GreaterOrEqual(t, compared, 8)
}

// One decoder for many pictures gives what a new one gives, also after a file that it refused.
func TestDecoderAgain(t *testing.T) {
	files := samples(t)
	delete(files, "arithmetic.jpg")
	var decoder jpeg.Decoder
	for range 3 {
		for name, file := range files { // in another order each time
			parsed, err := jpeg.Parse(file)
			require.NoError(t, err, name)
			rgb := bytes.Repeat([]byte{0xAA}, 3*parsed.Width*parsed.Height)
			require.NoError(t, decoder.Decode(rgb, parsed), name)
			require.True(t, bytes.Equal(decode(t, file).rgb, rgb), name)

			short := append(bytes.Clone(file[:len(file)-40]), 0xFF, 0xD9)
			if parsed, err := jpeg.Parse(short); err == nil {
				_ = decoder.Decode(rgb, parsed)
			}
		}
	}
}

// A head that claims more pixels than its file could hold takes no memory.
func TestDecodeClaims(t *testing.T) {
	for _, name := range []string{"baseline.jpg", "progressive.jpg"} {
		file := bytes.Clone(samples(t)[name])
		frame := max(bytes.Index(file, []byte{0xFF, 0xC0, 0x00, 0x11}), bytes.Index(file, []byte{0xFF, 0xC2, 0x00, 0x11}))
		copy(file[frame+5:], "\x20\x00\x20\x00")
		parsed, err := jpeg.Parse(file)
		require.NoError(t, err)
		rgb := make([]byte, 3*parsed.Width*parsed.Height)
		var decoder jpeg.Decoder
		require.LessOrEqual(t, testing.AllocsPerRun(1, func() { err = decoder.Decode(rgb, parsed) }), 10.0)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, "ends early")
	}
}

// Pictures of one size take no new memory, whatever their kind.
func TestDecodeKeepsMemory(t *testing.T) {
	files := samples(t)
	for _, name := range []string{"baseline-2x2.jpg", "progressive.jpg", "scans-restarts-2x2-1B.jpg", "ycck-2x2.jpg"} {
		parsed, err := jpeg.Parse(files[name])
		require.NoError(t, err)
		rgb := make([]byte, 3*parsed.Width*parsed.Height)
		var decoder jpeg.Decoder
		require.NoError(t, decoder.Decode(rgb, parsed))
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = decoder.Decode(rgb, parsed) }), 4.0, name)
	}
}

// FuzzDecode checks, for any bytes, that a reused decoder returns the same picture twice, or
// refuses them with a status.
func FuzzDecode(f *testing.F) {
	for _, file := range samples(f) {
		f.Add(file)
	}
	var used jpeg.Decoder
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := jpeg.Parse(data)
		if err != nil {
			requireStatus(t, err)
			return
		}
		if parsed.Width*parsed.Height > 1<<14 {
			return
		}
		rgb, again := make([]byte, 3*parsed.Width*parsed.Height), make([]byte, 3*parsed.Width*parsed.Height)
		err = used.Decode(rgb, parsed)
		other := new(jpeg.Decoder).Decode(again, parsed)
		if err != nil {
			requireStatus(t, err)
			require.EqualError(t, other, err.Error())
			return
		}
		require.NoError(t, other)
		require.True(t, bytes.Equal(rgb, again))
	})
}

func requireStatus(t testing.TB, err error) {
	var status errors.Status
	require.ErrorAs(t, err, &status)
	require.Contains(t, []errors.Status{errors.ErrMalformed, errors.ErrUnsupported}, status)
}

// coded returns a picture of 1920×1080 pixels with noise everywhere.
func coded(b *testing.B) []byte {
	im := image.NewYCbCr(image.Rect(0, 0, 1920, 1080), image.YCbCrSubsampleRatio420)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range im.Y {
		x, y := i%1920, i/1920
		im.Y[i] = byte(64 + (x/3+y/2)%128 + random.IntN(24))
	}
	for i := range im.Cb {
		im.Cb[i], im.Cr[i] = byte(96+i%960/15), byte(96+i/960/9)
	}
	var file bytes.Buffer
	require.NoError(b, standard.Encode(&file, im, &standard.Options{Quality: 85}))
	return file.Bytes()
}

// benchmarkFile returns a file that a benchmark decodes: that of UFORM_BENCH_JPEG, or one of its
// own.
func benchmarkFile(b *testing.B) []byte {
	if path := os.Getenv("UFORM_BENCH_JPEG"); path != "" {
		file, err := os.ReadFile(path)
		require.NoError(b, err)
		return file
	}
	return coded(b)
}

func BenchmarkDecode(b *testing.B) {
	file := benchmarkFile(b)
	parsed, err := jpeg.Parse(file)
	require.NoError(b, err)
	rgb := make([]byte, 3*parsed.Width*parsed.Height)
	var decoder jpeg.Decoder
	b.SetBytes(int64(len(rgb)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, decoder.Decode(rgb, parsed))
	}
}

// BenchmarkStandardLibrary stops at luma and chroma.
func BenchmarkStandardLibrary(b *testing.B) {
	file := benchmarkFile(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := standard.Decode(bytes.NewReader(file))
		require.NoError(b, err)
	}
}
