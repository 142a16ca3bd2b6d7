package judge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
)

// Spearman returns the rank correlation of a checkpoint's cosines with the scores of people.
func Spearman(ctx context.Context, checkpoint []byte, scored []corpus.Scored) (float64, error) {
	encode, model, err := Open(ctx, checkpoint, nil)
	if err != nil {
		return 0, err
	}
	defer model.Close()
	return Scores(encode, scored, nil)
}

// Scores returns the rank correlation of an encoder's cosines with the scores of people. change, if
// not nil, is applied to the second text of each pair.
func Scores(encode Encoder, scored []corpus.Scored, change func(string) string) (float64, error) {
	cosines, people, err := compare(encode, scored, change)
	return correlation(ranks(cosines), ranks(people)), err
}

// Interval returns the interval that has that correlation in 95 of 100 samples of the pairs, drawn
// with repetition.
func Interval(encode Encoder, scored []corpus.Scored) (low, high float64, err error) {
	cosines, people, err := compare(encode, scored, nil)
	if err != nil {
		return 0, 0, err
	}
	const samples = 1000
	random := rand.New(rand.NewPCG(1, 9))
	figures := make([]float64, samples)
	a, b := make([]float64, len(scored)), make([]float64, len(scored))
	for i := range figures {
		for j := range a {
			drawn := random.IntN(len(scored))
			a[j], b[j] = cosines[drawn], people[drawn]
		}
		figures[i] = correlation(ranks(a), ranks(b))
	}
	slices.Sort(figures)
	return figures[samples*25/1000], figures[samples*975/1000-1], nil
}

// compare returns the cosine of each pair, and its score.
func compare(encode Encoder, scored []corpus.Scored, change func(string) string) (cosines, people []float64, err error) {
	var texts []string
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
		return nil, nil, err
	}
	for i := range scored {
		cosines = append(cosines, cosine(vectors[2*i], vectors[2*i+1]))
	}
	return cosines, people, nil
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
