package main

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/model"
)

// frequency counts in how many texts each row of a table of n-grams is used.
type frequency struct {
	grams *model.Grams
	texts int
	in    []int32
	last  []int32 // the text, counted from one, that used a row last

	rows   []uint32
	ends   []int
	buffer []byte
}

func newFrequency(grams *model.Grams) *frequency {
	return &frequency{grams: grams, in: make([]int32, grams.Buckets), last: make([]int32, grams.Buckets)}
}

func (f *frequency) add(text []byte) {
	f.texts++
	f.rows, f.ends = f.grams.AppendRows(f.rows[:0], f.ends[:0], text, &f.buffer)
	for _, row := range f.rows {
		if f.last[row] != int32(f.texts) {
			f.last[row] = int32(f.texts)
			f.in[row]++
		}
	}
}

// rarity is the logarithm of one over the share of texts that use a row, a little more than none for the commonest.
func (f *frequency) rarity(row int) float64 {
	return math.Max(0.01, math.Log(float64(f.texts)/(float64(f.in[row])+1)))
}

// weights are the lexical lane's: a power of one more than the rarity, and zero for rows that next to nothing uses.
func (f *frequency) weights() []float32 {
	weights := make([]float32, len(f.in))
	for row, in := range f.in {
		if in >= rarest {
			weights[row] = float32(math.Pow(math.Log(float64(1+f.texts)/float64(1+in))+1, laneIDF))
		}
	}
	return weights
}
