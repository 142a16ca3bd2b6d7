package jpeg

// fastBits is the number of bits, of a code and the value after it, that one table lookup decodes.
const fastBits = 10

// huffman is a table of codes.
type huffman struct {
	defined bool
	fast    [1 << fastBits]entry
	// limits are, for each length, the 16-bit prefix at which longer codes begin; shifts map a code
	// to the index of its symbol.
	limits  [17]uint32
	shifts  [17]int32
	symbols [256]byte
}

// entry is the decoding of the next fastBits bits. If a code and its value fit, it holds the value,
// which is not zero, the number of zeros before it, and the bits of both. Otherwise the value is
// zero, and it holds the symbol and the bits of the code. The zero entry is for a longer code.
type entry uint32

func (e entry) value() int32 { return int32(e) >> 16 }
func (e entry) middle() byte { return byte(e >> 8) } // the zeros or the symbol
func (e entry) length() uint { return uint(e & 0xFF) }

func pack(value int32, middle byte, length int) entry {
	return entry(uint32(value)<<16 | uint32(middle)<<8 | uint32(length))
}

// define builds the table from the number of codes of each length, from one bit on, and their
// symbols. It reports whether the lengths are valid.
func (h *huffman) define(counts *[16]byte, symbols []byte) bool {
	h.defined = false
	clear(h.fast[:])
	copy(h.symbols[:], symbols)
	code, next := 0, 0
	for i, count := range counts {
		length := i + 1
		code <<= 1
		h.shifts[length] = int32(next - code)
		if code+int(count) > 1<<length {
			return false
		}
		for range count {
			if length <= fastBits {
				h.speed(code, length, symbols[next])
			}
			code, next = code+1, next+1
		}
		h.limits[length] = uint32(code) << (16 - length)
	}
	h.defined = true
	return true
}

// speed sets the entries of all bits that begin with a code.
func (h *huffman) speed(code, length int, symbol byte) {
	behind := fastBits - length
	size := int(symbol & 15)
	for following := range 1 << behind {
		e := pack(0, symbol, length)
		if size > 0 && size <= behind {
			e = pack(extend(uint32(following>>(behind-size)), uint(size)), symbol>>4, length+size)
		}
		h.fast[code<<behind|following] = e
	}
}

// find returns the symbol of the code at the start of bits, and its length; the length is zero if
// there is none.
func (h *huffman) find(held uint64) (symbol byte, length uint) {
	if e := h.fast[held>>(64-fastBits)]; e.value() == 0 && e != 0 {
		return e.middle(), e.length()
	}
	begin := uint32(held >> 48)
	for length := uint(1); length <= 16; length++ {
		if begin < h.limits[length] {
			return h.symbols[byte(int32(begin>>(16-length))+h.shifts[length])], length
		}
	}
	return 0, 0
}
