package main

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// frequency counts the texts that use each row of a table of n-grams, once they are folded.
type frequency struct {
	grams *model.Grams
	texts int
	in    []int32
	last  []int32 // the last text that used a row, counted from one

	folder fold.Folder
	folded []byte
	rows   []uint32
	ends   []int
	buffer []byte
}

func newFrequency(grams *model.Grams) *frequency {
	return &frequency{grams: grams, in: make([]int32, grams.Buckets), last: make([]int32, grams.Buckets)}
}

func (f *frequency) add(text []byte) {
	f.texts++
	f.folded = f.folder.Append(f.folded[:0], text)
	f.rows, f.ends = f.grams.AppendRows(f.rows[:0], f.ends[:0], f.folded, &f.buffer)
	for _, row := range f.rows {
		if f.last[row] != int32(f.texts) {
			f.last[row] = int32(f.texts)
			f.in[row]++
		}
	}
}

// rarity returns the logarithm of one over the share of texts that use a row; it is above zero for
// every row.
func (f *frequency) rarity(row int) float64 {
	return math.Max(0.01, math.Log(float64(f.texts)/(float64(f.in[row])+1)))
}

// weights returns the weights of the lexical lane: a power of one plus the rarity, and zero for
// rows that almost no text uses.
func (f *frequency) weights() []float32 {
	weights := make([]float32, len(f.in))
	for row, in := range f.in {
		if in >= rarest {
			weights[row] = float32(math.Pow(math.Log(float64(1+f.texts)/float64(1+in))+1, laneIDF))
		}
	}
	return weights
}
