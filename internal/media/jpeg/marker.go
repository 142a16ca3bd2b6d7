package jpeg

import (
	"bytes"
	"encoding/binary"
)

// The markers of a JPEG that are used here. Each follows a byte of 0xFF.
const (
	markerTemporary    = 0x01 // stands alone
	markerFrame        = 0xC0 // baseline; the next is extended, the one after it progressive
	markerProgressive  = 0xC2
	markerHuffman      = 0xC4
	markerArithmetic   = 0xC9 // the first frame that is coded arithmetically
	markerConditions   = 0xCC
	markerLastFrame    = 0xCF
	markerRestart      = 0xD0
	markerLastRestart  = 0xD7
	markerEnd          = 0xD9
	markerScan         = 0xDA
	markerQuantizers   = 0xDB
	markerLines        = 0xDC
	markerInterval     = 0xDD
	markerHierarchy    = 0xDE
	markerExpand       = 0xDF
	markerApplication  = 0xE0
	markerExif         = 0xE1
	markerAdobe        = 0xEE
	markerLastApplying = 0xEF
	markerComment      = 0xFE
)

// segment is a marker and its content.
type segment struct {
	marker byte
	body   []byte
	// coded is the entropy-coded data after the header of a scan, with its restarts.
	coded []byte
}

// segments walks over a file's segments, from the first one to the end of the picture. Data after
// that is ignored.
func segments(data []byte, visit func(segment) error) error {
	at := 2
	marker, begin, found := nextMarker(data, at)
	for found && marker != markerEnd {
		if len(data)-begin < 2 {
			return endsEarly()
		}
		size := int(binary.BigEndian.Uint16(data[begin:]))
		if size < 2 {
			return malformed("the JPEG does not decode: a segment of %d bytes at offset %d", size, begin)
		}
		if len(data)-begin < size {
			return endsEarly()
		}
		at = begin + size
		s := segment{marker: marker, body: data[begin+2 : at : at]}
		if marker, begin, found = nextMarker(data, at); found {
			s.coded = data[at : begin-2 : begin-2]
		}
		if err := visit(s); err != nil {
			return err
		}
	}
	if !found {
		return endsEarly()
	}
	return nil
}

// nextMarker returns the marker at or after an offset, and where its content begins. The data of
// scans is between segments: 0xFF before a zero and restart markers are part of it.
func nextMarker(data []byte, at int) (marker byte, begin int, found bool) {
	for {
		skip := bytes.IndexByte(data[at:], 0xFF)
		if skip < 0 || at+skip+1 >= len(data) {
			return 0, 0, false
		}
		at += skip + 1
		switch marker := data[at]; {
		case marker == 0xFF: // a fill byte: the next one may be the marker
		case marker == 0, marker == markerTemporary, marker >= markerRestart && marker <= markerLastRestart:
			at++
		default:
			return marker, at + 1, true
		}
	}
}
