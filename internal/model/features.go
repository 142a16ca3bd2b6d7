package model

import "github.com/unum-cloud/uform-go/internal/kernel"

// The features of a text that need no weights: the rows of the table of n-grams that belong to each
// of its bytes, and the signs of its lexical lane. Training keeps the rows from one pass to the
// next. If the configuration folds texts, the caller has folded them.

// AppendRows appends the rows of the table that belong to the bytes of a text, in the order in
// which an input row sums them. It appends to ends, for each byte, the number of rows so far.
// buffer is working memory.
func (g *Grams) AppendRows(rows []uint32, ends []int, text []byte, buffer *[]byte) ([]uint32, []int) {
	padded := pad(buffer, text, g.Fold)
	for i := range text {
		rows = g.appendEnding(rows, padded, i+1)
		if i == len(text)-1 {
			rows = g.appendEnding(rows, padded, i+2)
		}
		ends = append(ends, len(rows))
	}
	return rows, ends
}

// appendEnding appends the rows of all n-grams and words that end at padded[p].
func (g *Grams) appendEnding(rows []uint32, padded []byte, p int) []uint32 {
	longest := longestGram(padded, p, g.Within)
	for _, size := range g.Sizes {
		if size > longest {
			break
		}
		rows = g.appendHashes(rows, hashGram(padded[p-size+1:p+1]))
	}
	if !g.Words || padded[p] == ' ' || padded[p+1] != ' ' {
		return rows
	}
	start := p
	for padded[start-1] != ' ' {
		start--
	}
	return g.appendHashes(rows, hashWord(padded[start:p+1]))
}

func (g *Grams) appendHashes(rows []uint32, h hash) []uint32 {
	for range g.Hashes {
		rows = append(rows, uint32(h.bucket(g.Buckets)))
		h = h.next()
	}
	return rows
}

// Lane writes the lexical lane of a text before it is scaled to its length: the weighted signs of
// all n-grams. lane has as many scalars as the lane has columns. buffer is working memory.
func (l *Lexical) Lane(lane []float32, weights []float32, text []byte, buffer *[]byte) {
	padded := pad(buffer, text, l.Fold)
	clear(lane)
	for p := 1; p < len(padded); p++ {
		longest := longestGram(padded, p, l.Within)
		for _, size := range l.Sizes {
			if size > longest {
				break
			}
			h := hashGram(padded[p-size+1 : p+1])
			weight := weights[h.bucket(l.Buckets)]
			if weight == 0 {
				continue
			}
			for word := 0; word*64 < len(lane); word++ {
				kernel.AddSigns((*[64]float32)(lane[word*64:]), h.signs(word), weight)
			}
		}
	}
}
