package raster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// tolerance is for weights and products in 32 bits, and sums of up to 256 of them, of values up to
// 255: a few units of 255·2^-24, more where the cubic's negative parts cancel.
const tolerance = 1e-4

func TestResizeGoldens(t *testing.T) {
	for _, c := range []struct {
		name string
		side int
	}{{"scene", 32}, {"scene", 8}, {"small", 16}, {"dot", 8}, {"tall", 16}, {"wide", 16}, {"square", 16}} {
		name := fmt.Sprintf("resize-%s-%d.f32", c.name, c.side)
		resized := raster.Resize(goldenImage(t, c.name+".ppm"), c.side)
		require.InDeltaSlice(t, goldenFloats(t, name), resized, tolerance, name)
	}
}

func noise(width, height int) *raster.Image {
	im := &raster.Image{Width: width, Height: height, RGB: make([]byte, width*height*3)}
	random := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	for i := range im.RGB {
		im.RGB[i] = uint8(random.Uint32())
	}
	return im
}

// weigh returns step 4 for one axis, straight from the page, in double precision.
func weigh(n, side, o int) []float64 {
	weights, sum := make([]float64, n), 0.0
	z, s := (float64(o)+0.5)*float64(n)/float64(side), math.Max(float64(n)/float64(side), 1)
	for i := range weights {
		if t := math.Abs(float64(i)+0.5-z) / s; t < 1 {
			weights[i] = 1.5*math.Pow(t, 3) - 2.5*math.Pow(t, 2) + 1
		} else if t < 2 {
			weights[i] = -0.5*math.Pow(t, 3) + 2.5*math.Pow(t, 2) - 4*t + 2
		}
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

func reference(im *raster.Image, side int) []float32 {
	var out []float32
	wide := make([]float64, im.Height*side*3)
	for o := range side {
		for x, w := range weigh(im.Width, side, o) {
			for y := range im.Height {
				for c := range 3 {
					wide[(y*side+o)*3+c] += w * float64(im.RGB[(y*im.Width+x)*3+c])
				}
			}
		}
	}
	for o := range side {
		row := make([]float64, side*3)
		for y, w := range weigh(im.Height, side, o) {
			for i := range row {
				row[i] += w * wide[y*side*3+i]
			}
		}
		for _, v := range row {
			out = append(out, float32(min(max(v, 0), 255)))
		}
	}
	return out
}

func TestResizeReference(t *testing.T) {
	var resizer raster.Resizer
	random := rand.New(rand.NewPCG(9, 9))
	sizes := [][3]int{{1, 1, 1}, {1, 1, 7}, {2, 2, 3}, {1, 50, 8}, {50, 1, 8}, {17, 17, 17}, {16, 8, 4}, {3, 300, 2}, {999, 2, 9}}
	for range 40 {
		sizes = append(sizes, [3]int{1 + random.IntN(70), 1 + random.IntN(70), 1 + random.IntN(40)})
	}
	for _, size := range sizes {
		im, side := noise(size[0], size[1]), size[2]
		want := reference(im, side)
		fresh := raster.Resize(im, side)
		require.InDeltaSlice(t, want, fresh, tolerance, "%v", size)
		// What a resizer did before leaves no trace.
		again := make([]float32, side*side*3+1)
		again[side*side*3] = 42
		resizer.Resize(again, im, side)
		require.Equal(t, fresh, again[:side*side*3], "%v", size)
		require.EqualValues(t, 42, again[side*side*3])
	}
}

// The picture is cut into bands of columns where it is wide, and never held in floats where it is
// high.
func TestResizeExtremes(t *testing.T) {
	for _, size := range [][3]int{{200_000, 1, 8}, {1, 200_000, 8}, {70_000, 2, 16}, {131_073, 1, 1}, {9, 30_000, 8}} {
		im := noise(size[0], size[1])
		require.InDeltaSlice(t, reference(im, size[2]), raster.Resize(im, size[2]), tolerance, "%v", size)
	}
	// Sums of millions of small weights stay exact enough.
	for _, size := range [][2]int{{1 << 21, 1}, {1, 1 << 20}} {
		im := &raster.Image{Width: size[0], Height: size[1], RGB: make([]byte, size[0]*size[1]*3)}
		for i := range im.RGB {
			im.RGB[i] = 201
		}
		for _, v := range raster.Resize(im, 4) {
			require.InDelta(t, 201, v, tolerance)
		}
	}
}

// An image of the size asked for is left as it is, and one without pixels is black.
func TestResizePlain(t *testing.T) {
	im := noise(23, 23)
	require.Equal(t, floats(im.RGB), raster.Resize(im, 23))
	resized := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	new(raster.Resizer).Resize(resized, &raster.Image{}, 2)
	require.Equal(t, make([]float32, 12), resized)
	require.Empty(t, raster.Resize(im, 0))
}

// Where the cubic overshoots, values are clamped: at the edge of black and white, on both sides.
func TestResizeClamps(t *testing.T) {
	im := &raster.Image{Width: 4, Height: 1, RGB: []byte{0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255}}
	resized := raster.Resize(im, 16)
	require.EqualValues(t, 0, resized[5*3])
	require.EqualValues(t, 255, resized[10*3])
	for _, v := range resized {
		require.True(t, v >= 0 && v <= 255)
	}
}

func TestResizeAllocates(t *testing.T) {
	var resizer raster.Resizer
	large, small := noise(150, 90), noise(20, 99)
	resized := make([]float32, 32*32*3)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		resizer.Resize(resized, large, 32)
		resizer.Resize(resized, small, 16)
	}))
}
