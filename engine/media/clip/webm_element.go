package clip

import (
	"iter"
	"math"
	"math/bits"
)

// The elements of WebM that matter here, by the names of Matroska.
const (
	idEBML             = 0x1A45DFA3
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

// element is a part of a WebM, which is elements within elements. end is where it ends, after where it began to be read.
type element struct {
	id   uint32
	body []byte
	// unsized elements end where something begins that cannot be in them. body is then all that follows.
	unsized bool
	end     int
}

// nextElement reads the first element of data. ok is false where data ends within its head; body is shorter than size, which
// the head claims, where data ends within its body.
func nextElement(data []byte) (e element, size uint64, ok bool) {
	id, length := vint(data, 4)
	if length == 0 {
		return element{}, 0, false
	}
	size, width := vint(data[length:], 8)
	if width == 0 {
		return element{}, 0, false
	}
	head := length + width
	e = element{id: uint32(id), body: data[head:], end: len(data)}
	// A size without its length marker, all ones, is nobody's.
	size &^= 1 << (7 * width)
	switch {
	case size == 1<<(7*width)-1:
		e.unsized = true
	case size <= uint64(len(e.body)):
		e.body = e.body[:size:size]
		e.end = head + int(size)
	}
	return e, size, true
}

// vint reads a number of a length that its first byte tells, with that mark. length is zero where data ends within it, or
// where it is longer than most.
func vint(data []byte, most int) (value uint64, length int) {
	if len(data) == 0 {
		return 0, 0
	}
	length = bits.LeadingZeros8(data[0]) + 1
	if length > most || length > len(data) {
		return 0, 0
	}
	for _, part := range data[:length] {
		value = value<<8 | uint64(part)
	}
	return value, length
}

// elements walks over elements that lie end to end in another, and yields an error in place of one that does not fit in.
func elements(data []byte) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		for len(data) > 0 {
			e, size, ok := nextElement(data)
			switch {
			case !ok:
				yield(e, malformed("the WebM does not decode: an element begins with % x", data[:min(len(data), 12)]))
				return
			case e.unsized || size > uint64(len(e.body)):
				yield(e, malformed("the WebM does not decode: element %#x does not end in the one that it is in", e.id))
				return
			case !yield(e, nil):
				return
			}
			data = data[e.end:]
		}
	}
}

// number is the body of an unsigned integer, as much of it as 64 bits hold.
func (e *element) number() uint64 {
	value := uint64(0)
	for _, part := range e.body {
		value = value<<8 | uint64(part)
	}
	return value
}

// float is the body of a floating-point number, zero where it is none.
func (e *element) float() float64 {
	switch len(e.body) {
	case 4:
		return float64(math.Float32frombits(uint32(e.number())))
	case 8:
		return math.Float64frombits(e.number())
	}
	return 0
}
