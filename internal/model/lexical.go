package model

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// WithLaneShare returns the same model with another share of the lexical lane, which it must have.
func (m *Model) WithLaneShare(share float64) *Model {
	shared, lexical := *m, *m.config.Lexical
	lexical.Share = share
	shared.config.Lexical = &lexical
	return &shared
}

// laneBlock is how many positions of a text are summed in 32 bits before they are added to the sum
// of the whole text.
const laneBlock = 256

// readLane sums the weighted signs of every n-gram of a text into s.lane, and returns it.
func (m *Model) readLane(s *Scratch, text []byte, stop func() bool) ([]float64, error) {
	l := m.config.Lexical
	lane, part := grow(&s.lane, l.Columns), grow(&s.lanePart, l.Columns)
	clear(lane)
	clear(part)
	s.grams.scan(pad(&s.padded, text, l.Fold), l.Sizes, l.Within)
	for last := len(text) + 1; s.grams.next <= last; {
		l.addSigns(s, part, &m.lexical, m.lexicalRows)
		read := s.grams.next - 1
		if read%laneBlock == 0 || read == last {
			kernel.Accumulate(lane, part)
			clear(part)
		}
		if read%askEvery == 0 {
			if err := trunk.Stopped(stop); err != nil {
				return nil, err
			}
		}
	}
	return lane, nil
}

// addSigns adds to lane the signs of the next block of n-grams of s.grams, each times the weight in
// its row.
func (l *Lexical) addSigns(s *Scratch, lane []float32, weights *table, rows buckets) {
	found := &s.grams
	count := min(blockPositions, len(found.padded)-found.next)
	found.read(count)
	hashes := grow(&s.hashes, count*len(l.Sizes))
	used := 0
	for i := range count {
		longest := found.longest[i]
		for k, size := range l.Sizes {
			hashes[used] = found.hashes[k][i]
			used += atMost(size, longest) // what is too long is written over
		}
	}
	hashes = hashes[:used]
	w := grow(&s.weights, used)
	weights.lookUp(w, hashes, rows)
	kernel.AddSigns(lane, hashes, w)
}
