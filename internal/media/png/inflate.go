package png

import (
	"encoding/binary"
	"hash/adler32"
)

const (
	// slack is how many bytes beyond its end an output has: the longest match, and what is copied
	// at a time.
	slack = 258 + 8
	// ahead is how many zero bytes follow an input: what is read at a time.
	ahead = 8
)

// inflater undoes DEFLATE, of an input that is there as a whole, to an output of a known size.
type inflater struct {
	in []byte // with ahead zeros behind
	// at is the next byte of in. held has the next count bits, the first one lowest; those above
	// are of the next bytes, or zero.
	at    int
	held  uint64
	count uint

	symbols, distances codes
	lengths            [320]byte
}

// inflate writes what a file of zlib holds, which must be len(out)-slack bytes, to out. It reports
// whether that is so. in ends with ahead zeros, which are not of the file.
func (f *inflater) inflate(out, in []byte) bool {
	size := len(out) - slack
	if len(in) < 2+4+ahead || in[0]&15 != 8 || in[0]>>4 > 7 || in[1]&32 != 0 || binary.BigEndian.Uint16(in)%31 != 0 {
		return false
	}
	f.in, f.at, f.held, f.count = in, 2, 0, 0
	done := 0
	for last := false; !last; {
		f.refill()
		head := f.take(3)
		last = head&1 == 1
		ok := false
		switch head >> 1 {
		case 0:
			done, ok = f.plain(out, done, size)
		case 1:
			ok = f.fixed()
		case 2:
			ok = f.dynamic()
		}
		if ok && head>>1 > 0 {
			done, ok = f.block(out, done, size)
		}
		if !ok {
			return false
		}
	}
	end := f.at - int(f.count>>3)
	return done == size && end+4+ahead <= len(in) && binary.BigEndian.Uint32(in[end:]) == adler32.Checksum(out[:size])
}

// refill makes at least 56 bits ready, which are zero behind the input.
func (f *inflater) refill() {
	at := min(f.at, len(f.in)-ahead)
	f.held |= binary.LittleEndian.Uint64(f.in[at:]) << (f.count & 63)
	f.at += int(63-f.count) >> 3
	f.count |= 56
}

func (f *inflater) take(count uint) int {
	taken := int(f.held & (1<<count - 1))
	f.held >>= count & 63
	f.count -= count
	return taken
}

// plain copies a block that is stored.
func (f *inflater) plain(out []byte, done, size int) (int, bool) {
	at := f.at - int(f.count>>3)
	if at+4+ahead > len(f.in) {
		return done, false
	}
	length, inverse := int(binary.LittleEndian.Uint16(f.in[at:])), int(binary.LittleEndian.Uint16(f.in[at+2:]))
	at += 4
	if length != inverse^0xFFFF || at+length+ahead > len(f.in) || length > size-done {
		return done, false
	}
	copy(out[done:], f.in[at:at+length])
	f.at, f.held, f.count = at+length, 0, 0
	return done + length, true
}

// fixed sets the codes that the standard gives.
func (f *inflater) fixed() bool {
	lengths := f.lengths[:288]
	for i := range lengths {
		switch {
		case i < 144, i >= 280:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		default:
			lengths[i] = 7
		}
	}
	ok := f.symbols.define(lengths, symbolBits, symbols[:])
	for i := range 32 {
		lengths[i] = 5
	}
	return f.distances.define(lengths[:32], distanceBits, distances[:]) && ok
}

