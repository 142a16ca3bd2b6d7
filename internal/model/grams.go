package model

import "math/bits"

// blockPositions is how many positions of a text are read at a time: as many as leave room in the
// nearest cache beside their input rows.
const blockPositions = 32

// mostSizes is how many sizes of n-grams a configuration may have.
const mostSizes = 8

// grams finds the n-grams and words of a text, from its first byte to its last, for a block of ends
// at a time. Nothing in its loops depends on where words end, which no processor can predict.
type grams struct {
	padded []byte // the text, of [pad]
	sizes  []int
	within bool

	next  int // the first end in padded of the next block
	start int // within: the last space before that end

	// Of the block's ends: the size of the longest n-gram, and the hashes of each size, where that
	// is not longer.
	longest [blockPositions + 1]int
	hashes  [mostSizes][blockPositions + 1]uint64
}

// scan begins with the n-grams of a padded text.
func (g *grams) scan(padded []byte, sizes []int, within bool) {
	g.padded, g.sizes, g.within = padded, sizes, within
	g.next, g.start = 1, 0
}

// skip goes to the n-grams that end at padded[p], of those that are not read.
func (g *grams) skip(p int) {
	g.next, g.start = p, p-1
	for g.padded[g.start] != ' ' {
		g.start--
	}
}

// read reads the n-grams of the next count ends, at most blockPositions+1.
func (g *grams) read(count int) {
	first, padded := g.next, g.padded
	g.next += count
	if g.within {
		// An n-gram within a word has spaces at its ends only.
		start := g.start
		for i, b := range padded[first-1 : first-1+count] {
			if b == ' ' {
				start = first - 1 + i
			}
			g.longest[i] = first + i - start + 1
		}
		g.start = start
	} else {
		for i := range count {
			g.longest[i] = first + i + 1
		}
	}
	for k, size := range g.sizes {
		// Near the start of a text there are ends without an n-gram of this size.
		none := max(0, size-1-first)
		if none < count {
			hashGrams(g.hashes[k][none:count], padded[first+none-size+1:first+count], size)
		}
	}
}

// atMost returns 1 if size is not greater than longest, else 0, without a branch.
func atMost(size, longest int) int { return int(uint(size-longest-1) >> (bits.UintSize - 1)) }
