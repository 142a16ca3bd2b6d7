package judge

import (
	"context"
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
)

// Spearman returns the rank correlation of a checkpoint's cosines with the scores of people.
func Spearman(ctx context.Context, checkpoint []byte, scored []corpus.Scored) (float64, error) {
	encode, model, err := Open(ctx, checkpoint)
	if err != nil {
		return 0, err
	}
	defer model.Close()
	return Scores(encode, scored, nil)
}

// Scores returns the rank correlation of an encoder's cosines with the scores of people. change, if
// not nil, is applied to the second text of each pair.
func Scores(encode Encoder, scored []corpus.Scored, change func(string) string) (float64, error) {
	var texts []string
	var people, cosines []float64
	for _, s := range scored {
		second := s.Pair[1]
		if change != nil {
			second = change(second)
		}
		texts = append(texts, s.Pair[0], second)
		people = append(people, s.Score)
	}
	vectors, err := encode(texts)
	if err != nil {
		return 0, err
	}
	for i := range scored {
		cosines = append(cosines, cosine(vectors[2*i], vectors[2*i+1]))
	}
	return correlation(ranks(cosines), ranks(people)), nil
}

// ranks returns the ranks of values; equal ones share the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	places := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			places[i] = float64(first+end-1) / 2
		}
		first = end
	}
	return places
}

// correlation returns Pearson's correlation.
func correlation(a, b []float64) float64 {
	var meanA, meanB float64
	for i := range a {
		meanA += a[i] / float64(len(a))
		meanB += b[i] / float64(len(a))
	}
	var both, ofA, ofB float64
	for i := range a {
		x, y := a[i]-meanA, b[i]-meanB
		both += x * y
		ofA += x * x
		ofB += y * y
	}
	return both / math.Sqrt(ofA*ofB)
}
