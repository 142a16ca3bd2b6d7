package raster

import (
	"image"

	"github.com/unum-cloud/uform-go/internal/media/chroma"
)

// sample is a sample of up to 8 bits, or of more.
type sample interface{ byte | uint16 }

// plane is one channel of a picture, or a part of it. Each sample covers across × down pixels.
type plane[T sample] struct {
	samples       []T
	stride        int
	columns, rows int
	across, down  int
}

// row returns the channel at row y of the picture, one sample per pixel. It may use dst, which
// holds columns × across samples.
func (p *plane[T]) row(dst []T, y int, rounding chroma.Rounding) {
	at, beside := chroma.Rows(y, p.down, p.rows)
	near, far := p.samples[at*p.stride:][:p.columns], p.samples[beside*p.stride:][:p.columns]
	switch dst := any(dst).(type) {
	case []byte:
		rounding.Upsample(dst, any(near).([]byte), any(far).([]byte), p.across, p.down, y)
	case []uint16:
		rounding.UpsampleDeep(dst, any(near).([]uint16), any(far).([]uint16), p.across, p.down, y)
	}
}

// spans returns the number of pixels that a sample of chroma covers.
var spans = map[image.YCbCrSubsampleRatio][2]int{
	image.YCbCrSubsampleRatio444: {1, 1},
	image.YCbCrSubsampleRatio422: {2, 1},
	image.YCbCrSubsampleRatio420: {2, 2},
	image.YCbCrSubsampleRatio440: {1, 2},
	image.YCbCrSubsampleRatio411: {4, 1},
	image.YCbCrSubsampleRatio410: {4, 2},
}

// fromYCbCr converts a picture of luma and chroma with a row conversion.
func fromYCbCr(source *image.YCbCr, rounding chroma.Rounding, convert func(rgb, y, cb, cr []byte)) *Image {
	bounds := source.Rect
	im := newImage(bounds.Dx(), bounds.Dy())
	span := spans[source.SubsampleRatio]
	across, down := span[0], span[1]
	// A part of a picture may begin in the middle of a sample of chroma.
	left, top := bounds.Min.X%across, bounds.Min.Y%down
	luma := plane[byte]{samples: source.Y, stride: source.YStride}
	cb := plane[byte]{
		samples: source.Cb, stride: source.CStride, across: across, down: down,
		columns: (left + im.Width + across - 1) / across,
		rows:    (top + im.Height + down - 1) / down,
	}
	cr := cb
	cr.samples = source.Cr
	planes := planes[byte]{luma: &luma, cb: &cb, cr: &cr, corner: image.Pt(left, top)}
	planes.convert(im, rounding, convert)
	return im
}

// planes returns a picture of luma and chroma, which begins at the corner of a chroma sample.
type planes[T sample] struct {
	luma, cb, cr *plane[T]
	corner       image.Point
}

// convert fills a picture with a row conversion.
func (p *planes[T]) convert(im *Image, rounding chroma.Rounding, convert func(rgb []byte, y, cb, cr []T)) {
	wide, left := p.cb.columns*p.cb.across, p.corner.X
	blue, red := make([]T, wide), make([]T, wide)
	for y := range im.Height {
		p.cb.row(blue, p.corner.Y+y, rounding)
		p.cr.row(red, p.corner.Y+y, rounding)
		level := p.luma.samples[y*p.luma.stride:][:im.Width]
		convert(im.RGB[y*im.Width*3:][:im.Width*3], level, blue[left:][:im.Width], red[left:][:im.Width])
	}
}
