package main

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	blockSize = 128
	last      = 0x10FFFF
)

// The flags of a record, as package fold names them.
const (
	starts      = 1 << iota // no character before it composes with it or is sorted after it
	plain                   // alone, it folds to itself plus the difference
	punctuation             // runs of it are cut
)

// record is the folding data of a code point.
type record struct {
	class, flags uint8
	// index of the canonical decomposition, 0 for none: its length, then its code points
	decomposition uint16
	difference    int32 // to the small letter, or to the space
}

// pair is a composition: first and second make composed.
type pair struct{ first, second, composed rune }

// tables are the tables to write. Block index[c/blockSize] of blocks has the record of c.
type tables struct {
	index          []uint8
	blocks         []uint16
	records        []record
	decompositions []rune
	pairs          []pair
}

func class(c rune) uint8 { return norm.NFD.PropertiesString(string(c)).CCC() }

func isHangul(c rune) bool { return 0xAC00 <= c && c <= 0xD7A3 }

// changed returns what the fold replaces a code point of class 0 by, before the result is composed
// again.
func changed(c rune) rune {
	switch {
	case class(c) != 0:
		return c
	case unicode.Is(unicode.White_Space, c):
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(c))
}

// isPunctuation adds to Unicode's category the marks that draw lines and emphasis. "+" and "$" are
// not among them: the plus signs of C++ are not emphasis.
func isPunctuation(c rune) bool { return unicode.IsPunct(c) || slices.Contains([]rune("`^|~<=>"), c) }

// compositions returns all pairs that compose to one code point, except those of Hangul, which are
// computed.
func compositions() []pair {
	var pairs []pair
	for c := rune(0); c <= last; c++ {
		if isHangul(c) || !utf8.ValidRune(c) {
			continue
		}
		apart := []rune(norm.NFD.String(string(c)))
		if len(apart) < 2 || norm.NFC.String(string(c)) != string(c) {
			continue
		}
		first := []rune(norm.NFC.String(string(apart[:len(apart)-1])))
		p := pair{first[0], apart[len(apart)-1], c}
		if len(first) != 1 || norm.NFC.String(string([]rune{p.first, p.second})) != string(c) {
			panic("a composition of more than two")
		}
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if a.first != b.first {
			return int(a.first - b.first)
		}
		return int(a.second - b.second)
	})
	return pairs
}

func collect() *tables {
	t := &tables{pairs: compositions(), decompositions: []rune{0}}
	seconds := map[rune]bool{}
	for _, p := range t.pairs {
		seconds[p.second] = true
	}
	for c := rune(0x1161); c <= 0x1175; c++ {
		seconds[c] = true
	}
	for c := rune(0x11A8); c <= 0x11C2; c++ {
		seconds[c] = true
	}
	numbers := map[record]uint16{}
	blocks := map[[blockSize]uint16]uint8{}
	var block [blockSize]uint16
	for c := rune(0); c <= last; c++ {
		r := t.record(c, seconds)
		if _, known := numbers[r]; !known {
			numbers[r] = uint16(len(t.records))
			t.records = append(t.records, r)
		}
		block[c%blockSize] = numbers[r]
		if c%blockSize != blockSize-1 {
			continue
		}
		if _, known := blocks[block]; !known {
			if len(blocks) > 255 {
				panic("too many blocks for a byte")
			}
			blocks[block] = uint8(len(blocks))
			t.blocks = append(t.blocks, block[:]...)
		}
		t.index = append(t.index, blocks[block])
	}
	return t
}

func (t *tables) record(c rune, seconds map[rune]bool) record {
	if !utf8.ValidRune(c) {
		return record{flags: starts | plain}
	}
	apart := []rune(norm.NFD.String(string(c)))
	r := record{class: class(c), difference: changed(c) - c}
	if class(apart[0]) == 0 && !seconds[apart[0]] {
		r.flags |= starts
	}
	if class(changed(c)) != r.class || seconds[c] && changed(c) != c {
		panic("a change of what composes")
	}
	var alone []rune
	for _, composed := range norm.NFC.String(string(c)) {
		alone = append(alone, changed(composed))
	}
	if norm.NFC.String(string(alone)) == string(c+r.difference) {
		r.flags |= plain
	}
	if isPunctuation(c) {
		r.flags |= punctuation
	}
	if len(apart) > 1 || apart[0] != c {
		if !isHangul(c) {
			r.decomposition = uint16(len(t.decompositions))
			t.decompositions = append(append(t.decompositions, rune(len(apart))), apart...)
		}
	}
	return r
}
