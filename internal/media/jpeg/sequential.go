package jpeg

// sequential reads a block whose coefficients are zero. The first one is coded as a difference. It
// returns the last coefficient that is not zero, in the order of the file, and whether the block is
// valid.
func (b *source) sequential(block *block, direct, alternating *huffman, prediction *int32) (last int, ok bool) {
	difference, ok := b.difference(direct)
	if !ok {
		return 0, false
	}
	*prediction += difference
	block[0] = int16(*prediction)

	held, count, at := b.held, b.count, b.at
	k := 1
	for k < 64 {
		if count < wanted {
			held, count, at = refill(held, count, at, &b.ready)
		}
		e := alternating.fast[held>>(64-fastBits)]
		if v := e.value(); v != 0 {
			held <<= e.length() & 63
			count -= e.length()
			k += int(e.middle())
			block[natural[k&127]&63] = int16(v)
			last = k
			k++
			continue
		}
		symbol, length := e.middle(), e.length()
		if length == 0 {
			if symbol, length = alternating.find(held); length == 0 {
				return 0, false
			}
		}
		held <<= length & 63
		count -= length
		zeros, size := int(symbol>>4), uint(symbol&15)
		if size == 0 {
			if zeros < 15 {
				break
			}
			k += 16
			continue
		}
		k += zeros
		block[natural[k&127]&63] = int16(extend(uint32(held>>48>>(16-size)), size))
		held <<= size
		count -= size
		last = k
		k++
	}
	b.held, b.count, b.at = held, count, at
	return last, k <= 64
}
