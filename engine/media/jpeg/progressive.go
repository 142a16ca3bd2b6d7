package jpeg

// directFirst reads the first coefficient of a block, but for its low bits.
func (b *bits) directFirst(block *block, direct *huffman, prediction *int32, low uint) bool {
	difference, ok := b.difference(direct)
	*prediction += difference
	block[0] = int16(*prediction << low)
	return ok
}

// directRefine reads one more bit of the first coefficient.
func (b *bits) directRefine(block *block, low uint) {
	b.want()
	block[0] |= int16(b.take(1) << low)
}

// alternatingFirst reads coefficients of a band, but for their low bits.
func (b *bits) alternatingFirst(block *block, alternating *huffman, s *scan) bool {
	if b.run > 0 {
		b.run--
		return true
	}
	held, count, at := b.held, b.count, b.at
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
		held <<= size
		count -= size
		k++
	}
	b.held, b.count, b.at = held, count, at
	return k <= s.last+1
}

// alternatingRefine reads one more bit of the coefficients of a band that are not zero so far, and those that are no longer zero
// by it.
func (b *bits) alternatingRefine(block *block, alternating *huffman, s *scan) bool {
	k := s.first
	one := int16(1) << s.low
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
		if k = b.correct(block, k, s.last, zeros, one); fresh != 0 {
			if k > s.last {
				return false
			}
			block[natural[k]&63] = fresh * one
		}
		k++
	}
	if b.run > 0 {
		b.correct(block, k, s.last, 64, one)
		b.run--
	}
	return true
}

// correct reads a bit for each coefficient from k to last that is not zero, up to the next zero after some others. It reports where
// that is, or the end.
func (b *bits) correct(block *block, k, last, zeros int, one int16) int {
	for ; k <= last; k++ {
		c := &block[natural[k]&63]
		if *c == 0 {
			if zeros == 0 {
				return k
			}
			zeros--
			continue
		}
		if b.count == 0 {
			b.want()
		}
		if b.take(1) == 0 || *c&one != 0 {
			continue
		}
		if *c > 0 {
			*c += one
		} else {
			*c -= one
		}
	}
	return k
}
