package raster

import (
	"image"
	"image/color"

	"github.com/unum-cloud/uform-go/internal/media/chroma"
)

// FromImage converts an image of a Go program, and composes it over background (red, green, blue)
// where it is transparent. The result owns its bytes. An image without pixels returns one without
// pixels.
//
// Samples of 16 bits are first reduced to 8. Luma and chroma are interpreted as in JPEG, as package
// image does. For correct colours of a WebP, pass its file to [Decode].
func FromImage(source image.Image, background [3]uint8) *Image {
	bounds := source.Bounds()
	if bounds.Empty() {
		return &Image{}
	}
	ground := ground{int(background[0]), int(background[1]), int(background[2])}
	switch source := source.(type) {
	case *image.YCbCr:
		if bounds.Min.X >= 0 && bounds.Min.Y >= 0 && spans[source.SubsampleRatio][0] > 0 {
			return fromYCbCr(source, chroma.JPEG, chroma.FullRange)
		}
	case *image.NYCbCrA:
		if bounds.Min.X >= 0 && bounds.Min.Y >= 0 && spans[source.SubsampleRatio][0] > 0 {
			im := fromYCbCr(&source.YCbCr, chroma.JPEG, chroma.FullRange)
			ground.show(im, source.A, source.AStride)
			return im
		}
	case *image.Gray:
		return eachRow(source.Rect, source.Pix, source.Stride, 1, func(dst, pixel []byte) {
			dst[0], dst[1], dst[2] = pixel[0], pixel[0], pixel[0]
		})
	case *image.Gray16:
		return eachRow(source.Rect, source.Pix, source.Stride, 2, func(dst, pixel []byte) {
			v := narrow(pixel)
			dst[0], dst[1], dst[2] = v, v, v
		})
	case *image.RGBA:
		return eachRow(source.Rect, source.Pix, source.Stride, 4, func(dst, pixel []byte) {
			ground.add(dst, pixel[0], pixel[1], pixel[2], pixel[3])
		})
	case *image.NRGBA:
		return eachRow(source.Rect, source.Pix, source.Stride, 4, func(dst, pixel []byte) {
			ground.lay(dst, pixel[0], pixel[1], pixel[2], pixel[3])
		})
	case *image.RGBA64:
		return eachRow(source.Rect, source.Pix, source.Stride, 8, func(dst, pixel []byte) {
			ground.add(dst, narrow(pixel), narrow(pixel[2:]), narrow(pixel[4:]), narrow(pixel[6:]))
		})
	case *image.NRGBA64:
		return eachRow(source.Rect, source.Pix, source.Stride, 8, func(dst, pixel []byte) {
			ground.lay(dst, narrow(pixel), narrow(pixel[2:]), narrow(pixel[4:]), narrow(pixel[6:]))
		})
	case *image.CMYK:
		return eachRow(source.Rect, source.Pix, source.Stride, 4, func(dst, pixel []byte) {
			black := 255 - int(pixel[3])
			for i := range 3 {
				dst[i] = byte(((255-int(pixel[i]))*black + 127) / 255)
			}
		})
	case *image.Paletted:
		var table [256][3]byte
		for i, c := range source.Palette[:min(len(source.Palette), len(table))] {
			ground.paint(table[i][:], c)
		}
		return eachRow(source.Rect, source.Pix, source.Stride, 1, func(dst, pixel []byte) {
			copy(dst, table[pixel[0]][:])
		})
	}
	return ground.paintAll(source)
}

// eachRow converts pixels of some bytes, one by one.
func eachRow(bounds image.Rectangle, pix []byte, stride, size int, convert func(dst, pixel []byte)) *Image {
	im := newImage(bounds.Dx(), bounds.Dy())
	at := 0
	for y := range im.Height {
		row := pix[y*stride:][:im.Width*size]
		for ; len(row) >= size; row = row[size:] {
			convert(im.RGB[at:at+3:at+3], row[:size:size])
			at += 3
		}
	}
	return im
}

// narrow returns a big-endian sample of 16 bits as 8 bits.
func narrow(sample []byte) byte {
	return byte((int(sample[0])<<8 | int(sample[1]) + 128) / 257)
}

// ground is the background: red, green and blue.
type ground [3]int

// lay composes a colour with separate alpha over the background.
func (g *ground) lay(dst []byte, red, green, blue, alpha byte) {
	if alpha == 255 {
		dst[0], dst[1], dst[2] = red, green, blue
		return
	}
	a, rest := int(alpha), 255-int(alpha)
	dst[0] = byte((int(red)*a + g[0]*rest + 127) / 255)
	dst[1] = byte((int(green)*a + g[1]*rest + 127) / 255)
	dst[2] = byte((int(blue)*a + g[2]*rest + 127) / 255)
}

// add composes a colour that is premultiplied by its alpha over the background.
func (g *ground) add(dst []byte, red, green, blue, alpha byte) {
	if alpha == 255 {
		dst[0], dst[1], dst[2] = red, green, blue
		return
	}
	rest := 255 - int(alpha)
	dst[0] = clamp(int(red) + (g[0]*rest+127)/255)
	dst[1] = clamp(int(green) + (g[1]*rest+127)/255)
	dst[2] = clamp(int(blue) + (g[2]*rest+127)/255)
}

// show composes im over the background, by a plane of alpha.
func (g *ground) show(im *Image, alpha []byte, stride int) {
	for y := range im.Height {
		row := im.RGB[y*im.Width*3:][:im.Width*3]
		for x, a := range alpha[y*stride:][:im.Width] {
			pixel := row[3*x : 3*x+3 : 3*x+3]
			g.lay(pixel, pixel[0], pixel[1], pixel[2], a)
		}
	}
}

// paint composes any colour over the background.
func (g *ground) paint(dst []byte, c color.Color) {
	switch c := c.(type) {
	case color.NRGBA:
		g.lay(dst, c.R, c.G, c.B, c.A)
	case color.NRGBA64:
		g.lay(dst, rounded(uint32(c.R)), rounded(uint32(c.G)), rounded(uint32(c.B)), rounded(uint32(c.A)))
	default:
		red, green, blue, alpha := c.RGBA()
		g.add(dst, rounded(red), rounded(green), rounded(blue), rounded(alpha))
	}
}

// rounded returns a sample of 16 bits as 8 bits.
func rounded(v uint32) byte { return byte((v + 128) / 257) }

// paintAll reads an image by its At method, for each of its pixels.
func (g *ground) paintAll(source image.Image) *Image {
	bounds := source.Bounds()
	im := newImage(bounds.Dx(), bounds.Dy())
	for y := range im.Height {
		for x := range im.Width {
			g.paint(im.RGB[(y*im.Width+x)*3:][:3], source.At(bounds.Min.X+x, bounds.Min.Y+y))
		}
	}
	return im
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }
