package vp8

import (
	"encoding/binary"
	"math/bits"
)

// ahead is how many zero bytes follow a reader's data: what is read at a time.
const ahead = 8

// reader decodes bits that are coded arithmetically.
type reader struct {
	data []byte // with ahead zeros behind
	at   int    // the next byte
	// value has count bits of the data, the first one highest, less what was decoded of them. Those
	// below are of the next bytes, or zero. width is 128 … 255.
	value uint64
	count int
	width uint32
}

func newReader(data []byte) reader {
	return reader{data: append(append(make([]byte, 0, len(data)+ahead), data...), make([]byte, ahead)...), width: 255}
}

// short reports whether more was decoded than there is.
func (r *reader) short() bool { return 8*r.at-r.count >= 8*(len(r.data)-ahead) }

// refill makes at least 56 bits ready, enough for eight decoded ones.
func refill(data []byte, at int, value uint64, count int) (int, uint64, int) {
	value |= binary.BigEndian.Uint64(data[min(at, len(data)-ahead):]) >> (uint(count) & 63)
	return at + (63-count)>>3, value, count | 56
}

// next decodes a bit that is zero with a probability of 256ths.
func next(value uint64, width uint32, count int, probability uint8) (uint64, uint32, int, bool) {
	split := 1 + (width-1)*uint32(probability)>>8
	big := uint64(split) << 56
	set := value >= big
	if set {
		value -= big
		split = width - split
	}
	shift := bits.LeadingZeros8(uint8(split))
	return value << shift, split << shift, count - shift, set
}

func (r *reader) bit(probability uint8) bool {
	if r.count < 8 {
		r.at, r.value, r.count = refill(r.data, r.at, r.value, r.count)
	}
	var set bool
	r.value, r.width, r.count, set = next(r.value, r.width, r.count, probability)
	return set
}

func (r *reader) flag() bool { return r.bit(128) }

// number decodes so many bits.
func (r *reader) number(count int) (v int32) {
	for range count {
		v <<= 1
		if r.flag() {
			v |= 1
		}
	}
	return v
}

// signed decodes a number and its sign, or 0 if it is not there.
func (r *reader) signed(count int) int32 {
	if !r.flag() {
		return 0
	}
	v := r.number(count)
	if r.flag() {
		return -v
	}
	return v
}
