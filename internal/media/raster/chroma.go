package raster

import "image"

// sample is one of up to 8 bits, or of more.
type sample interface{ byte | uint16 }

// plane is one channel of a picture, or what there is of it: each sample lies under across × down pixels.
type plane = planeOf[byte]

// planeOf is a plane of samples of any width.
type planeOf[T sample] struct {
	samples       []T
	stride        int
	columns, rows int
	across, down  int
}

// rounding is what the two decoders that everybody uses add before they divide, to samples in even and in odd places. It
// alternates in libjpeg, so that errors do not add up.
type rounding struct {
	quarterEven, quarterOdd     int
	sixteenthEven, sixteenthOdd int
}

var (
	jpegRounding = rounding{1, 2, 8, 7}
	webpRounding = rounding{2, 2, 8, 8}
)

// row is the channel at row y of the picture, one sample a pixel, in dst, which has room for columns × across. A sample
// that lies between pixels is interpolated from its neighbours, three parts near to one part far on each axis, as libjpeg
// and libwebp do. Repeating the nearest, as package image does, puts colours half a pixel off.
func (p *planeOf[T]) row(dst []T, y int, rounding rounding) {
	near := y / p.down
	far := near
	if p.down == 2 {
		far = min(max(near-1+y%2*2, 0), p.rows-1)
	}
	nearer := p.samples[near*p.stride:][:p.columns]
	farther := p.samples[far*p.stride:][:p.columns]
	switch {
	case p.across == 1 && p.down == 1:
		copy(dst, nearer)
	case p.across == 1 && p.down == 2:
		bias := rounding.quarterEven
		if y%2 == 1 {
			bias = rounding.quarterOdd
		}
		for i, v := range nearer {
			dst[i] = T((3*int(v) + int(farther[i]) + bias) >> 2)
		}
	case p.across == 2 && p.down == 1:
		last := int(nearer[0])
		for i, v := range nearer {
			here, next := 3*int(v), int(nearer[min(i+1, p.columns-1)])
			pair := dst[2*i : 2*i+2 : 2*i+2]
			pair[0] = T((here + last + rounding.quarterEven) >> 2)
			pair[1] = T((here + next + rounding.quarterOdd) >> 2)
			last = int(v)
		}
	case p.across == 2 && p.down == 2:
		here := 3*int(nearer[0]) + int(farther[0])
		last := here
		for i := range p.columns {
			next := here
			if i+1 < len(nearer) && i+1 < len(farther) {
				next = 3*int(nearer[i+1]) + int(farther[i+1])
			}
			pair := dst[2*i : 2*i+2 : 2*i+2]
			pair[0] = T((3*here + last + rounding.sixteenthEven) >> 4)
			pair[1] = T((3*here + next + rounding.sixteenthOdd) >> 4)
			last, here = here, next
		}
	default: // four to one, which nobody interpolates
		for i := range dst {
			dst[i] = nearer[i/p.across]
		}
	}
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
func fromYCbCr(source *image.YCbCr, rounding rounding, convert func(rgb, y, cb, cr []byte)) *Image {
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
	luma := plane{samples: source.Y, stride: source.YStride}
	convertPlanes(im, &luma, &cb, &cr, image.Pt(left, top), rounding, convert)
	return im
}

// convertPlanes fills a picture from luma and chroma, row by row. The picture begins at a corner of what chroma covers.
func convertPlanes[T sample](im *Image, luma, cb, cr *planeOf[T], corner image.Point, rounding rounding, convert func(rgb []byte, y, cb, cr []T)) {
	wide := cb.columns * cb.across
	blue, red := make([]T, wide), make([]T, wide)
	for y := range im.Height {
		cb.row(blue, corner.Y+y, rounding)
		cr.row(red, corner.Y+y, rounding)
		level := luma.samples[y*luma.stride:][:im.Width]
		convert(im.RGB[y*im.Width*3:][:im.Width*3], level, blue[corner.X:][:im.Width], red[corner.X:][:im.Width])
	}
}

// fullRange converts a row of JPEG's colours: BT.601 of 0 … 255, in steps of 2^-16.
func fullRange(rgb, y, cb, cr []byte) {
	for i, luma := range y {
		blue, red := int(cb[i])-128, int(cr[i])-128
		level := int(luma)<<16 + 1<<15
		pixel := rgb[3*i : 3*i+3 : 3*i+3]
		pixel[0] = clamp((level + 91881*red) >> 16)
		pixel[1] = clamp((level - 22554*blue - 46802*red) >> 16)
		pixel[2] = clamp((level + 116130*blue) >> 16)
	}
}

// limitedRange converts a row of VP8's colours: BT.601 with luma of 16 … 235 and chroma of 16 … 240. The products are cut to
// steps of 2^-6 one by one, since libwebp cuts them, and the result is then the same to the last bit.
func limitedRange(rgb, y, cb, cr []byte) {
	for i := range y {
		level, blue, red := int(y[i])*19077>>8, int(cb[i]), int(cr[i])
		pixel := rgb[3*i : 3*i+3 : 3*i+3]
		pixel[0] = clamp((level + red*26149>>8 - 14234) >> 6)
		pixel[1] = clamp((level - blue*6419>>8 - red*13320>>8 + 8708) >> 6)
		pixel[2] = clamp((level + blue*33050>>8 - 17685) >> 6)
	}
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }
