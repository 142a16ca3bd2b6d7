package raster

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"

	"github.com/unum-cloud/uform-go/errors"
	fast "github.com/unum-cloud/uform-go/internal/media/png"
)

// DefaultPixels is the default limit of an image's pixels.
const DefaultPixels = 1 << 26

// Limits bound the cost of a file.
type Limits struct {
	// Pixels is the largest width times height of an image or a canvas. Zero is [DefaultPixels].
	Pixels int
}

// Image is a picture of opaque pixels.
type Image struct {
	// Width and Height are in pixels. Both are positive in an image that was decoded.
	Width, Height int
	// RGB is [Height][Width][3], without gaps.
	RGB []byte
}

// Decode reads an image file: it decodes the pixels, applies the file's orientation, and composes
// them over background (red, green, blue) where they are transparent. These are steps 1 to 3 of
// section 9. A nil limits is the defaults. The image owns its bytes and keeps none of data.
//
// Errors say what is wrong with the file. They wrap [errors.ErrMalformed] for a file of no known
// format, one that ends early, does not decode, or has more pixels than limits allow, and
// [errors.ErrUnsupported] for a valid kind of file that is not decoded here, such as arithmetic
// coding.
func Decode(data []byte, limits *Limits, background [3]uint8) (*Image, error) {
	pixels := DefaultPixels
	if limits != nil && limits.Pixels > 0 {
		pixels = limits.Pixels
	}
	format, known := Sniff(data)
	switch {
	case !known:
		return nil, malformed("not an image file: its first bytes are not those of JPEG, PNG or WebP")
	case format == JPEG:
		return decodeJPEG(data, pixels)
	case format == PNG:
		return decodePNG(data, pixels, background)
	}
	return decodeWebP(data, pixels, background)
}

// decodePNG leaves all but the most common kinds to the standard library, and every file with a
// fault: it checks every checksum, and that the last chunk is there.
func decodePNG(data []byte, pixels int, background [3]uint8) (*Image, error) {
	if picture, ok := fast.Decode(data, pixels); ok {
		return fromPNG(picture, background), nil
	}
	header, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, broken(PNG, err)
	}
	if err := checkSize(PNG, header.Width, header.Height, pixels); err != nil {
		return nil, err
	}
	source, err := decodeWith(PNG, png.Decode, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return FromImage(source, background), nil
}

func fromPNG(picture *fast.Picture, background [3]uint8) *Image {
	if picture.Channels == 3 {
		return &Image{Width: picture.Width, Height: picture.Height, RGB: picture.Pixels}
	}
	im := newImage(picture.Width, picture.Height)
	ground := ground{int(background[0]), int(background[1]), int(background[2])}
	rgb, from := im.RGB, picture.Pixels
	for ; len(rgb) >= 3; rgb = rgb[3:] {
		pixel := rgb[:3:3]
		if picture.Channels == 1 {
			pixel[0], pixel[1], pixel[2] = from[0], from[0], from[0]
			from = from[1:]
			continue
		}
		ground.lay(pixel, from[0], from[1], from[2], from[3])
		from = from[4:]
	}
	return im
}

// decodeWith runs a decoder of another module and recovers from its panics: such a decoder may fail
// on an untrusted file, and the file must be refused instead.
func decodeWith(format Format, decode func(io.Reader) (image.Image, error), file io.Reader) (source image.Image, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			source, err = nil, malformed("the decoder of the %s panicked: %v", format, trouble)
		}
	}()
	source, err = decode(file)
	if err != nil {
		return nil, broken(format, err)
	}
	return source, nil
}

// checkSize refuses a size before memory is allocated for it. The sides of every format fit 32
// bits.
func checkSize(format Format, width, height, pixels int) error {
	switch {
	case width <= 0 || height <= 0:
		return malformed("the %s is %d×%d pixels: one side is zero", format, width, height)
	case int64(width) > int64(pixels)/int64(height):
		return malformed("the %s is %d×%d pixels, the limit is %d: scale it down", format, width, height, pixels)
	}
	return nil
}

// broken returns the error of a file that its decoder refused.
func broken(format Format, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return endsEarly(format)
	}
	return malformed("the %s does not decode: %v", format, err)
}

func endsEarly(format Format) error {
	return malformed("the %s ends early: the file is cut off", format)
}

func malformed(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrMalformed)...)
}
