package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
)

// The markers of a JPEG that matter here, each behind a byte of 0xFF.
const (
	markerFrame       = 0xC0 // baseline; the next is extended, the one after it progressive
	markerExtended    = 0xC1
	markerProgressive = 0xC2
	markerHuffman     = 0xC4
	markerReserved    = 0xC8
	markerArithmetic  = 0xC9 // the first frame that is coded arithmetically
	markerConditions  = 0xCC
	markerLastFrame   = 0xCF
	markerRestart     = 0xD0
	markerLastRestart = 0xD7
	markerStart       = 0xD8
	markerEnd         = 0xD9
	markerScan        = 0xDA
	markerQuantizers  = 0xDB
	markerExif        = 0xE1
	markerAdobe       = 0xEE
)

// maxScans is far above the dozen that encoders write. A progressive scan may touch each pixel and take no bytes to speak
// of, so without a bound a small file could keep a decoder for hours.
const maxScans = 100

// jpegFile is what a JPEG says of itself, from a walk over all of its segments.
type jpegFile struct {
	width, height int
	components    []jpegComponent
	progressive   bool
	// quantizers has a bit for each quantization table so far.
	quantizers uint
	scans      int
	// transform is where the colour transform of Adobe's marker lies in the file, or zero.
	transform int
	// orientation is zero until a segment tells it.
	orientation int
	// end is where the picture ends. What follows it is not ours.
	end int
}

type jpegComponent struct {
	id, across, down, quantizer byte
	scanned                     bool
}

func decodeJPEG(data []byte, pixels int) (*Image, error) {
	file, err := walkJPEG(data, pixels)
	if err != nil {
		return nil, err
	}
	var im *Image
	if len(file.components) == 4 {
		im, err = file.decodeInks(data[:file.end])
	} else {
		var source image.Image
		if source, err = decodeWith(JPEG, jpeg.Decode, bytes.NewReader(data[:file.end])); err == nil {
			im = FromImage(source, [3]uint8{})
		}
	}
	if err != nil {
		return nil, err
	}
	return turn(im, file.orientation), nil
}

// walkJPEG reads every segment's head. It finds what the decoder of the standard library lets pass: an unbounded size, a
// component that no scan carries, which would come out gray, a quantization table of nothing.
func walkJPEG(data []byte, pixels int) (*jpegFile, error) {
	file := &jpegFile{}
	for at := 2; ; {
		marker, begin, found := nextMarker(data, at)
		if !found {
			return nil, endsEarly(JPEG)
		}
		if marker == markerEnd {
			file.end = begin
			return file, file.complete()
		}
		if len(data)-begin < 2 {
			return nil, endsEarly(JPEG)
		}
		size := int(binary.BigEndian.Uint16(data[begin:]))
		if size < 2 {
			return nil, malformed("the JPEG does not decode: a segment of %d bytes at offset %d", size, begin)
		}
		if len(data)-begin < size {
			return nil, endsEarly(JPEG)
		}
		at = begin + size
		if err := file.segment(marker, data[begin+2:at], begin+2, pixels); err != nil {
			return nil, err
		}
	}
}

// nextMarker is the marker at or after an offset, and where what it marks begins. Scans lie between the segments, where
// 0xFF stands before a zero, and restart markers belong to them.
func nextMarker(data []byte, at int) (marker byte, begin int, found bool) {
	for {
		skip := bytes.IndexByte(data[at:], 0xFF)
		if skip < 0 || at+skip+1 >= len(data) {
			return 0, 0, false
		}
		at += skip + 1
		switch marker := data[at]; {
		case marker == 0xFF: // a fill byte: the next one may be the marker
		case marker == 0, marker >= markerRestart && marker <= markerLastRestart:
			at++
		default:
			return marker, at + 1, true
		}
	}
}

func (f *jpegFile) segment(marker byte, body []byte, offset, pixels int) error {
	switch {
	case marker == markerHuffman, marker == markerReserved, marker == markerConditions:
	case marker >= markerFrame && marker <= markerLastFrame:
		return f.frame(marker, body, pixels)
	case marker == markerQuantizers:
		f.defineQuantizers(body)
	case marker == markerScan:
		return f.scan(body)
	case marker == markerExif && f.scans == 0 && f.orientation == 0:
		f.orientation = exifOrientation(body)
	case marker == markerAdobe && len(body) >= 12 && string(body[:5]) == "Adobe":
		f.transform = offset + 11
	}
	return nil
}

