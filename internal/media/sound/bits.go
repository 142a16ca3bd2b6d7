package sound

import (
	"encoding/binary"
	"math/bits"
)

// bitReader reads data from the highest bit of each byte down. After the end of data it reads
// zeroes; position is then past the last bit, which [bitReader.over] reports.
type bitReader struct {
	data     []byte
	position int // in bits
}

// peekable is the smallest number of bits that peek returns.
const peekable = 57

// peek returns the next bits, left-aligned, without advancing.
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

// read consumes count bits, at most peekable.
func (r *bitReader) read(count int) uint64 {
	value := r.peek() >> (64 - uint(count))
	r.position += count
	return value
}

// signed consumes count bits, 1 … peekable, as a number in two's complement.
func (r *bitReader) signed(count int) int64 {
	value := int64(r.peek()) >> (64 - uint(count))
	r.position += count
	return value
}

// unary consumes zeroes and the one that ends them, and returns the number of zeroes.
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

// align advances to the next byte boundary.
func (r *bitReader) align() { r.position = (r.position + 7) &^ 7 }

// over reports whether more bits were read than data has.
func (r *bitReader) over() bool { return r.position > 8*len(r.data) }

// left returns the number of bits that are left.
func (r *bitReader) left() int { return 8*len(r.data) - r.position }
