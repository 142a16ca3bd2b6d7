package jpeg

import (
	"bytes"
	"encoding/binary"
)

const (
	// codedBytes is how much of a scan is made ready at once.
	codedBytes = 16 << 10
	// blockBytes is more than a block takes: 64 coefficients, each of a code and a value of 16
	// bits, and what is read ahead.
	blockBytes = 64*4 + 3*8
	// wanted is the bits that a code and the value after it have at most.
	wanted = 32
)

// source reads the bits of a scan. The bytes of zero that keep 0xFF from being a marker are taken
// out ahead of time, so that reading does not ask what each byte is.
type source struct {
	// held are the next bits, the first at the top; there are count of them. Those below are of the
	// bytes that come next, or zero.
	held  uint64
	count uint
	// at is the next byte of ready, of which some are left up to end. After it there are zeros.
	at, end int
	// low is where at is when not all of a block is sure to be ready.
	low int
	// rest is what is to be made ready, up to a marker if marked.
	rest   []byte
	marked bool
	// run is how many blocks to come have nothing more in a progressive scan.
	run int

	ready [codedBytes + blockBytes]byte
}

// begin begins a scan, or what follows a restart in it.
func (b *source) begin(coded []byte) {
	b.held, b.count, b.at, b.end, b.run = 0, 0, 0, 0, 0
	b.rest, b.marked = coded, false
	b.fill()
}

// fill makes more of the scan ready.
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

// ensure makes a block ready, and reports whether the scan has not ended before it. It is called
// where at is beyond low.
func (b *source) ensure() bool {
	if b.marked {
		return !b.short()
	}
	b.fill()
	return true
}

// short reports whether more bits were taken than there were.
func (b *source) short() bool { return b.marked && b.at*8-int(b.count) > b.end*8 }

// restart goes on after the restart marker of a number, 0 to 7, and reports whether it is the next
// marker. Bytes before it are passed over, as other decoders do.
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

// want sees to it that wanted bits are held.
func (b *source) want() {
	if b.count < wanted {
		b.held, b.count, b.at = refill(b.held, b.count, b.at, &b.ready)
	}
}

// refill returns what is held with as many bytes more as fit. Bits below count are of the bytes
// that come next, so that putting those in their place again changes nothing.
func refill(held uint64, count uint, at int, ready *[codedBytes + blockBytes]byte) (uint64, uint, int) {
	held |= binary.BigEndian.Uint64(ready[at:]) >> (count & 63)
	return held, count | 56, at + int((63-count)>>3)
}

// take takes some bits of those that are held, at most 16.
func (b *source) take(count uint) uint32 {
	taken := uint32(b.held >> 48 >> (16 - count&31))
	b.held <<= count & 63
	b.count -= count
	return taken
}

// symbol takes a code, and reports whether it is one.
func (b *source) symbol(h *huffman) (symbol byte, ok bool) {
	b.want()
	symbol, length := h.find(b.held)
	b.held <<= length & 63
	b.count -= length
	return symbol, length > 0
}

// difference takes what a first coefficient is more than the one before.
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

// extend returns a value of some bits: those that begin with zero are negative.
func extend(stored uint32, size uint) int32 {
	if stored < 1<<size>>1 {
		return int32(stored) - 1<<size + 1
	}
	return int32(stored)
}
