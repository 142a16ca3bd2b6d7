package clip

import (
	"encoding/binary"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// picture is a decoded frame.
type picture = raster.Image

// stillJPEG decodes a frame of Motion JPEG.
func stillJPEG(data []byte, pixels int) (*picture, error) {
	if format, known := raster.Sniff(data); !known || format != raster.JPEG {
		return nil, malformed("it does not begin with a JPEG marker")
	}
	return raster.Decode(data, &raster.Limits{Pixels: pixels}, [3]uint8{})
}

// stillVP8 decodes a key frame of VP8, which is the content of a lossy WebP.
func stillVP8(data []byte, pixels int) (*picture, error) {
	padding := len(data) % 2
	const wrapping = 20
	file := make([]byte, 0, wrapping+len(data)+padding)
	file = append(file, "RIFF"...)
	file = binary.LittleEndian.AppendUint32(file, uint32(wrapping-8+len(data)+padding))
	file = append(file, "WEBPVP8 "...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(data)))
	file = append(append(file, data...), make([]byte, padding)...)
	return raster.Decode(file, &raster.Limits{Pixels: pixels}, [3]uint8{})
}

// turn returns a picture after a number of quarter turns to the right. Zero turns return the
// picture itself.
func turn(im *picture, quarters int) *picture {
	if quarters == 0 {
		return im
	}
	const pixel = 3
	row := im.Width * pixel
	lastColumn, lastRow := row-pixel, (im.Height-1)*row
	turned := &picture{Width: im.Width, Height: im.Height, RGB: make([]byte, len(im.RGB))}
	// The offset of the upper left pixel, and the steps to the right and down.
	start, right, down := lastColumn+lastRow, -pixel, -row
	if quarters != 2 {
		turned.Width, turned.Height = im.Height, im.Width
		start, right, down = lastRow, -row, pixel
	}
	if quarters == 3 {
		start, right, down = lastColumn, row, -pixel
	}
	at := 0
	for y := range turned.Height {
		from := start + y*down
		for range turned.Width {
			copy(turned.RGB[at:at+pixel], im.RGB[from:from+pixel])
			at, from = at+pixel, from+right
		}
	}
	return turned
}