// orderOfLengths is the order in which the lengths of the codes of lengths are stored.
var orderOfLengths = [19]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block.
func (f *inflater) dynamic() bool {
	symbolCount, distanceCount, lengthCount := 257+f.take(5), 1+f.take(5), 4+f.take(4)
	if symbolCount > 286 || distanceCount > 30 {
		return false
	}
	var lengths [19]byte
	for _, at := range orderOfLengths[:lengthCount] {
		f.refill()
		lengths[at] = byte(f.take(3))
	}
	if !f.distances.define(lengths[:], lengthBits, lengthsOfCodes[:]) {
		return false
	}
	all := f.lengths[:symbolCount+distanceCount]
	for done := 0; done < len(all); {
		f.refill()
		e := f.distances.table[f.held&(1<<lengthBits-1)]
		if e == 0 {
			return false
		}
		f.take(e.length())
		value, repeat := e.value(), 1
		switch value {
		case 16:
			if done == 0 {
				return false
			}
			value, repeat = int(all[done-1]), 3+f.take(2)
		case 17:
			value, repeat = 0, 3+f.take(3)
		case 18:
			value, repeat = 0, 11+f.take(7)
		}
		if repeat > len(all)-done {
			return false
		}
		for range repeat {
			all[done] = byte(value)
			done++
		}
	}
	return f.symbols.define(all[:symbolCount], symbolBits, symbols[:]) &&
		f.distances.define(all[symbolCount:], distanceBits, distances[:])
}

// block writes what a block's codes stand for to out, from done on, and returns its end. The bits
// are kept in registers.
func (f *inflater) block(out []byte, done, size int) (int, bool) {
	in, at, held, count := f.in, f.at, f.held, f.count
	symbols, distances := &f.symbols.table, &f.distances.table
	for at <= len(in) && done <= size {
		from := min(at, len(in)-ahead)
		held |= binary.LittleEndian.Uint64(in[from:]) << (count & 63)
		at += int(63-count) >> 3
		count |= 56

		e := symbols[held&(1<<symbolBits-1)]
		if e&literal != 0 {
			held, count = held>>e.length(), count-e.length()
			out[done] = byte(e.value())
			done++
			// There are bits for another two.
			if e = symbols[held&(1<<symbolBits-1)]; e&literal != 0 {
				held, count = held>>e.length(), count-e.length()
				out[done] = byte(e.value())
				done++
				if e = symbols[held&(1<<symbolBits-1)]; e&literal != 0 {
					held, count = held>>e.length(), count-e.length()
					out[done] = byte(e.value())
					done++
					continue
				}
			}
		}
		if e&further != 0 {
			held, count = held>>e.length(), count-e.length()
			e = symbols[e.value()+int(held&(1<<e.extra()-1))]
		}
		held, count = held>>e.length(), count-e.length()
		if e&(literal|ending) != 0 {
			if e&literal != 0 {
				out[done] = byte(e.value())
				done++
				continue
			}
			f.at, f.held, f.count = at, held, count
			return done, done <= size && at-int(count>>3) <= len(in)-ahead
		}
		if e == 0 {
			break
		}
		length := e.value() + int(held&(1<<e.extra()-1))
		held, count = held>>e.extra(), count-e.extra()
		if count < longestCode+13 {
			from := min(at, len(in)-ahead)
			held |= binary.LittleEndian.Uint64(in[from:]) << (count & 63)
			at += int(63-count) >> 3
			count |= 56
		}
		e = distances[held&(1<<distanceBits-1)]
		if e&further != 0 {
			held, count = held>>e.length(), count-e.length()
			e = distances[e.value()+int(held&(1<<e.extra()-1))]
		}
		held, count = held>>e.length(), count-e.length()
		distance := e.value() + int(held&(1<<e.extra()-1))
		held, count = held>>e.extra(), count-e.extra()
		if e == 0 || distance > done || done > size {
			break
		}
		repeated(out, done, length, distance)
		done += length
	}
	return done, false
}

// repeated copies length bytes from a distance before done. It may write up to seven more.
func repeated(out []byte, done, length, distance int) {
	to, from := out[done:], out[done-distance:]
	if distance >= 8 {
		for at := 0; at < length; at += 8 {
			binary.LittleEndian.PutUint64(to[at:], binary.LittleEndian.Uint64(from[at:]))
		}
		return
	}
	to = to[:length]
	for i := range to {
		to[i] = from[i]
	}
}
