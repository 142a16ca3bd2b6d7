package nearest

import (
	"cmp"
	"slices"
)

// Match is a row that a search found.
type Match struct {
	// Key is the row's key.
	Key uint64
	// Score is the cosine, the dot product or the distance, by the index's metric.
	Score float64
}

// order sorts better matches first, and smaller keys first among equals. Scores are such that
// larger ones are better.
func order(a, b Match) int {
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(a.Key, b.Key)
}

// best is a heap of the best matches so far, at most most, with the worst of them first.
type best struct {
	matches []Match
	most    int
}

func (b *best) full() bool { return len(b.matches) == b.most }

// add keeps a match if it is one of the best.
func (b *best) add(m Match) {
	if !b.full() {
		b.matches = append(b.matches, m)
		for i := len(b.matches) - 1; i > 0; {
			parent := (i - 1) / 2
			if order(b.matches[parent], m) > 0 {
				break
			}
			b.matches[i], b.matches[parent] = b.matches[parent], m
			i = parent
		}
		return
	}
	if order(m, b.matches[0]) > 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(b.matches) {
			break
		}
		if child+1 < len(b.matches) && order(b.matches[child+1], b.matches[child]) > 0 {
			child++
		}
		if order(m, b.matches[child]) > 0 {
			break
		}
		b.matches[i] = b.matches[child]
		i = child
	}
	b.matches[i] = m
}

func (b *best) sort() { slices.SortFunc(b.matches, order) }
