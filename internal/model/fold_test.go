package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
)

// unfolded returns texts that the fold changes in every way, the ends of cut ones, and some of
// which nothing is left.
func unfolded(context int) [][]byte {
	texts := sampleTexts(context)
	for _, text := range []string{
		"  Ein GROẞES Ёлка ", "wait..... **what**?", "\u00A0\u2003", "E\u0301 J\u030C \u0958\u023A\U0001D160", "a\u0301\u0323\u0315", " ... !!! ",
		"\t\n", "\x99cut\xF0\x9F", "ΟΔΟΣ", "\u1112\u1161\u11ab",
	} {
		texts = append(texts, []byte(text)[:min(len(text), context)])
	}
	return texts
}

// A model with a fold gives a text the same results, to the bit, as the same weights without the
// fold give the folded text: its embedding, its choices, and for each byte the state of the byte it
// was folded to.
func TestAFoldedTextIsAnotherText(t *testing.T) {
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			plain := newCheckpoint(21, config, model.F32, model.F32).parse(t, nil)
			config.Fold = fold.Name
			folding := newCheckpoint(21, config, model.F32, model.F32).parse(t, nil)
			texts := unfolded(config.Context)
			var folder fold.Folder
			var folded [][]byte
			var places [][]int32
			for _, text := range texts {
				bytes, to := folder.AppendPlaces(nil, text)
				folded, places = append(folded, bytes), append(places, slices.Clone(to))
			}
			embeddings, states := encodeAll(t, folding, texts)
			want, inner := encodeAll(t, plain, folded)
			require.Equal(t, want, embeddings)
			d := config.Width
			for i := range texts {
				for _, place := range places[i] {
					row := make([]float32, d)
					if len(folded[i]) > 0 {
						row = inner[int(place)*d:][:d]
					}
					require.Equal(t, row, states[:d], "%q", texts[i])
					states = states[d:]
				}
				inner = inner[len(folded[i])*d:]
			}
			alone := make([]float32, len(want))
			var scratch model.Scratch
			require.NoError(t, folding.Encode(&scratch, texts, alone, nil, nil))
			require.Equal(t, want, alone)
			if config.Decoder == nil {
				return
			}
			choices := make([][]byte, len(texts))
			for i := range choices {
				choices[i] = []byte("ABC")
			}
			of, among := make([]float32, 3*len(texts)), make([]float32, 3*len(texts))
			require.NoError(t, folding.Choose(&scratch, texts, choices, nil, of, nil))
			require.NoError(t, plain.Choose(&scratch, folded, choices, nil, among, nil))
			require.Equal(t, among, of)
		})
	}
}

func TestTheFoldTakesVersionTwo(t *testing.T) {
	const rest = `"modalities":["text"],"context":1,"width":1,"layers":0,"heads":0,"hidden":0,"columns":1}`
	config, err := model.ParseConfig(`{"format":"uform","version":2,"fold":"unicode-15.0",` + rest)
	require.NoError(t, err)
	require.Equal(t, fold.Name, config.Fold)
	metadata, err := config.Metadata()
	require.NoError(t, err)
	require.Contains(t, metadata["uform"], `"version":2`)
	for _, wrong := range []string{
		`{"format":"uform","version":1,"fold":"unicode-15.0",`, `{"format":"uform","version":2,"fold":"unicode-99",`,
		`{"format":"uform","version":2,"fold":"",`, `{"format":"uform","version":2,"fold":true,`, `{"format":"uform","version":2,"fold":null,`,
	} {
		_, err := model.ParseConfig(wrong + rest)
		require.ErrorContains(t, err, "fold", wrong)
	}
	config, err = model.ParseConfig(`{"format":"uform","version":2,` + rest)
	require.NoError(t, err)
	metadata, err = config.Metadata()
	require.NoError(t, err)
	require.Contains(t, metadata["uform"], `"version":1`, "what version 1 can say is written in it")
}
