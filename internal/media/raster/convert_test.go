package raster_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// plain hides the type of an image, so that only its colours can be asked for.
type plain struct{ image.Image }

// painted draws the same noise, transparency included, on any image.
func painted[I interface {
	image.Image
	Set(x, y int, c color.Color)
}](im I, colours func(random *rand.Rand) color.Color) I {
	random := rand.New(rand.NewPCG(5, 5))
	bounds := im.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			im.Set(x, y, colours(random))
		}
	}
	return im
}

func any8(r *rand.Rand) color.Color {
	return color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.IntN(2) * r.IntN(256))}
}

func any16(r *rand.Rand) color.Color {
	return color.NRGBA64{uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.IntN(2) * r.IntN(65536))}
}

func sixteen() color.Palette {
	var palette color.Palette
	random := rand.New(rand.NewPCG(6, 6))
	for range 16 {
		palette = append(palette, any8(random))
	}
	return palette
}

// What an image of any type becomes is what its colours become, one by one, and a part of it is
// that part.
func TestFromImage(t *testing.T) {
	bounds := image.Rect(-3, 7, 14, 16)
	part := image.Rect(2, 9, 11, 15)
	for name, source := range map[string]image.Image{
		"Gray":     painted(image.NewGray(bounds), any8),
		"Gray16":   painted(image.NewGray16(bounds), any16),
		"RGBA":     painted(image.NewRGBA(bounds), any8),
		"NRGBA":    painted(image.NewNRGBA(bounds), any8),
		"RGBA64":   painted(image.NewRGBA64(bounds), any16),
		"NRGBA64":  painted(image.NewNRGBA64(bounds), any16),
		"CMYK":     painted(image.NewCMYK(bounds), any8),
		"Paletted": painted(image.NewPaletted(bounds, sixteen()), any8),
		"Alpha":    painted(image.NewAlpha(bounds), any8),
		"Alpha16":  painted(image.NewAlpha16(bounds), any16),
	} {
		t.Run(name, func(t *testing.T) {
			most := 0
			if name == "CMYK" {
				most = 1 // package color cuts what the page rounds
			}
			for _, source := range []image.Image{source, source.(interface {
				SubImage(image.Rectangle) image.Image
			}).SubImage(part)} {
				want := raster.FromImage(plain{source}, background)
				require.Equal(t, source.Bounds().Dx()*source.Bounds().Dy()*3, len(want.RGB))
				requireNear(t, want, raster.FromImage(source, background), most, 1, name)
			}
		})
	}
}

// The formulas of the page, by numbers worked out by hand over the background 16, 96, 240.
func TestFromImageColours(t *testing.T) {
	for _, c := range []struct {
		colour color.Color
		want   [3]byte
	}{
		{color.NRGBA{200, 100, 50, 255}, [3]byte{200, 100, 50}},
		{color.NRGBA{200, 100, 50, 0}, [3]byte{16, 96, 240}},
		{color.NRGBA{200, 100, 50, 128}, [3]byte{108, 98, 145}},
		{color.RGBA{100, 50, 25, 128}, [3]byte{108, 98, 145}},
		{color.RGBA{0, 0, 0, 0}, [3]byte{16, 96, 240}},
		// No colour at all, but some draw it.
		{color.RGBA{255, 255, 255, 128}, [3]byte{255, 255, 255}},
		{color.NRGBA64{128, 129, 65535, 65535}, [3]byte{0, 1, 255}},
		{color.NRGBA64{51400, 25700, 12850, 32896}, [3]byte{108, 98, 145}},
		{color.Gray{77}, [3]byte{77, 77, 77}},
		{color.Gray16{385}, [3]byte{1, 1, 1}},
		{color.Gray16{386}, [3]byte{2, 2, 2}},
		{color.Alpha{128}, [3]byte{136, 176, 248}},
	} {
		require.Equal(t, c.want[:], raster.FromImage(single{c.colour}, background).RGB, "%T %[1]v", c.colour)
	}
	inks := image.NewCMYK(image.Rect(0, 0, 1, 1))
	inks.SetCMYK(0, 0, color.CMYK{55, 100, 200, 20})
	require.Equal(t, []byte{184, 143, 51}, raster.FromImage(inks, background).RGB)
}

// single is an image of one pixel.
type single struct{ color.Color }

func (s single) ColorModel() color.Model     { return color.RGBAModel }
func (s single) Bounds() image.Rectangle     { return image.Rect(5, 5, 6, 6) }
func (s single) At(x, y int) (c color.Color) { return s.Color }

