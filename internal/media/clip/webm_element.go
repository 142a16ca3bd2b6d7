package clip

import (
	"iter"
	"math"
	"math/bits"
)

// The elements of WebM that are used here, by Matroska's names.
const (
	idSegment          = 0x18538067
	idInfo             = 0x1549A966
	idTimestampScale   = 0x2AD7B1
	idTracks           = 0x1654AE6B
	idTrackEntry       = 0xAE
	idTrackNumber      = 0xD7
	idTrackType        = 0x83
	idCodecID          = 0x86
	idCodecPrivate     = 0x63A2
	idDefaultDuration  = 0x23E383
	idContentEncodings = 0x6D80
	idVideo            = 0xE0
	idPixelWidth       = 0xB0
	idPixelHeight      = 0xBA
	idColour           = 0x55B0
	idMatrix           = 0x55B1
	idRange            = 0x55B9
	idProjection       = 0x7670
	idProjectionType   = 0x7671
	idPoseYaw          = 0x7673
	idPosePitch        = 0x7674
	idPoseRoll         = 0x7675
	idCluster          = 0x1F43B675
	idTimestamp        = 0xE7
	idSimpleBlock      = 0xA3
	idBlockGroup       = 0xA0
	idBlock            = 0xA1
	idBlockDuration    = 0x9B
	idReferenceBlock   = 0xFB
)

// element is a part of a WebM. Elements are nested.
type element struct {
	id uint32
	// head is the number of bytes before the body, size that of the body.
	head int
	size uint64
	// unsized elements end at the next element that cannot be inside them. They have no body.
	unsized bool
	// body is shorter than size if the data end before it does.
	body []byte
}

// length returns the number of bytes of the element.
func (e *element) length() int { return e.head + len(e.body) }

// cut reports that the data end within the element.
func (e *element) cut() bool { return uint64(len(e.body)) < e.size }

// A head is whole, ends after the data do, or is invalid.
type headState int

const (
	headWhole headState = iota
	headCut
	headBroken
)

// nextElement reads the first element of data.
func nextElement(data []byte) (element, headState) {
	id, length, state := vint(data, 4)
	if state != headWhole {
		return element{}, state
	}
	size, width, state := vint(data[length:], 8)
	if state != headWhole {
		return element{}, state
	}
	e := element{id: uint32(id), head: length + width}
	mark := uint64(1) << (7 * width)
	if size == 2*mark-1 {
		e.unsized = true
		return e, headWhole
	}
	e.size = size &^ mark
	room := data[e.head:]
	e.body = room[:min(e.size, uint64(len(room)))]
	return e, headWhole
}

// vint reads a number whose first byte has its length, and keeps the length's marker bit.
func vint(data []byte, most int) (value uint64, length int, state headState) {
	if len(data) == 0 {
		return 0, 0, headCut
	}
	length = bits.LeadingZeros8(data[0]) + 1
	switch {
	case length > most:
		return 0, 0, headBroken
	case length > len(data):
		return 0, 0, headCut
	}
	for _, part := range data[:length] {
		value = value<<8 | uint64(part)
	}
	return value, length, headWhole
}

// elements walks over the elements in another one. For an element that does not fit it yields an
// error.
func elements(data []byte) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		for len(data) > 0 {
			e, state := nextElement(data)
			switch {
			case state != headWhole:
				yield(e, malformed("the WebM does not decode: an element begins with % x", data[:min(len(data), 12)]))
				return
			case e.unsized || e.cut():
				yield(e, overlong(e.id))
				return
			case !yield(e, nil):
				return
			}
			data = data[e.length():]
		}
	}
}

// overlong returns the error of an element that is longer than its parent.
func overlong(id uint32) error {
	return malformed("the WebM does not decode: element %#x is longer than its parent", id)
}

// number returns the body of an unsigned integer, at most 64 bits of it.
func (e *element) number() uint64 {
	value := uint64(0)
	for _, part := range e.body {
		value = value<<8 | uint64(part)
	}
	return value
}

// float returns the body of a floating-point number, zero if it is invalid.
func (e *element) float() float64 {
	switch len(e.body) {
	case 4:
		return float64(math.Float32frombits(uint32(e.number())))
	case 8:
		return math.Float64frombits(e.number())
	}
	return 0
}
