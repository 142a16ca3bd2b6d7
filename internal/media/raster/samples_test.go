package raster_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// samples is a folder of files whose INDEX.md says what each is for. Every implementation decodes
// the same.
var samples = filepath.Join("..", "..", "..", "testdata", "media", "images")

// background is what every golden was laid over. White would hide a mistake of alpha in bright
// pictures.
var background = [3]uint8{16, 96, 240}

var (
	clipMean      = [3]float32{0.48145466, 0.4578275, 0.40821073}
	clipDeviation = [3]float32{0.26862954, 0.26130258, 0.27577711}
)

func sample(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(samples, name))
	require.NoError(t, err)
	return data
}

// sampleNames returns the names of the files that match a pattern.
func sampleNames(t testing.TB, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(samples, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// goldenImage reads a PPM as another decoder wrote it.
func goldenImage(t testing.TB, name string) *raster.Image {
	data := sample(t, filepath.Join("golden", name))
	im := &raster.Image{}
	_, err := fmt.Fscanf(bytes.NewReader(data), "P6\n%d %d\n255\n", &im.Width, &im.Height)
	require.NoError(t, err, name)
	im.RGB = data[len(data)-im.Width*im.Height*3:]
	return im
}

func goldenFloats(t testing.TB, name string) []float32 {
	data := sample(t, filepath.Join("golden", name))
	floats := make([]float32, len(data)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return floats
}

func decode(t testing.TB, name string) *raster.Image {
	im, err := raster.Decode(sample(t, name), nil, background)
	require.NoError(t, err, name)
	require.Len(t, im.RGB, im.Width*im.Height*3)
	return im
}

// requireNear compares two pictures of one size, sample by sample, and on average.
func requireNear(t testing.TB, want, got *raster.Image, most int, mean float64, name string) {
	require.Equal(t, [2]int{want.Width, want.Height}, [2]int{got.Width, got.Height}, name)
	require.Len(t, got.RGB, len(want.RGB), name)
	worst, at, sum := 0, 0, 0.0
	for i := range want.RGB {
		difference := max(int(want.RGB[i])-int(got.RGB[i]), int(got.RGB[i])-int(want.RGB[i]))
		if sum += float64(difference); difference > worst {
			worst, at = difference, i
		}
	}
	sum /= float64(len(want.RGB))
	pixel := at / 3
	require.LessOrEqual(t, worst, most, "%s: channel %d of the pixel at %d, %d", name, at%3, pixel%want.Width, pixel/want.Width)
	require.LessOrEqual(t, sum, mean, "%s: mean difference", name)
}