// frame reads a frame header, and refuses what there is no decoder for.
func (f *jpegFile) frame(marker byte, body []byte, pixels int) error {
	switch {
	case f.components != nil:
		return malformed("the JPEG does not decode: it has two frames")
	case len(body) < 6 || len(body) != 6+3*int(body[5]):
		return malformed("the JPEG does not decode: a frame header of %d bytes", len(body))
	case marker >= markerArithmetic:
		return unsupported("the JPEG is coded arithmetically: save it with Huffman codes")
	case marker > markerProgressive:
		return unsupported("the JPEG is lossless or hierarchical: save it as baseline or progressive")
	case body[0] != 8:
		return unsupported("the JPEG has samples of %d bits: save it with 8", body[0])
	}
	f.progressive = marker == markerProgressive
	f.height, f.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	if err := checkSize(JPEG, f.width, f.height, pixels); err != nil {
		return err
	}
	for i := range int(body[5]) {
		c := body[6+3*i:]
		f.components = append(f.components, jpegComponent{id: c[0], across: c[1] >> 4, down: c[1] & 15, quantizer: c[2]})
	}
	if !f.sampled() {
		return unsupported("the JPEG has %d components, sampled in an uncommon way: save it as gray, RGB or CMYK, as 4:4:4 or 4:2:0",
			len(f.components))
	}
	return nil
}

// sampled tells whether the components lie over each other in a way that the decoder knows.
func (f *jpegFile) sampled() bool {
	c := f.components
	for i := range c {
		if c[i].across == 3 || c[i].down == 3 {
			return false
		}
	}
	same := func(a, b jpegComponent) bool { return a.across == b.across && a.down == b.down }
	switch len(c) {
	case 1:
		return true
	case 3:
		return c[0].down < 4 && same(c[1], c[2]) && c[1].across > 0 && c[1].down > 0 &&
			c[0].across%c[1].across == 0 && c[0].down%c[1].down == 0
	case 4:
		return same(c[0], c[3]) && same(c[1], c[2]) && c[1].across == 1 && c[1].down == 1 &&
			c[0].across == c[0].down && c[0].across <= 2
	}
	return false
}

// defineQuantizers notes which tables there are. What is wrong with one is for the decoder to say.
func (f *jpegFile) defineQuantizers(body []byte) {
	for len(body) > 0 {
		f.quantizers |= 1 << (body[0] & 15)
		size := 1 + 64
		if body[0]>>4 != 0 {
			size = 1 + 128
		}
		body = body[min(size, len(body)):]
	}
}

// scan reads the head of a scan.
func (f *jpegFile) scan(body []byte) error {
	if f.scans++; f.scans > maxScans {
		return malformed("the JPEG has over %d scans: it is made to keep decoders busy", maxScans)
	}
	if len(body) < 4 || len(body) != 4+2*int(body[0]) {
		return malformed("the JPEG does not decode: a scan header of %d bytes", len(body))
	}
	// A progressive scan that begins at the first coefficient, and with its highest bits, begins a component.
	begins := !f.progressive || body[len(body)-3] == 0 && body[len(body)-1]>>4 == 0
	for i := range int(body[0]) {
		for j := range f.components {
			c := &f.components[j]
			if c.id != body[1+2*i] {
				continue
			}
			if f.quantizers>>c.quantizer&1 == 0 {
				return malformed("the JPEG does not decode: component %d names quantization table %d, which is not there", c.id, c.quantizer)
			}
			c.scanned = c.scanned || begins
		}
	}
	return nil
}

// complete tells, at the end of the file, whether all of a picture was there.
func (f *jpegFile) complete() error {
	if f.components == nil {
		return malformed("the JPEG does not decode: it ends without a frame")
	}
	for _, c := range f.components {
		if !c.scanned {
			return malformed("the JPEG does not decode: it ends without a scan of component %d", c.id)
		}
	}
	return nil
}
