package judge

import (
	"hash/fnv"
	"math"
	"strings"
)

// Characters are the baseline: n-grams of three to five characters within words, spaces included,
// with the logarithms of their counts weighted by rarity in some texts. The vectors are hashed into
// a fixed width, large enough to lose almost nothing.
type Characters struct{ weights map[string]float64 }

// charactersWidth is the width of the vectors.
const charactersWidth = 1 << 13

// NewCharacters counts texts.
func NewCharacters(texts []string) *Characters {
	in := map[string]int{}
	for _, text := range texts {
		for gram := range counts(text) {
			in[gram]++
		}
	}
	c := &Characters{weights: map[string]float64{}}
	for gram, count := range in {
		if count >= 4 {
			c.weights[gram] = math.Log(float64(1+len(texts))/float64(1+count)) + 1
		}
	}
	return c
}

func counts(text string) map[string]int {
	in := map[string]int{}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		runes := []rune(" " + word + " ")
		for size := 3; size <= 5; size++ {
			for first := 0; first+size <= len(runes); first++ {
				in[string(runes[first:first+size])]++
			}
			if len(runes) < size {
				break
			}
		}
	}
	return in
}

// Encode implements [Encoder].
func (c *Characters) Encode(texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vector := make([]float32, charactersWidth)
		squares := 0.0
		for gram, count := range counts(text) {
			weight := c.weights[gram] * (1 + math.Log(float64(count)))
			h := fnv.New64a()
			h.Write([]byte(gram))
			at := h.Sum64()
			if at>>63 == 1 {
				weight = -weight
			}
			vector[at%charactersWidth] += float32(weight)
		}
		for _, v := range vector {
			squares += float64(v) * float64(v)
		}
		if squares > 0 {
			for c := range vector {
				vector[c] /= float32(math.Sqrt(squares))
			}
		}
		vectors[i] = vector
	}
	return vectors, nil
}
