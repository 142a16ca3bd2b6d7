package raster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

func TestPatchesGoldens(t *testing.T) {
	for _, c := range []struct {
		name, golden string
		side, patch  int
	}{
		{"scene.ppm", "patches-scene-32-8.f32", 32, 8},
		{"small.ppm", "patches-small-16-16.f32", 16, 16},
	} {
		patches := make([]float32, c.side*c.side*3)
		resized := raster.Resize(goldenImage(t, c.name), c.side)
		raster.Patches(patches, resized, c.side, c.patch, clipMean, clipDeviation)
		// That of resizing, divided by 255 and the deviation.
		require.InDeltaSlice(t, goldenFloats(t, c.golden), patches, 2e-6, c.golden)
	}
}

// Every value is its own place in the picture, so the order shows.
func TestPatchesOrder(t *testing.T) {
	const side, patch = 4, 2
	resized := make([]float32, side*side*3)
	for i := range resized {
		resized[i] = float32(i)
	}
	patches := make([]float32, len(resized)+1)
	patches[len(resized)] = 42
	// A mean of zero and a deviation of 1/255 leave a value as it is, except for rounding.
	raster.Patches(patches, resized, side, patch, [3]float32{}, [3]float32{1. / 255, 1. / 255, 1. / 255})
	require.InDeltaSlice(t, []float32{
		0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17,
		6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23,
		24, 25, 26, 27, 28, 29, 36, 37, 38, 39, 40, 41,
		30, 31, 32, 33, 34, 35, 42, 43, 44, 45, 46, 47, 42,
	}, patches, 1e-4)
}

func TestPatchesNormalise(t *testing.T) {
	patches := make([]float32, 3)
	raster.Patches(patches, []float32{0, 127.5, 255}, 1, 1, [3]float32{0.5, 0.25, -1}, [3]float32{0.5, 0.5, 4})
	require.Equal(t, []float32{-1, 0.5, 0.5}, patches)
}
