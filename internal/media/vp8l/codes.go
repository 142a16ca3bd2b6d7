package vp8l

import "math/bits"

const (
	// firstBits is the size of the first level of a table, in bits of code.
	firstBits   = 8
	longestCode = 15
)

// code is a table of a prefix code, in two levels. An entry has a symbol above the number of bits
// of its code, or where the entries of longer codes begin, above further and the number of bits
// after the first ones.
type code []uint32

const further = 0x80

// single returns the code of one symbol, which takes no bits.
func single(symbol uint32) code {
	table := make(code, 1<<firstBits)
	for i := range table {
		table[i] = symbol << 8
	}
	return table
}

// newCode returns the code whose symbols have codes of some lengths, 0 for none, and reports
// whether it is complete.
func newCode(lengths []byte) (code, bool) {
	var counts, next [longestCode + 1]int
	last := 0
	for symbol, length := range lengths {
		if counts[length]++; length > 0 {
			last = symbol
		}
	}
	used := len(lengths) - counts[0]
	if used == 1 {
		return single(uint32(last)), true
	}
	counts[0] = 0
	first := 0
	for length := 1; length <= longestCode; length++ {
		first <<= 1
		next[length] = first
		first += counts[length]
	}
	if used == 0 || first != 1<<longestCode {
		return nil, false
	}
	reversed := make([]uint16, len(lengths))
	var deepest [1 << firstBits]byte
	for symbol, length := range lengths {
		if length == 0 {
			continue
		}
		reversed[symbol] = bits.Reverse16(uint16(next[length])) >> (16 - length)
		next[length]++
		if length > firstBits {
			begin := reversed[symbol] & (1<<firstBits - 1)
			deepest[begin] = max(deepest[begin], length-firstBits)
		}
	}
	table := make(code, 1<<firstBits)
	for begin, room := range deepest {
		if room > 0 {
			table[begin] = uint32(len(table))<<8 | further | uint32(room)
			table = append(table, make(code, 1<<room)...)
		}
	}
	for symbol, length := range lengths {
		level, at, done := table[:1<<firstBits], int(reversed[symbol]), byte(0)
		switch {
		case length == 0:
			continue
		case length > firstBits:
			head := table[at&(1<<firstBits-1)]
			level, at, done = table[head>>8:][:1<<(head&15)], at>>firstBits, firstBits
		}
		for ; at < len(level); at += 1 << (length - done) {
			level[at] = uint32(symbol)<<8 | uint32(length)
		}
	}
	return table, true
}

// find returns the symbol that bits begin with, and the number of its bits.
func (c code) find(held uint64) (symbol uint32, length uint) {
	e := c[held&(1<<firstBits-1)]
	if e&further != 0 {
		e = c[e>>8+uint32(held>>firstBits)&(1<<(e&15)-1)]
	}
	return e >> 8, uint(e & 15)
}
