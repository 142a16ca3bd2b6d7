package sound

import (
	"encoding/binary"
	"math/bits"
)

// How the two channels of a frame are stored, if not independently.
const (
	leftSide  = 8
	sideRight = 9
	midSide   = 10
)

var (
	// flacRates and flacBits are the values of the codes in a frame's header; 0 means the stream's
	// value.
	flacRates = [12]int{0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}
	flacBits  = [8]int{0, 8, 12, -1, 16, 20, 24, 32}
)

// frame decodes the next frame into the planes, and returns the number of samples in each.
func (s *flacStream) frame() (int, error) {
	data := s.data[s.at:]
	r := &bitReader{data: data}
	count, assignment, err := s.frameHeader(r)
	if err != nil {
		return 0, err
	}
	for channel := range s.channels {
		if cap(s.planes[channel]) < count {
			s.planes[channel] = make([]int64, count)
		}
		s.planes[channel] = s.planes[channel][:count]
		width := s.bits
		if assignment == sideRight && channel == 0 || (assignment == leftSide || assignment == midSide) && channel == 1 {
			width++ // a difference
		}
		if err := s.subframe(r, s.planes[channel], width); err != nil {
			return 0, err
		}
		if r.over() {
			return 0, early(FLAC, "inside a frame")
		}
	}
	r.align()
	length := r.position >> 3
	if length+2 > len(data) {
		return 0, early(FLAC, "inside a frame")
	}
	if binary.BigEndian.Uint16(data[length:]) != checksum16(data[:length]) {
		return 0, s.damaged("fails its checksum")
	}
	s.at += length + 2
	decorrelate(s.planes[0], s.planes[1], assignment)
	return count, nil
}

func (s *flacStream) damaged(how string) error {
	return malformed("the FLAC frame at byte %d %s; the file is damaged", s.at, how)
}

// frameHeader returns the number of samples in each channel of the frame, and how its channels are
// stored.
func (s *flacStream) frameHeader(r *bitReader) (count int, assignment int, err error) {
	sync := r.read(15)
	variable := r.read(1) == 1
	sizeCode, rateCode := int(r.read(4)), int(r.read(4))
	assignment = int(r.read(4))
	bitsCode := r.read(3)
	reserved := r.read(1)
	number, ok := codedNumber(r)
	switch {
	case sizeCode == 6:
		count = int(r.read(8)) + 1
	case sizeCode == 7:
		count = int(r.read(16)) + 1
	case sizeCode == 1:
		count = 192
	case sizeCode >= 8:
		count = 256 << (sizeCode - 8)
	case sizeCode >= 2:
		count = 576 << (sizeCode - 2)
	}
	rate := s.rate
	switch {
	case rateCode == 12:
		rate = int(r.read(8)) * 1000
	case rateCode == 13:
		rate = int(r.read(16))
	case rateCode == 14:
		rate = int(r.read(16)) * 10
	case rateCode == 15:
		ok = false
	case rateCode > 0:
		rate = flacRates[rateCode]
	}
	length := r.position >> 3
	sum := uint8(r.read(8))
	if r.over() {
		return 0, 0, early(FLAC, "inside a frame")
	}
	if sync != 0x7FFC || reserved != 0 || !ok || count == 0 || assignment > midSide || flacBits[bitsCode] < 0 ||
		sum != checksum8(r.data[:length]) {
		return 0, 0, s.damaged("has no valid header")
	}
	channels := assignment + 1
	if assignment >= leftSide {
		channels = 2
	}
	if channels != s.channels || rate != s.rate || bitsCode != 0 && flacBits[bitsCode] != s.bits {
		return 0, 0, unsupported("the FLAC frame at byte %d differs from the stream in its channels, rate or bits; convert the file", s.at)
	}
	// A stream that was cut from another may begin with any number, but the numbers continue from
	// it.
	if s.started && number != s.next {
		return 0, 0, s.damaged("is not the next one")
	}
	s.started = true
	if s.next = number + 1; variable {
		s.next = number + uint64(count)
	}
	return count, assignment, nil
}

// codedNumber reads a number of up to 36 bits in UTF-8's variable-length coding.
func codedNumber(r *bitReader) (uint64, bool) {
	first := uint8(r.read(8))
	ones := bits.LeadingZeros8(^first)
	if ones == 0 {
		return uint64(first), true
	}
	if ones == 1 || ones == 8 {
		return 0, false
	}
	number := uint64(first) & (0x7F >> ones)
	for range ones - 1 {
		next := r.read(8)
		if next&0xC0 != 0x80 {
			return 0, false
		}
		number = number<<6 | next&0x3F
	}
	return number, true
}

