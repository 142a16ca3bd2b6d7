package preprocess_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// TestSquareLies checks where the square is cut, in pictures that are not resized: their bytes say
// where they were.
func TestSquareLies(t *testing.T) {
	for _, c := range []struct {
		width, height, side int
		even                bool
		left, top           int
	}{
		{8, 8, 8, false, 0, 0},
		{9, 11, 8, false, 0, 1},
		{11, 13, 8, false, 1, 2},
		{9, 11, 8, true, 0, 2},
		{11, 13, 8, true, 2, 2},
		{5, 4, 8, false, -2, -2},
		{5, 12, 8, false, -2, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			im := &raster.Image{Width: c.width, Height: c.height, RGB: make([]byte, c.width*c.height*3)}
			for i := range c.width * c.height {
				im.RGB[i*3], im.RGB[i*3+1], im.RGB[i*3+2] = byte(i%c.width), byte(i/c.width), 1
			}
			p := preprocess.Preprocessing{Side: c.side, Even: c.even}
			dst := make([]byte, c.side*c.side*3)
			p.Square(new(preprocess.Resizer), dst, im)
			for i := range c.side * c.side {
				x, y := i%c.side+c.left, i/c.side+c.top
				want := []byte{byte(x), byte(y), 1}
				if x < 0 || y < 0 || x >= c.width || y >= c.height {
					want = []byte{0, 0, 0}
				}
				require.Equal(t, want, dst[i*3:][:3], i)
			}
		})
	}
}

// TestSizesAreTransformers compares sizes after resizing with int(short * long / short) of Python.
func TestSizesAreTransformers(t *testing.T) {
	var r preprocess.Resizer
	for _, c := range []struct{ width, height, short, long int }{
		{61, 41, 24, 35}, {41, 61, 24, 35}, {640, 480, 224, 298}, {3, 1, 7, 21}, {299, 298, 224, 224}, {1000, 999, 336, 336}, {1, 1, 5, 5},
	} {
		im := picture(c.width, c.height)
		p := preprocess.Preprocessing{Short: c.short, Filter: preprocess.Bicubic, Side: c.short}
		got := make([]byte, c.short*c.short*3)
		p.Square(&r, got, im)
		area := preprocess.Area{Width: c.long, Height: c.short, Left: (c.long - c.short) / 2, Columns: c.short, Rows: c.short}
		if c.width < c.height {
			area.Width, area.Height, area.Left, area.Top = c.short, c.long, 0, (c.long-c.short)/2
		}
		want := make([]byte, len(got))
		r.Resize(want, im, area, preprocess.Bicubic)
		require.Equal(t, want, got, c)
	}
}

// TestPatchesLieAsWeightsDo checks the order of a patch's scalars, and their values.
func TestPatchesLieAsWeightsDo(t *testing.T) {
	im := picture(6, 6)
	p := preprocess.Preprocessing{Side: 6, Patch: 3, Scale: 1 / 255., Mean: [3]float32{.1, .2, .3}, Deviation: [3]float32{.4, .5, .6}}
	require.Equal(t, 4, p.Count())
	require.Equal(t, 27, p.Size())
	dst := make([]float32, 4*27)
	p.Patches(new(preprocess.Resizer), dst, im)
	for i, v := range dst {
		patch, channel, y, x := i/27, i%27/9, i%9/3, i%3
		at := (patch/2*3+y)*6 + patch%2*3 + x
		want := (float64(im.RGB[at*3+channel])/255 - float64(p.Mean[channel])) / float64(p.Deviation[channel])
		require.InDelta(t, want, v, 1e-6, i)
	}
}

// TestElongatedPictures checks that time and memory depend on what is read, not on the size that
// the whole picture would have after resizing.
func TestElongatedPictures(t *testing.T) {
	var r preprocess.Resizer
	for _, size := range [][2]int{{1, 1 << 17}, {1 << 17, 1}, {0, 0}} {
		im := picture(size[0], size[1])
		for filter := range preprocess.Filter(preprocess.Filters) {
			for _, p := range []preprocess.Preprocessing{{Short: 32}, {Short: 1 << 20}, {Width: 32, Height: 32}, {}} {
				p.Filter, p.Side = filter, 32
				p.Square(&r, make([]byte, 32*32*3), im)
			}
		}
	}
}

func BenchmarkPatches(b *testing.B) {
	im := picture(640, 480)
	p := preprocess.Preprocessing{Short: 224, Filter: preprocess.Bicubic, Side: 224, Patch: 32, Scale: 1 / 255., Deviation: [3]float32{1, 1, 1}}
	dst := make([]float32, p.Count()*p.Size())
	var r preprocess.Resizer
	for b.Loop() {
		p.Patches(&r, dst, im)
	}
}
