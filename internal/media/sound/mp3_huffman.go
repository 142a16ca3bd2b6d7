package sound

import "sync"

// prefixCode decodes one Huffman table in two levels. The next codeBits bits index head. An entry
// is a symbol and its length or, with a length of 0, the start of its longer codes in tail and the
// number of further bits that index them.
type prefixCode struct {
	head []prefixEntry
	tail []prefixEntry
}

type prefixEntry struct {
	symbol uint16
	length uint8
	more   uint8
}

const codeBits = 9

// prefixCodes are built from mp3Codes.
var prefixCodes = sync.OnceValue(func() *[34]*prefixCode {
	codes := new([34]*prefixCode)
	for table, leaves := range mp3Codes {
		if leaves != "" {
			codes[table] = newPrefixCode(leaves)
		}
	}
	for table := range codes {
		switch {
		case table == 33:
			// Four bits each, all inverted.
			codes[table] = &prefixCode{head: make([]prefixEntry, 1<<codeBits)}
			for i := range codes[table].head {
				codes[table].head[i] = prefixEntry{symbol: uint16(^i >> (codeBits - 4) & 15), length: 4}
			}
		case table > 24 && table < 32:
			codes[table] = codes[24]
		case table > 16 && table < 24:
			codes[table] = codes[16]
		}
	}
	return codes
})

// newPrefixCode reads leaves: a complete code's symbols in the order of their codewords, each with
// its length as a letter and its value as two hexadecimal digits. Lengths in order determine the
// codewords.
func newPrefixCode(leaves string) *prefixCode {
	const leaf, longest = 3, 19
	digit := func(b byte) int {
		if b >= 'a' {
			return int(b-'a') + 10
		}
		return int(b - '0')
	}
	code := &prefixCode{head: make([]prefixEntry, 1<<codeBits)}
	deepest := make([]int, 1<<codeBits)
	for word, at := 0, 0; at < len(leaves); at += leaf {
		length := int(leaves[at]-'a') + 1
		slot := word >> (longest - codeBits)
		deepest[slot] = max(deepest[slot], length-codeBits)
		word += 1 << (longest - length)
	}
	for word, at := 0, 0; at < len(leaves); at += leaf {
		length := int(leaves[at]-'a') + 1
		symbol := uint16(digit(leaves[at+1])<<4 | digit(leaves[at+2]))
		slot := word >> (longest - codeBits)
		if length <= codeBits {
			for i := range 1 << (codeBits - length) {
				code.head[slot+i] = prefixEntry{symbol: symbol, length: uint8(length)}
			}
		} else {
			more := deepest[slot]
			if code.head[slot].more == 0 {
				code.head[slot] = prefixEntry{symbol: uint16(len(code.tail)), more: uint8(more)}
				code.tail = append(code.tail, make([]prefixEntry, 1<<more)...)
			}
			first := int(code.head[slot].symbol) + word>>(longest-codeBits-more)&(1<<more-1)
			for i := range 1 << (more + codeBits - length) {
				code.tail[first+i] = prefixEntry{symbol: symbol, length: uint8(length)}
			}
		}
		word += 1 << (longest - length)
	}
	return code
}

// next returns the symbol at the start of bits, and its length.
func (c *prefixCode) next(bits uint64) (symbol, length int) {
	entry := c.head[bits>>(64-codeBits)]
	if entry.length == 0 {
		entry = c.tail[int(entry.symbol)+int(bits<<codeBits>>(64-entry.more))]
	}
	return int(entry.symbol), int(entry.length)
}

// extraBits are the number of bits that follow a value of 15, by table.
var extraBits = [32]int{
	16: 1, 17: 2, 18: 3, 19: 4, 20: 6, 21: 8, 22: 10, 23: 13,
	24: 4, 25: 5, 26: 6, 27: 7, 28: 8, 29: 9, 30: 11, 31: 13,
}

// readSpectrum reads the quantised values: pairs of large ones from three tables, then quads of
// small ones up to the end.
func (c *mpegChannel) readSpectrum(r *bitReader, end, version, rateCode int) {
	long, _ := edgesOf(version, rateCode)
	large := 2 * c.side.pairs
	bounds := [3]int{large, large, large}
	if c.side.switched {
		first := long[8]
		if c.side.block == 2 {
			first = 36
			if version == 2 && rateCode == 2 {
				first = 72
			}
		}
		bounds[0] = min(first, large)
	} else {
		bounds[0] = min(long[c.side.regions[0]+1], large)
		bounds[1] = min(long[min(c.side.regions[0]+c.side.regions[1]+2, 22)], large)
	}
	values := &c.spectrum
	at := 0
	for region, bound := range bounds {
		table := c.side.tables[region]
		code, extra := prefixCodes()[table], extraBits[table]
		if code == nil { // table 0, and two that are not there
			clear(values[at:max(at, bound)])
			at = max(at, bound)
			continue
		}
		for ; at < bound && r.position < end; at += 2 {
			bits := r.peek()
			symbol, length := code.next(bits)
			x, y := symbol>>4, symbol&15
			if extra > 0 && (x == 15 || y == 15) {
				r.position += length
				values[at] = longValue(r, x, extra)
				values[at+1] = longValue(r, y, extra)
				continue
			}
			bits <<= length
			signs := 0
			values[at], values[at+1] = 0, 0
			if x > 0 {
				values[at] = signedPower(x, bits>>63)
				bits <<= 1
				signs++
			}
			if y > 0 {
				values[at+1] = signedPower(y, bits>>63)
				signs++
			}
			r.position += length + signs
		}
	}
	code := prefixCodes()[32+c.side.quads]
	for at+4 <= len(values) && r.position < end {
		bits := r.peek()
		symbol, length := code.next(bits)
		bits <<= length
		for i := range 4 {
			values[at+i] = 0
			if symbol&(8>>i) != 0 {
				values[at+i] = 1 - 2*float32(bits>>63)
				bits <<= 1
				length++
			}
		}
		if r.position += length; r.position > end {
			break // what the last code took from the next part is none
		}
		at += 4
	}
	clear(values[at:])
	for at > 0 && values[at-1] == 0 {
		at--
	}
	c.filled = at
}

// longValue returns the signed power of a value. If the value is 15, extra bits follow.
func longValue(r *bitReader, value, extra int) float32 {
	if value == 15 {
		value += int(r.read(extra))
	}
	if value == 0 {
		return 0
	}
	return signedPower(value, r.read(1))
}

func signedPower(value int, sign uint64) float32 {
	power := powers()[value]
	if sign != 0 {
		return -power
	}
	return power
}
