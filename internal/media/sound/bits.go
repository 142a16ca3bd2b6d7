package sound

import (
	"encoding/binary"
	"math/bits"
)

// bitReader reads data from the highest bit of each byte down. After its end it reads zeroes;
// position then lies beyond the last bit, which [bitReader.over] tells.
type bitReader struct {
	data     []byte
	position int // in bits
}

// peekable is how many bits peek gives at least.
const peekable = 57

// peek returns the next bits from the highest one down, without moving on.
func (r *bitReader) peek() uint64 {
	at := r.position >> 3
	if at+8 <= len(r.data) {
		return binary.BigEndian.Uint64(r.data[at:]) << (r.position & 7)
	}
	var last [8]byte
	if at < len(r.data) {
		copy(last[:], r.data[at:])
	}
	return binary.BigEndian.Uint64(last[:]) << (r.position & 7)
}

// read takes count bits, at most peekable.
func (r *bitReader) read(count int) uint64 {
	value := r.peek() >> (64 - uint(count))
	r.position += count
	return value
}

// signed takes count bits, 1 … peekable, as a number in two's complement.
func (r *bitReader) signed(count int) int64 {
	value := int64(r.peek()) >> (64 - uint(count))
	r.position += count
	return value
}

// unary takes zeroes up to the next one, which it takes too, and gives the number of zeroes.
func (r *bitReader) unary() int {
	count := 0
	for {
		zeroes := bits.LeadingZeros64(r.peek())
		if zeroes < peekable {
			r.position += zeroes + 1
			return count + zeroes
		}
		r.position += peekable
		count += peekable
		if r.over() {
			return count
		}
	}
}

// align moves on to the start of the next byte, unless it is there.
func (r *bitReader) align() { r.position = (r.position + 7) &^ 7 }

// over reports whether more was read than there is.
func (r *bitReader) over() bool { return r.position > 8*len(r.data) }

// left returns how many bits are left.
func (r *bitReader) left() int { return 8*len(r.data) - r.position }
