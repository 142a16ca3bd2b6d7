package png

import "math/bits"

// The sizes of the first level of a table, in bits of code, and of all of a table: what the most
// codes of up to fifteen bits need.
const (
	symbolBits   = 11
	distanceBits = 9
	lengthBits   = 7
	tableSize    = 1<<symbolBits + 1<<10
	longestCode  = 15
)

// entry is what the next bits stand for: the bits of the code in the lowest eight, the extra bits
// after it in the next four, a kind, and a value in the upper half. The zero entry is for bits that
// stand for nothing.
type entry uint32

const (
	// literal is a byte; further is where the entries of longer codes begin, of whose bits the
	// place of the extra ones has the number; ending is the end of a block. Others are lengths and
	// distances.
	literal entry = 1 << (12 + iota)
	further
	ending
)

func (e entry) length() uint { return uint(e & 63) }
func (e entry) extra() uint  { return uint(e >> 8 & 15) }
func (e entry) value() int   { return int(e >> 16) }

// codes is a table of codes, in two levels: the lowest bits are the first ones of the file.
type codes struct {
	first uint // bits of the first level
	table [tableSize]entry
}

// define builds the table of a code from the length of each symbol's, 0 for none. kinds are the
// entries of the symbols, without lengths; those of symbols that must not be used are zero. It
// reports whether the code is complete, empty, or a single one of one bit.
func (c *codes) define(lengths []byte, first uint, kinds []entry) bool {
	var counts, next [longestCode + 1]int
	for _, length := range lengths {
		counts[length]++
	}
	counts[0] = 0
	code, used, longest := 0, 0, uint(0)
	for length := 1; length <= longestCode; length++ {
		code <<= 1
		next[length] = code
		if code += counts[length]; code > 1<<length {
			return false
		}
		if counts[length] > 0 {
			used, longest = used+counts[length], uint(length)
		}
	}
	c.first = first
	clear(c.table[:1<<first])
	if used > 0 && code != 1<<longestCode && (used > 1 || longest > 1) {
		return false
	}
	// Codes that are longer than the first level share a second one with those that begin alike.
	var deepest [1 << symbolBits]byte
	var reversed [288]uint16
	for symbol, length := range lengths {
		if length == 0 {
			continue
		}
		reversed[symbol] = bits.Reverse16(uint16(next[length])) >> (16 - length)
		next[length]++
		if uint(length) > first {
			begin := reversed[symbol] & (1<<first - 1)
			deepest[begin] = max(deepest[begin], length-byte(first))
		}
	}
	end := 1 << first
	for symbol, length := range lengths {
		e, level, at, done := kinds[symbol], c.table[:1<<first], int(reversed[symbol]), uint(0)
		switch {
		case length == 0:
			continue
		case uint(length) > first:
			head := &c.table[at&(1<<first-1)]
			if *head == 0 {
				room := deepest[at&(1<<first-1)]
				*head = entry(end)<<16 | further | entry(room)<<8 | entry(first)
				clear(c.table[end : end+1<<room])
				end += 1 << room
			}
			level, at, done = c.table[head.value():][:1<<head.extra()], at>>first, first
		}
		if e != 0 {
			e |= entry(uint(length) - done)
		}
		for ; at < len(level); at += 1 << (uint(length) - done) {
			level[at] = e
		}
	}
	return true
}

// The entries of the symbols of bytes and lengths, of distances, and of the lengths of codes.
var symbols, distances, lengthsOfCodes = func() (symbols [288]entry, distances [32]entry, plain [19]entry) {
	for i := range 256 {
		symbols[i] = literal | entry(i)<<16
	}
	symbols[256] = ending
	base := 3
	for i := range 28 {
		extra := max(i/4-1, 0)
		symbols[257+i] = entry(base)<<16 | entry(extra)<<8
		base += 1 << extra
	}
	symbols[285] = 258 << 16
	base = 1
	for i := range 30 {
		extra := max(i/2-1, 0)
		distances[i] = entry(base)<<16 | entry(extra)<<8
		base += 1 << extra
	}
	for i := range plain {
		plain[i] = literal | entry(i)<<16
	}
	return symbols, distances, plain
}()
