package model

// The features of a text that need no weights: the rows of the table of n-grams that belong to each
// of its bytes, and the signs of its lexical lane. Training keeps the rows from one pass to the
// next. If the configuration folds texts, the caller has folded them.

// AppendRows appends the rows of the table that belong to the bytes of a text, in the order in
// which an input row sums them. It appends to ends, for each byte, the number of rows so far.
// buffer is working memory.
func (g *Grams) AppendRows(rows []uint32, ends []int, text []byte, buffer *[]byte) ([]uint32, []int) {
	grams := g.scan(pad(buffer, text, g.Fold))
	buckets := bucketsOf(g.Buckets)
	for i := range text {
		rows = g.appendRows(rows, &grams, buckets, i)
		ends = append(ends, len(rows))
	}
	return rows, ends
}

// scan returns the n-grams of a padded text.
func (g *Grams) scan(padded []byte) grams { return scan(padded, g.Sizes, g.Within, g.Words) }

// appendRows appends the rows that belong to byte i of a text: it is byte i+1 of the padded one. The
// last byte also gets the n-grams that end with the closing space.
func (g *Grams) appendRows(rows []uint32, grams *grams, buckets buckets, i int) []uint32 {
	// One position has no more n-grams and words than this, and the last byte has those of two.
	var found [2 * (mostSizes + 1)]hash
	hashes := grams.ending(found[:0], i+1)
	if i+3 == len(grams.padded) {
		hashes = grams.ending(hashes, i+2)
	}
	for _, h := range hashes {
		for range g.Hashes {
			rows = append(rows, uint32(h.bucket(buckets)))
			h = h.next()
		}
	}
	return rows
}

// Lane writes the lexical lane of a text before it is scaled to its length: the weighted signs of
// all n-grams. lane has as many scalars as the lane has columns.
func (l *Lexical) Lane(s *Scratch, lane []float32, weights []float32, text []byte) {
	clear(lane)
	grams := scan(pad(&s.padded, text, l.Fold), l.Sizes, l.Within, false)
	all := table{dtype: F32, columns: len(weights), floats: weights}
	addSigns(s, lane, &grams, 1, len(grams.padded), &all, bucketsOf(len(weights)))
}
