package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/webp"

	"github.com/unum-cloud/uform-go/internal/media/chroma"
	"github.com/unum-cloud/uform-go/internal/media/vp8"
	"github.com/unum-cloud/uform-go/internal/media/vp8l"
)

const (
	riffHeader       = 12
	chunkHeader      = 8
	canvasHeader     = 10
	frameHeader      = 16
	animatedFlag     = 0x02
	transparencyFlag = 0x10
)

// webpFile is the first picture of a WebP: the only one of a still file.
type webpFile struct {
	// extended files declare a canvas, and may be animated.
	extended, animated bool
	width, height      int
	// frame is the picture's rectangle on the canvas. It is the whole canvas in a still file, and
	// empty in a simple one, which has only the picture's header.
	frame image.Rectangle
	// codec is the name of the chunk that holds the picture, empty until it is found; picture holds
	// its bytes.
	codec   string
	picture []byte
	// alpha is the body of the chunk with the alpha of a lossy picture, or nil.
	alpha []byte
}

// A picture of more than plainPixels must have at least one byte per densePixels pixels: a PNG
// always has. A WebP of a solid colour does not need them, and a file of 28 bytes that claims the
// limit of pixels would keep a decoder busy for seconds.
const (
	plainPixels = 1 << 23
	densePixels = 1 << 14
)

func decodeWebP(data []byte, pixels int, background [3]uint8) (*Image, error) {
	file, err := walkWebP(data, pixels)
	if err != nil {
		return nil, err
	}
	if err := file.checkPicture(pixels); err != nil {
		return nil, err
	}
	if area := file.width * file.height; area > plainPixels && area/densePixels > len(data) {
		return nil, malformed("the WebP is %d×%d pixels in %d bytes: that is solid colour, scale it down", file.width, file.height, len(data))
	}
	picture, err := file.decode(background)
	if err != nil {
		return nil, err
	}
	if !file.animated {
		return picture, nil
	}
	return onCanvas(picture, file, background), nil
}

// decode decodes the picture, and composes it over background. What packages vp8 and vp8l do not
// decode is left to golang.org/x/image.
func (f *webpFile) decode(background [3]uint8) (*Image, error) {
	ground := ground{int(background[0]), int(background[1]), int(background[2])}
	switch {
	case f.codec == "VP8L":
		if source, ok := vp8l.Decode(f.picture); ok {
			picture := newImage(source.Width, source.Height)
			rgb := picture.RGB
			for _, v := range source.Pixels {
				ground.lay(rgb[:3:3], byte(v>>16), byte(v>>8), byte(v), byte(v>>24))
				rgb = rgb[3:]
			}
			return picture, nil
		}
	case f.alpha == nil:
		if source, ok := vp8.Decode(f.picture); ok {
			return fromYCbCr(source, chroma.WebP, chroma.LimitedRange), nil
		}
	}
	source, err := decodeWith(WebP, webp.Decode, f.still(f.alpha))
	if err != nil {
		return nil, err
	}
	switch source := source.(type) {
	case *image.YCbCr:
		return fromYCbCr(source, chroma.WebP, chroma.LimitedRange), nil
	case *image.NYCbCrA:
		picture := fromYCbCr(&source.YCbCr, chroma.WebP, chroma.LimitedRange)
		ground.show(picture, source.A, source.AStride)
		return picture, nil
	}
	return FromImage(source, background), nil
}

// onCanvas returns the first frame of an animation on its canvas, which is transparent outside of
// the frame.
func onCanvas(picture *Image, file *webpFile, background [3]uint8) *Image {
	if picture.Width == file.width && picture.Height == file.height {
		return picture
	}
	canvas := newImage(file.width, file.height)
	for at := 0; at < len(canvas.RGB); at += 3 {
		copy(canvas.RGB[at:], background[:])
	}
	row := picture.Width * 3
	for y := range picture.Height {
		at := (file.frame.Min.Y+y)*file.width + file.frame.Min.X
		copy(canvas.RGB[at*3:], picture.RGB[y*row:][:row])
	}
	return canvas
}

// walkWebP reads the header of every chunk, and so detects a file that was cut anywhere.
func walkWebP(data []byte, pixels int) (*webpFile, error) {
	size := uint64(binary.LittleEndian.Uint32(data[4:])) + chunkHeader
	if size > uint64(len(data)) {
		return nil, endsEarly(WebP)
	}
	file := &webpFile{}
	chunks := data[riffHeader:max(size, riffHeader)]
	for first := true; len(chunks) >= chunkHeader; first = false {
		name, body, rest, err := nextChunk(chunks)
		if err != nil {
			return nil, err
		}
		if name == "VP8X" && first {
			err = file.declare(body, pixels)
		} else if file.codec == "" {
			err = file.chunk(name, body)
		}
		if err != nil {
			return nil, err
		}
		chunks = rest
	}
	if file.codec == "" {
		return nil, malformed("the WebP does not decode: it holds no picture")
	}
	return file, nil
}

