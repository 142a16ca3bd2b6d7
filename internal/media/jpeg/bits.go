package jpeg

import (
	"bytes"
	"encoding/binary"
)

const (
	// codedBytes is how many bytes of a scan are prepared at once.
	codedBytes = 16 << 10
	// blockBytes is more than a block takes: 64 coefficients, each of a code and a value of 16
	// bits, and the bytes that are read ahead.
	blockBytes = 64*4 + 3*8
	// wanted is the most bits of a code and the value after it.
	wanted = 32
)

// source reads the bits of a scan. The stuffed zero bytes that keep 0xFF from being a marker are
// removed ahead of time, so that reading does not test each byte.
type source struct {
	// held are the next count bits, the first at the top. The bits below are those of the next
	// bytes, or zero.
	held  uint64
	count uint
	// at is the next byte of ready, of which some are left up to end. Zeros follow end.
	at, end int
	// low is the value of at from which ready may hold less than a block.
	low int
	// rest is the data that is not prepared yet, up to a marker if marked.
	rest   []byte
	marked bool
	// run is the number of next blocks that have no more coefficients in a progressive scan.
	run int

	ready [codedBytes + blockBytes]byte
}

// begin starts a scan, or the part of it after a restart.
func (b *source) begin(coded []byte) {
	b.held, b.count, b.at, b.end, b.run = 0, 0, 0, 0, 0
	b.rest, b.marked = coded, false
	b.fill()
}

// fill prepares more of the scan.
func (b *source) fill() {
	b.end = copy(b.ready[:], b.ready[b.at:max(b.at, b.end)])
	b.at = 0
	for b.end < codedBytes && !b.marked {
		plain := b.rest[:min(codedBytes-b.end, len(b.rest))]
		if stop := bytes.IndexByte(plain, 0xFF); stop >= 0 {
			plain = plain[:stop]
		}
		b.end += copy(b.ready[b.end:codedBytes], plain)
		b.rest = b.rest[len(plain):]
		switch {
		case b.end == codedBytes:
		case len(b.rest) < 2:
			b.rest, b.marked = nil, true
		case b.rest[1] == 0:
			b.ready[b.end] = 0xFF
			b.end++
			b.rest = b.rest[2:]
		case b.rest[1] == 0xFF: // a fill byte
			b.rest = b.rest[1:]
		default:
			b.marked = true
		}
	}
	clear(b.ready[b.end : b.end+blockBytes])
	b.low = b.end - blockBytes
}

// ensure prepares a block, and reports whether the scan has not ended before it. It is called if at
// is past low.
func (b *source) ensure() bool {
	if b.marked {
		return !b.short()
	}
	b.fill()
	return true
}

// short reports whether more bits were consumed than the scan has.
func (b *source) short() bool { return b.marked && b.at*8-int(b.count) > b.end*8 }

// restart continues after the restart marker of a number, 0 to 7, and reports whether it is the
// next marker. Bytes before it are skipped, as by other decoders.
func (b *source) restart(number int) bool {
	if b.short() {
		return false
	}
	rest := b.rest
	for len(rest) >= 2 {
		switch {
		case rest[0] != 0xFF, rest[1] == 0:
			next := bytes.IndexByte(rest[1:], 0xFF)
			if next < 0 {
				return false
			}
			rest = rest[1+next:]
		case rest[1] == 0xFF, rest[1] == markerTemporary:
			rest = rest[1:]
		default:
			if int(rest[1]) != markerRestart+number {
				return false
			}
			b.begin(rest[2:])
			return true
		}
	}
	return false
}

// want ensures that at least wanted bits are held.
func (b *source) want() {
	if b.count < wanted {
		b.held, b.count, b.at = refill(b.held, b.count, b.at, &b.ready)
	}
}

// refill adds as many bytes to held as fit. Bits below count already are those of the next bytes,
// so adding the same bytes again changes nothing.
func refill(held uint64, count uint, at int, ready *[codedBytes + blockBytes]byte) (uint64, uint, int) {
	held |= binary.BigEndian.Uint64(ready[at:]) >> (count & 63)
	return held, count | 56, at + int((63-count)>>3)
}

// take consumes some of the held bits, at most 16.
func (b *source) take(count uint) uint32 {
	taken := uint32(b.held >> 48 >> (16 - count&31))
	b.held <<= count & 63
	b.count -= count
	return taken
}

// symbol consumes a code, and reports whether it is valid.
func (b *source) symbol(h *huffman) (symbol byte, ok bool) {
	b.want()
	symbol, length := h.find(b.held)
	b.held <<= length & 63
	b.count -= length
	return symbol, length > 0
}

// difference reads the difference between a first coefficient and the one before.
func (b *source) difference(h *huffman) (difference int32, ok bool) {
	b.want()
	if e := h.fast[b.held>>(64-fastBits)]; e.value() != 0 {
		b.held <<= e.length() & 63
		b.count -= e.length()
		return e.value(), true
	}
	size, ok := b.symbol(h)
	return extend(b.take(uint(size)), uint(size)), ok
}

// extend returns the signed value of some bits: those that begin with zero are negative.
func extend(stored uint32, size uint) int32 {
	if stored < 1<<size>>1 {
		return int32(stored) - 1<<size + 1
	}
	return int32(stored)
}
