package raster

import (
	"image"

	"github.com/unum-cloud/uform-go/engine/media/chroma"
)

// plane is one channel of a picture, or what there is of it: each sample lies under across × down pixels.
type plane struct {
	samples       []byte
	stride        int
	columns, rows int
	across, down  int
}

// row is the channel at row y of the picture, one sample a pixel, in dst, which has room for columns × across.
func (p *plane) row(dst []byte, y int, rounding chroma.Rounding) {
	near, far := chroma.Rows(y, p.down, p.rows)
	rounding.Upsample(dst, p.samples[near*p.stride:][:p.columns], p.samples[far*p.stride:][:p.columns], p.across, p.down, y)
}

// spans are the pixels that a sample of chroma lies under.
var spans = map[image.YCbCrSubsampleRatio][2]int{
	image.YCbCrSubsampleRatio444: {1, 1},
	image.YCbCrSubsampleRatio422: {2, 1},
	image.YCbCrSubsampleRatio420: {2, 2},
	image.YCbCrSubsampleRatio440: {1, 2},
	image.YCbCrSubsampleRatio411: {4, 1},
	image.YCbCrSubsampleRatio410: {4, 2},
}

// fromYCbCr converts a picture of luma and chroma, row by row, by a conversion.
func fromYCbCr(source *image.YCbCr, rounding chroma.Rounding, convert func(rgb, y, cb, cr []byte)) *Image {
	bounds := source.Rect
	im := newImage(bounds.Dx(), bounds.Dy())
	span := spans[source.SubsampleRatio]
	across, down := span[0], span[1]
	// A part of a picture may begin in the middle of a sample of chroma.
	left, top := bounds.Min.X%across, bounds.Min.Y%down
	cb := plane{
		samples: source.Cb, stride: source.CStride, across: across, down: down,
		columns: (left + im.Width + across - 1) / across,
		rows:    (top + im.Height + down - 1) / down,
	}
	cr := cb
	cr.samples = source.Cr
	wide := cb.columns * across
	blue, red := make([]byte, wide), make([]byte, wide)
	for y := range im.Height {
		cb.row(blue, top+y, rounding)
		cr.row(red, top+y, rounding)
		luma := source.Y[y*source.YStride:][:im.Width]
		convert(im.RGB[y*im.Width*3:][:im.Width*3], luma, blue[left:][:im.Width], red[left:][:im.Width])
	}
	return im
}
