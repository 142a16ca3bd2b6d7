package jpeg

import "bytes"

// File is the content of a JPEG's headers. It refers to the file's bytes, which must not change
// while it is in use.
type File struct {
	// Width and Height are in pixels, both positive.
	Width, Height int
	// EXIF are the bodies of the EXIF segments before the first scan.
	EXIF [][]byte

	data  []byte
	frame frame
	scans int
	// whole reports that the last scan was of all components.
	whole bool
	// jfif and adobe report which markers the file has; transform is the colour transform of
	// Adobe's.
	jfif, adobe bool
	transform   byte
	// quantizers has a bit for each quantization table so far.
	quantizers uint
}

// maxScans is far above the dozen that encoders write. A progressive scan may visit each pixel and
// take almost no bytes, so without a limit a small file could keep a decoder busy for hours.
const maxScans = 100

// Parse reads the headers of all segments of a file, which begins with the marker of a JPEG. It
// allocates little memory and decodes nothing.
//
// It wraps [errors.ErrMalformed] for a file that ends early or lacks a part of its picture, and
// [errors.ErrUnsupported] for a kind of JPEG that is not decoded: arithmetic coding, lossless,
// hierarchical, samples of other than 8 bits, a number of components other than 1, 3 and 4, and
// sampling factors that are no multiples of each other.
func Parse(data []byte) (*File, error) {
	f := &File{data: data}
	if len(data) < 2 {
		return nil, endsEarly()
	}
	if err := segments(data, f.segment); err != nil {
		return nil, err
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) segment(s segment) error {
	switch marker, body := s.marker, s.body; {
	case marker == markerHuffman, marker == markerConditions, marker == markerInterval, marker == markerLines:
	case marker == markerHierarchy, marker == markerExpand:
		return unsupported("the JPEG is lossless or hierarchical: save it as baseline or progressive")
	case marker >= markerFrame && marker <= markerLastFrame:
		return f.readFrame(marker, body)
	case marker == markerQuantizers:
		f.noteQuantizers(body)
	case marker == markerScan:
		return f.noteScan(body)
	case marker == markerApplication && bytes.HasPrefix(body, []byte("JFIF\x00")):
		f.jfif = true
	case marker == markerExif && f.scans == 0 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		f.EXIF = append(f.EXIF, body)
	case marker == markerAdobe && len(body) >= 12 && string(body[:5]) == "Adobe":
		f.adobe, f.transform = true, body[11]
	case marker >= markerApplication && marker <= markerLastApplying, marker == markerComment:
	default:
		return malformed("the JPEG does not decode: an unknown marker %#02x", marker)
	}
	return nil
}

// noteQuantizers records which tables there are. The decoder checks their content.
func (f *File) noteQuantizers(body []byte) {
	for len(body) > 0 {
		f.quantizers |= 1 << (body[0] & 15)
		size := 1 + 64
		if body[0]>>4 != 0 {
			size = 1 + 128
		}
		body = body[min(size, len(body)):]
	}
}

// noteScan records what a scan contains.
func (f *File) noteScan(body []byte) error {
	if f.scans++; f.scans > maxScans {
		return malformed("the JPEG has over %d scans: the limit keeps small files from taking hours", maxScans)
	}
	s, err := f.frame.readScan(body)
	if err != nil {
		return err
	}
	for _, i := range s.components[:s.count] {
		c := &f.frame.components[i]
		if f.quantizers>>c.quantizer&1 == 0 {
			return malformed("the JPEG does not decode: component %d names quantization table %d, which does not exist", c.id, c.quantizer)
		}
		if s.first == 0 && s.high == 0 {
			c.begun = true
		}
		if s.low == 0 {
			c.exact |= s.band()
		}
	}
	f.whole = s.count == len(f.frame.components)
	return nil
}

// complete checks, at the end of the file, that the whole picture was there.
func (f *File) complete() error {
	if f.frame.components == nil {
		return malformed("the JPEG does not decode: it ends without a frame")
	}
	for _, c := range f.frame.components {
		switch {
		case !c.begun:
			return malformed("the JPEG does not decode: it ends without a scan of component %d", c.id)
		case c.exact != wholeBand:
			return malformed("the JPEG ends early: the last scans of component %d are missing", c.id)
		}
	}
	return nil
}
