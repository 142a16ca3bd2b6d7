package uform_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/uform"
)

// spelling is a model that shows the folded text: a state is the value of its byte, and the lane
// has the pairs of bytes.
func spelling(t *testing.T) (*model.Config, []byte) {
	t.Helper()
	config := &model.Config{
		Modalities: []string{"text"}, Context: 4096, Width: 1, Columns: 1, Fold: fold.Name,
		Lexical: &model.Lexical{Sizes: []int{2}, Buckets: 4096, Columns: 64, Share: 0.9},
	}
	values := make([]float32, 256)
	for b := range values {
		values[b] = float32(b)
	}
	weights := make([]float32, 4096)
	for i := range weights {
		weights[i] = 1 + float32(i%7)/4
	}
	empty := make([]float32, 65)
	empty[0] = 1
	var file bytes.Buffer
	require.NoError(t, model.Write(&file, config, []model.Tensor{
		model.FloatTensor("bytes", values, 256, 1), model.FloatTensor("projection", []float32{1}, 1, 1),
		model.FloatTensor("lexical", weights, 4096), model.FloatTensor("empty", empty, 65),
	}))
	return config, file.Bytes()
}

// Both libraries fold every code point alike, alone and beside marks, and random texts of those
// that fold; and both as package fold does.
func TestBothLibrariesFoldAlike(t *testing.T) {
	config, file := spelling(t)
	p := openPair(t, file, config)
	var texts []string
	var folds []rune
	for first := rune(0); first <= utf8.MaxRune; first += 64 {
		var text strings.Builder
		for c := first; c < first+64; c++ {
			if !utf8.ValidRune(c) {
				continue
			}
			text.WriteString(string(c) + "xE" + string(c) + "\u0301 ")
			if folded(string(c)) != string(c) || folded("e"+string(c)) != "e"+string(c) {
				folds = append(folds, c)
			}
		}
		texts = append(texts, text.String())
	}
	random := rand.New(rand.NewPCG(31, 1))
	for range 3000 {
		var text strings.Builder
		for range 1 + random.IntN(40) {
			text.WriteRune(folds[random.IntN(len(folds))])
			text.WriteString([]string{"", "", "", " ", "..", "a", "\u0323"}[random.IntN(7)])
		}
		texts = append(texts, text.String())
	}
	texts = append(texts, "", " ", "\u00A0\n", strings.Repeat("\u0301\u0323", 900), strings.Repeat("x", 4095)+"é", strings.Repeat("\U0001D160", 1024))
	p.same(t, texts)
	options := &uform.TextOptions{Outputs: uform.States}
	encoded, err := p.native.model.On(p.native.executor).TextEncode(t.Context(), uform.Strings(texts), p.native.arena, options)
	require.NoError(t, err)
	var folder fold.Folder
	for i, states := range encoded.States.All() {
		text := texts[i][:min(len(texts[i]), config.Context)]
		spelled, places := folder.AppendPlaces(nil, []byte(text))
		for at, state := range states.All() {
			want := byte(0)
			if len(spelled) > 0 {
				want = spelled[places[at]]
			}
			if state[0] != float32(want) {
				require.Equal(t, float32(want), state[0], "%q, byte %d", text, at)
			}
		}
	}
}

func folded(text string) string {
	var folder fold.Folder
	return string(folder.Append(nil, []byte(text)))
}
