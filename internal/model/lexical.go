package model

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// laneBlock is how many positions of a text are summed in 32 bits before they are added to the sum
// of the whole text.
const laneBlock = 256

// readLane sums the weighted signs of every n-gram of a text into s.lane, and returns it.
func (m *Model) readLane(s *Scratch, text []byte, stop func() bool) ([]float64, error) {
	lexical := m.config.Lexical
	padded := pad(&s.padded, text, lexical.Fold)
	lane, part := grow(&s.lane, lexical.Columns), grow(&s.lanePart, lexical.Columns)
	clear(lane)
	clear(part)
	for p := 1; p < len(padded); p++ {
		longest := longestGram(padded, p, lexical.Within)
		for _, size := range lexical.Sizes {
			if size > longest {
				break
			}
			m.addSigns(part, hashGram(padded[p-size+1:p+1]))
		}
		if p%laneBlock == 0 || p == len(padded)-1 {
			accumulate(lane, part)
			clear(part)
		}
		if p%askEvery == 0 {
			if err := trunk.Stopped(stop); err != nil {
				return nil, err
			}
		}
	}
	return lane, nil
}

func (m *Model) addSigns(lane []float32, h hash) {
	weight := m.lexical.at(h.bucket(m.config.Lexical.Buckets))
	if weight == 0 {
		return
	}
	for word := 0; word*64 < len(lane); word++ {
		kernel.AddSigns((*[64]float32)(lane[word*64:]), h.signs(word), weight)
	}
}