// nextChunk returns the first of some chunks. Chunks begin at even offsets.
func nextChunk(chunks []byte) (name string, body, rest []byte, err error) {
	size := uint64(binary.LittleEndian.Uint32(chunks[4:]))
	if size > uint64(len(chunks)-chunkHeader) {
		return "", nil, nil, endsEarly(WebP)
	}
	end := chunkHeader + int(size)
	return string(chunks[:4]), chunks[chunkHeader:end:end], chunks[min(end+end%2, len(chunks)):], nil
}

// declare reads the header of an extended file.
func (f *webpFile) declare(body []byte, pixels int) error {
	if len(body) < canvasHeader {
		return malformed("the WebP does not decode: a canvas header of %d bytes", len(body))
	}
	f.extended, f.animated = true, body[0]&animatedFlag != 0
	f.width, f.height = 1+uint24(body[4:]), 1+uint24(body[7:])
	f.frame = image.Rect(0, 0, f.width, f.height)
	return checkSize(WebP, f.width, f.height, pixels)
}

// chunk reads a chunk of the first picture.
func (f *webpFile) chunk(name string, body []byte) error {
	switch {
	case name == "ANMF" && f.animated:
		return f.firstFrame(body)
	case f.animated: // pictures of an animation lie within frames
	case name == "ALPH" && f.extended:
		f.alpha = body
	case name == "VP8 ", name == "VP8L":
		f.codec, f.picture = name, body
	}
	return nil
}

// firstFrame reads a frame of an animation: its place, and the chunks of its picture.
func (f *webpFile) firstFrame(body []byte) error {
	if len(body) < frameHeader {
		return malformed("the WebP does not decode: a frame header of %d bytes", len(body))
	}
	canvas := f.frame
	corner := image.Pt(2*uint24(body), 2*uint24(body[3:]))
	f.frame = image.Rectangle{Min: corner, Max: corner.Add(image.Pt(1+uint24(body[6:]), 1+uint24(body[9:])))}
	if !f.frame.In(canvas) {
		return malformed("the WebP does not decode: its first frame %v lies outside of its canvas %v", f.frame, canvas.Max)
	}
	for chunks := body[frameHeader:]; len(chunks) >= chunkHeader && f.codec == ""; {
		name, body, rest, err := nextChunk(chunks)
		if err != nil {
			return err
		}
		switch name {
		case "ALPH":
			f.alpha = body
		case "VP8 ", "VP8L":
			f.codec, f.picture = name, body
		}
		chunks = rest
	}
	if f.codec == "" {
		return malformed("the WebP does not decode: its first frame holds no picture")
	}
	return nil
}

// checkPicture compares the size in the picture's header with that in the file's header, and with
// the limit.
func (f *webpFile) checkPicture(pixels int) error {
	header, err := webp.DecodeConfig(f.still(nil))
	if err != nil {
		return broken(WebP, err)
	}
	if !f.extended {
		f.width, f.height = header.Width, header.Height
		f.frame = image.Rect(0, 0, f.width, f.height)
		return checkSize(WebP, f.width, f.height, pixels)
	}
	if header.Width != f.frame.Dx() || header.Height != f.frame.Dy() {
		return malformed("the WebP does not decode: a picture of %d×%d pixels in a frame of %d×%d",
			header.Width, header.Height, f.frame.Dx(), f.frame.Dy())
	}
	if f.codec == "VP8L" {
		f.alpha = nil // it has its own
	}
	return nil
}

// still returns the picture as a file of its own, which the decoder can read.
func (f *webpFile) still(alpha []byte) io.Reader {
	var head, middle []byte
	if alpha != nil {
		head = append(head, "VP8X\x0A\x00\x00\x00"...)
		head = append(head, transparencyFlag, 0, 0, 0)
		head = appendUint24(head, f.frame.Dx()-1)
		head = appendUint24(head, f.frame.Dy()-1)
		head = appendChunkHeader(head, "ALPH", len(alpha))
		middle = append(middle, make([]byte, len(alpha)%2)...)
	}
	middle = appendChunkHeader(middle, f.codec, len(f.picture))
	size := 4 + len(head) + len(alpha) + len(middle) + len(f.picture) + len(f.picture)%2
	head = append(append(appendChunkHeader(nil, "RIFF", size), "WEBP"...), head...)
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(alpha), bytes.NewReader(middle),
		bytes.NewReader(f.picture), bytes.NewReader(make([]byte, len(f.picture)%2)))
}

func appendChunkHeader(dst []byte, name string, size int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, name...), uint32(size))
}

func appendUint24(dst []byte, v int) []byte { return append(dst, byte(v), byte(v>>8), byte(v>>16)) }

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
