package model

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// laneBlock is how many positions of a text are summed in 32 bits before they are added to the sum
// of the whole text.
const laneBlock = 256

// laneGrams is how many n-grams have their signs added at a time.
const laneGrams = 64

// readLane sums the weighted signs of every n-gram of a text into s.lane, and returns it.
func (m *Model) readLane(s *Scratch, text []byte, stop func() bool) ([]float64, error) {
	l := m.config.Lexical
	grams := scan(pad(&s.padded, text, l.Fold), l.Sizes, l.Within, false)
	lane, part := grow(&s.lane, l.Columns), grow(&s.lanePart, l.Columns)
	clear(lane)
	for p := 1; p < len(grams.padded); {
		next := min((p/laneBlock+1)*laneBlock+1, len(grams.padded))
		clear(part)
		addSigns(s, part, &grams, p, next, &m.lexical, m.lexicalRows)
		kernel.Accumulate(lane, part)
		if p = next; p%askEvery == 1 {
			if err := trunk.Stopped(stop); err != nil {
				return nil, err
			}
		}
	}
	return lane, nil
}

// addSigns adds to lane the signs of all n-grams that end at first or later and before last, each
// times the weight in its row.
func addSigns(s *Scratch, lane []float32, grams *grams, first, last int, weights *table, rows buckets) {
	words := len(lane) / 64
	z, w := grow(&s.signs, laneGrams*words)[:0], grow(&s.weights, laneGrams)[:0]
	var found [mostSizes]hash
	for p := first; p < last; p++ {
		for _, h := range grams.ending(found[:0], p) {
			weight := weights.at(h.bucket(rows))
			if weight == 0 {
				continue
			}
			w = append(w, weight)
			for word := range words {
				z = append(z, h.signs(word))
			}
			if len(w) == laneGrams {
				kernel.AddSigns(lane, z, w)
				z, w = z[:0], w[:0]
			}
		}
	}
	kernel.AddSigns(lane, z, w)
}
