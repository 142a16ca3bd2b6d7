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
	for done := 0; done < len(text); {
		count := min(blockPositions, len(text)-done)
		ends = slices.Grow(ends, count)[:len(ends)+count]
		rows = g.appendRows(slices.Grow(rows, g.mostRows(count)), ends[len(ends)-count:], &found, bucketsOf(g.Buckets))
		done += count
	}
	return rows, ends
}

// mostRows is more rows than some positions, at most blockPositions, have.
func (g *Grams) mostRows(positions int) int {
	return (positions + 1) * (len(g.Sizes) + 1) * g.Hashes
}

// appendRows appends the rows that belong to the next bytes of a text, as many as ends has
// elements, and writes the number of rows up to each byte to ends. rows must have room for
// [Grams.mostRows]. Byte i of the text is byte i+1 of the padded one. The last byte also has the
// n-grams that end with the closing space.
func (g *Grams) appendRows(rows []uint32, ends []int, found *grams, buckets buckets) []uint32 {
	first, count := found.next, len(ends)
	if first+count == len(found.padded)-1 {
		count++
	}
	found.read(count)
	var hashes [(blockPositions + 1) * (mostSizes + 1)]hash
	used := 0
	for i := range count {
		longest := found.longest[i]
		for k, size := range g.Sizes {
			hashes[used] = hash(found.hashes[k][i])
			used += atMost(size, longest) // what is too long is written over
		}
		if p := first + i; g.Words && i < len(ends) && found.padded[p] != ' ' && found.padded[p+1] == ' ' {
			hashes[used] = hashWord(found.padded[bytes.LastIndexByte(found.padded[:p], ' ')+1 : p+1])
			used++
		}
		ends[min(i, len(ends)-1)] = len(rows) + used*g.Hashes
	}
	more := rows[len(rows) : len(rows)+used*g.Hashes]
	for j := range g.Hashes {
		for i, h := range hashes[:used] {
			more[i*g.Hashes+j] = uint32(h.bucket(buckets))
			hashes[i] = h.next()
		}
	}
	return rows[:len(rows)+len(more)]
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
