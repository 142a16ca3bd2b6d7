package main

import (
	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Chosen on the development split of the STS benchmark, and the settings of the run that made the
// model.
const (
	seed    = 1
	width   = 96  // of a row of the tables
	columns = 128 // of the dense part: as many of the teacher's principal directions
	// the power of their variances that divides targets, so that later directions weigh more
	level = 0.1

	rate    = 6e-3 // falls linearly to a twentieth
	batch   = 512  // sentences with targets per step
	pairs   = 32   // pairs per step
	rowIDF  = 2    // the power of the inverse document frequency in the initial rows
	laneIDF = 1.5  // and in the lane's weights
	rarest  = 4    // with fewer documents the lane's weight is zero

	cosine, similarity, contrast, temperature = 1, 5, 0.05, 0.07
)

// mix is how often a sentence of a kind is drawn in each pass over all of them.
var mix = map[corpus.Kind]float64{
	corpus.Listed: 1, corpus.Paired: 1, corpus.Gloss: 0.5, corpus.Example: 0.5, corpus.Package: 0.5,
	corpus.Word: 0.4, corpus.Phrase: 0.3, corpus.Translated: 0.2,
}

// noise changes the sentences with targets. The fold takes case away already.
var noise = train.Noise{Typos: 0.15, Punctuation: 0.1}

// shares are the shares of the lexical lane that are tried at the end, ascending.
var shares = []float64{0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45}

// architecture returns the model's: a bag of n-grams within words and of whole words, with a
// lexical lane, over folded texts.
func architecture() *model.Config {
	return &model.Config{
		Modalities: []string{"text"}, Context: 4096, Width: width, Columns: columns, Fold: fold.Name,
		Grams:   &model.Grams{Sizes: []int{3, 4, 5}, Hashes: 2, Buckets: 73_500, Words: true, Within: true},
		Lexical: &model.Lexical{Sizes: []int{2, 3, 4}, Buckets: 1 << 14, Columns: 256, Share: 0.3, Within: true},
	}
}
