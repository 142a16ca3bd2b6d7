package model

import (
	"bytes"
	"slices"
)

// The features of a text that need no weights: the rows of the table of n-grams that belong to each
// of its bytes, and the signs of its lexical lane. Training keeps the rows from one pass to the
// next. If the configuration folds texts, the caller has folded them.

// AppendRows appends the rows of the table that belong to the bytes of a text, in the order in
// which an input row sums them. It appends to ends, for each byte, the number of rows so far.
// buffer is working memory.
func (g *Grams) AppendRows(rows []uint32, ends []int, text []byte, buffer *[]byte) ([]uint32, []int) {
	var found grams
	found.scan(pad(buffer, text, g.Fold), g.Sizes, g.Within)
	room := g.mostRows(min(blockPositions, len(text)))
	for done := 0; done < len(text); {
		count := min(blockPositions, len(text)-done)
		rows = slices.Grow(rows, room)
		before := len(ends)
		ends = slices.Grow(ends, count)[:before+count]
		used := g.readRows(rows[len(rows):cap(rows)], ends[before:], &found, bucketsOf(g.Buckets))
		for i := range ends[before:] {
			ends[before+i] += len(rows)
		}
		rows = rows[:len(rows)+used]
		done += count
	}
	return rows, ends
}

// mostRows is room for the rows of a block of positions.
func (g *Grams) mostRows(positions int) int {
	return (positions + 1) * (len(g.Sizes) + 1) * g.Hashes
}

// readRows writes to rows those that belong to the next bytes of a text, as many as ends has
// elements, and to ends the number up to each byte. It returns the number of all. rows has room for
// [Grams.mostRows]. Byte i of the text is byte i+1 of the padded one. The last byte also has the
// n-grams that end with the closing space.
func (g *Grams) readRows(rows []uint32, ends []int, found *grams, buckets buckets) int {
	first, count := found.next, len(ends)
	if first+count == len(found.padded)-1 {
		count++
	}
	found.read(count)
	used := 0
	for i := range count {
		longest := found.longest[i]
		for k, size := range g.Sizes {
			h := hash(found.hashes[k][i])
			for j := range g.Hashes {
				rows[used+j] = uint32(h.bucket(buckets))
				h = h.next()
			}
			// What is too long is written over.
			some := 0
			if size <= longest {
				some = g.Hashes
			}
			used += some
		}
		if g.Words && i < len(ends) {
			if p := first + i; found.padded[p] != ' ' && found.padded[p+1] == ' ' {
				used += g.readWord(rows[used:], found.padded[:p+1], buckets)
			}
		}
		ends[min(i, len(ends)-1)] = used
	}
	return used
}

// readWord writes the rows of the word that padded ends with.
func (g *Grams) readWord(rows []uint32, padded []byte, buckets buckets) int {
	h := hashWord(padded[bytes.LastIndexByte(padded, ' ')+1:])
	for j := range g.Hashes {
		rows[j] = uint32(h.bucket(buckets))
		h = h.next()
	}
	return g.Hashes
}

// Lane writes the lexical lane of a text before it is scaled to its length: the weighted signs of
// all n-grams. lane has as many scalars as the lane has columns.
func (l *Lexical) Lane(s *Scratch, lane []float32, weights []float32, text []byte) {
	clear(lane)
	all := table{dtype: F32, columns: len(weights), floats: weights}
	s.grams.scan(pad(&s.padded, text, l.Fold), l.Sizes, l.Within)
	for s.grams.next <= len(text)+1 {
		l.addSigns(s, lane, &all, bucketsOf(len(weights)))
	}
}