// subframe decodes one channel, whose samples have width bits.
func (s *flacStream) subframe(r *bitReader, plane []int64, width int) error {
	zero, kind, wasted := r.read(1), int(r.read(6)), 0
	if r.read(1) == 1 {
		wasted = r.unary() + 1
	}
	width -= wasted
	if zero != 0 || width < 1 {
		return s.broken(r, "has a subframe without a valid header")
	}
	switch {
	case kind == 0:
		value := r.signed(width)
		for i := range plane {
			plane[i] = value
		}
	case kind == 1:
		if r.left() < width*len(plane) {
			return early(FLAC, "inside a frame")
		}
		for i := range plane {
			plane[i] = r.signed(width)
		}
	case kind >= 8 && kind <= 12:
		if err := s.predicted(r, plane, width, kind-8, true); err != nil {
			return err
		}
	case kind >= 32:
		if err := s.predicted(r, plane, width, kind-31, false); err != nil {
			return err
		}
	default:
		return s.broken(r, "has a subframe of a reserved kind")
	}
	if wasted > 0 {
		for i := range plane {
			plane[i] <<= wasted
		}
	}
	return nil
}

// broken returns the fault of an invalid frame. If the reader is past the end, the file ends early.
func (s *flacStream) broken(r *bitReader, how string) error {
	if r.over() {
		return early(FLAC, "inside a frame")
	}
	return s.damaged(how)
}

// fixedCoefficients extrapolate the polynomial through the last samples, nearest first.
var fixedCoefficients = [5][]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}

// predicted decodes a channel of a linear predictor of some order: the first samples are stored,
// the others are stored as residuals.
func (s *flacStream) predicted(r *bitReader, plane []int64, width, order int, fixed bool) error {
	if order > len(plane) {
		return s.broken(r, "predicts from more samples than it has")
	}
	for i := range order {
		plane[i] = r.signed(width)
	}
	var coefficients [32]int64
	shift := 0
	if fixed {
		copy(coefficients[:], fixedCoefficients[order])
	} else {
		precision := int(r.read(4)) + 1
		shift = int(r.signed(5))
		if precision == 16 || shift < 0 {
			return s.broken(r, "has a predictor without a valid header")
		}
		for i := range order {
			coefficients[i] = r.signed(precision)
		}
	}
	if err := s.residual(r, plane, order); err != nil {
		return err
	}
	predict(plane, coefficients[:order], uint(shift))
	return nil
}

// predict adds the prediction to each sample after the first ones.
func predict(plane, coefficients []int64, shift uint) {
	order := len(coefficients)
	var reversed [32]int64
	for i, c := range coefficients {
		reversed[order-1-i] = c
	}
	weights := reversed[:order]
	for i := range plane[order:] {
		past := plane[i : i+order+1]
		var sum int64
		for j, w := range weights {
			sum += w * past[j]
		}
		past[order] += sum >> shift
	}
}

// residual reads the residuals, in partitions of Rice codes.
func (s *flacStream) residual(r *bitReader, plane []int64, order int) error {
	method, partitions := r.read(2), 1<<r.read(4)
	if method > 1 {
		return s.broken(r, "has a residual of a reserved kind")
	}
	parameterBits := 4 + int(method)
	escape := 1<<parameterBits - 1
	size := len(plane) / partitions
	if size*partitions != len(plane) || size < order {
		return s.broken(r, "has a residual in impossible partitions")
	}
	for partition := range partitions {
		residual := plane[partition*size : (partition+1)*size]
		if partition == 0 {
			residual = residual[order:]
		}
		parameter := int(r.read(parameterBits))
		if parameter == escape {
			if width := int(r.read(5)); width > 0 {
				for i := range residual {
					residual[i] = r.signed(width)
				}
			} else {
				clear(residual)
			}
		} else {
			riceCodes(r, residual, parameter)
		}
		if r.over() {
			return early(FLAC, "inside a frame")
		}
	}
	return nil
}

// riceCodes reads numbers whose upper part, above the lowest parameter bits, is unary; the lowest
// bit of the whole is the sign.
func riceCodes(r *bitReader, residual []int64, parameter int) {
	for i := range residual {
		var code uint64
		next := r.peek()
		if zeroes := bits.LeadingZeros64(next); zeroes+1+parameter <= peekable {
			code = uint64(zeroes)<<parameter | next<<(zeroes+1)>>(64-uint(parameter))
			r.position += zeroes + 1 + parameter
		} else {
			code = uint64(r.unary()) << parameter
			code |= r.read(parameter)
		}
		residual[i] = int64(code>>1) ^ -int64(code&1)
	}
}

// decorrelate restores left and right where a plane holds their difference or their mean.
func decorrelate(first, second []int64, assignment int) {
	switch assignment {
	case leftSide:
		for i, left := range first {
			second[i] = left - second[i]
		}
	case sideRight:
		for i, right := range second {
			first[i] += right
		}
	case midSide:
		for i, side := range second {
			// Halving lost the sum's lowest bit, which is that of the difference.
			mid := first[i]<<1 | side&1
			first[i], second[i] = (mid+side)>>1, (mid-side)>>1
		}
	}
}
