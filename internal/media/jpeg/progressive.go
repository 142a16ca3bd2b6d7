package jpeg

import mathbits "math/bits"

// stored is a block of a picture whose scans are not all read.
type stored struct {
	block block
	// known has a bit for each coefficient that is not zero, in the order of the file. The bit of
	// the first one is always set.
	known uint64
}

// directFirst reads the first coefficient of a block, without its low bits.
func (b *source) directFirst(block *block, direct *huffman, prediction *int32, low uint) bool {
	difference, ok := b.difference(direct)
	*prediction += difference
	block[0] = int16(*prediction << low)
	return ok
}

// directRefine reads one more bit of the first coefficient.
func (b *source) directRefine(block *block, low uint) {
	b.want()
	block[0] |= int16(b.take(1) << low)
}

// alternatingFirst reads coefficients of a band, without their low bits.
func (b *source) alternatingFirst(into *stored, alternating *huffman, s *scan) bool {
	if b.run > 0 {
		b.run--
		return true
	}
	held, count, at := b.held, b.count, b.at
	block := &into.block
	k := s.first
	for k <= s.last {
		if count < wanted {
			held, count, at = refill(held, count, at, &b.ready)
		}
		e := alternating.fast[held>>(64-fastBits)]
		if v := e.value(); v != 0 {
			held <<= e.length() & 63
			count -= e.length()
			k += int(e.middle())
			block[natural[k&127]&63] = int16(v << (s.low & 31))
			into.known |= 1 << (k & 63)
			k++
			continue
		}
		symbol, length := e.middle(), e.length()
		if length == 0 {
			if symbol, length = alternating.find(held); length == 0 {
				return false
			}
		}
		held <<= length & 63
		count -= length
		zeros, size := int(symbol>>4), uint(symbol&15)
		if size == 0 {
			if zeros == 15 {
				k += 16
				continue
			}
			b.held, b.count, b.at = held, count, at
			b.run = 1<<zeros + int(b.take(uint(zeros))) - 1
			return true
		}
		k += zeros
		block[natural[k&127]&63] = int16(extend(uint32(held>>48>>(16-size)), size) << (s.low & 31))
		into.known |= 1 << (k & 63)
		held <<= size
		count -= size
		k++
	}
	b.held, b.count, b.at = held, count, at
	return k <= s.last+1
}

// alternatingRefine reads one more bit of the coefficients of a band that are not zero so far, and
// the coefficients that this bit makes non-zero.
func (b *source) alternatingRefine(into *stored, alternating *huffman, s *scan) bool {
	k := s.first
	for b.run == 0 && k <= s.last {
		b.want()
		var fresh int16
		var zeros int
		if e := alternating.fast[b.held>>(64-fastBits)]; e.value() != 0 {
			b.take(e.length())
			fresh, zeros = int16(e.value()), int(e.middle())
			if fresh != 1 && fresh != -1 {
				return false
			}
		} else {
			symbol, ok := b.symbol(alternating)
			zeros = int(symbol >> 4)
			switch size := symbol & 15; {
			case !ok || size > 1:
				return false
			case size == 1:
				fresh = int16(extend(b.take(1), 1))
			case zeros < 15:
				b.run = 1<<zeros + int(b.take(uint(zeros)))
				continue
			}
		}
		if k = b.correct(into, k, s.last, zeros, s.low); fresh != 0 {
			if k > s.last {
				return false
			}
			into.block[natural[k]&63] = fresh << s.low
			into.known |= 1 << k
		}
		k++
	}
	if b.run > 0 {
		b.correct(into, k, s.last, 64, s.low)
		b.run--
	}
	return true
}

// correct reads a bit for each coefficient from k to last that is not zero, and stops at the zero
// after a number of zeros. It returns the index of that zero, or the one after last.
func (b *source) correct(into *stored, k, last, zeros int, low uint) int {
	held, count := b.held, b.count
	for known := into.known & (2<<last - 1) >> k << k; known != 0; known &= known - 1 {
		next := mathbits.TrailingZeros64(known)
		if zeros < next-k {
			break
		}
		zeros -= next - k
		k = next + 1
		if count == 0 {
			held, count, b.at = refill(held, count, b.at, &b.ready)
		}
		// A bit of one moves the coefficient away from zero, unless an earlier scan already set
		// this bit.
		c := &into.block[natural[next]&63]
		sign := *c >> 15
		bit := int16(held>>63) &^ (*c >> low) << low
		*c += bit ^ sign - sign
		held <<= 1
		count--
	}
	b.held, b.count = held, count
	return min(k+zeros, last+1)
}