func TestFromImageNothing(t *testing.T) {
	for _, source := range []image.Image{
		image.NewRGBA(image.Rectangle{}), image.NewRGBA(image.Rect(0, 0, 5, 0)), &image.YCbCr{}, &image.Paletted{},
	} {
		require.Equal(t, &raster.Image{}, raster.FromImage(source, background))
	}
	// A palette that lacks a colour in use.
	require.Equal(t, []byte{0, 0, 0}, raster.FromImage(image.NewPaletted(image.Rect(0, 0, 1, 1), nil), background).RGB)
}

var ratios = []image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
}

// slope returns a picture whose luma and chroma rise evenly, so that interpolation gives what was
// there.
func slope(bounds image.Rectangle, ratio image.YCbCrSubsampleRatio, across, down int) *image.YCbCr {
	im := image.NewYCbCr(bounds, ratio)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			im.Y[im.YOffset(x, y)] = 120
			// The sample lies in the middle of the pixels that share it.
			cx, cy := x-x%across, y-y%down
			im.Cb[im.COffset(x, y)] = uint8(100 + 4*cx + 2*(across-1) + 2*cy + down - 1)
			im.Cr[im.COffset(x, y)] = uint8(140 - 2*cx - (across - 1))
		}
	}
	return im
}

func TestFromImageChroma(t *testing.T) {
	bounds := image.Rect(0, 0, 12, 8)
	want := raster.FromImage(slope(bounds, ratios[0], 1, 1), background)
	for i, span := range [][2]int{{1, 1}, {2, 1}, {2, 2}, {1, 2}} {
		got := raster.FromImage(slope(bounds, ratios[i], span[0], span[1]), background)
		// Nothing lies beyond the border to be interpolated with.
		for y := 1; y < 7; y++ {
			row := (y*12 + 1) * 3
			require.InDeltaSlice(t, floats(want.RGB[row:row+30]), floats(got.RGB[row:row+30]), 2, "ratio %v, row %d", ratios[i], y)
		}
	}
	// Where no chroma is shared, package color says the same, except for rounding.
	noise := image.NewYCbCr(image.Rect(0, 0, 64, 64), ratios[0])
	random := rand.New(rand.NewPCG(7, 7))
	for i := range noise.Y {
		noise.Y[i], noise.Cb[i], noise.Cr[i] = uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32())
	}
	requireNear(t, raster.FromImage(plain{noise}, background), raster.FromImage(noise, background), 1, 0.25, "noise")
}

// A part of a picture may begin in the middle of a sample of chroma. It looks as it does in the
// whole, but at its borders.
func TestFromImageChromaParts(t *testing.T) {
	for _, ratio := range ratios {
		whole := image.NewYCbCr(image.Rect(0, 0, 24, 20), ratio)
		random := rand.New(rand.NewPCG(8, 8))
		for _, samples := range [][]byte{whole.Y, whole.Cb, whole.Cr} {
			for i := range samples {
				samples[i] = uint8(random.Uint32())
			}
		}
		all := raster.FromImage(whole, background)
		for left := 4; left < 8; left++ {
			for top := 4; top < 8; top++ {
				part := whole.SubImage(image.Rect(left, top, left+11, top+9))
				got := raster.FromImage(part, background)
				for y := 2; y < 7; y++ {
					want := all.RGB[((top+y)*24+left+2)*3:][:7*3]
					require.Equal(t, want, got.RGB[(y*11+2)*3:][:7*3], "%v from %d, %d: row %d", ratio, left, top, y)
				}
				shown := &image.NYCbCrA{YCbCr: *part.(*image.YCbCr), A: make([]byte, 20*20), AStride: 20}
				for i := range 11 {
					shown.A[20+i] = 255 // the second row
				}
				laid := raster.FromImage(shown, background)
				require.Equal(t, got.RGB[33:66], laid.RGB[33:66])
				require.Equal(t, background[:], laid.RGB[:3])
			}
		}
	}
	// Package image rounds towards zero, left of which there are no pictures.
	below := image.NewYCbCr(image.Rect(-3, -3, 3, 3), ratios[2])
	require.Equal(t, raster.FromImage(plain{below}, background), raster.FromImage(below, background))
}

func floats(bytes []byte) []float32 {
	var floats []float32
	for _, v := range bytes {
		floats = append(floats, float32(v))
	}
	return floats
}
