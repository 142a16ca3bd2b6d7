package judge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/ci/textmodel/judge"
)

// letters is an encoder of two columns that give the position of a text in the alphabet.
func letters(texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = map[string][]float32{"a": {1, 0}, "b": {0.8, 0.6}, "c": {0.6, 0.8}, "d": {0, 1}}[text]
	}
	return vectors, nil
}

func TestScores(t *testing.T) {
	scored := func(scores ...float64) []corpus.Scored {
		var all []corpus.Scored
		for i, second := range []string{"a", "b", "c", "d"} {
			all = append(all, corpus.Scored{Pair: corpus.Pair{"a", second}, Score: scores[i]})
		}
		return all
	}
	for _, test := range []struct {
		people []corpus.Scored
		want   float64
	}{
		{scored(5, 3, 2, 0), 1},
		{scored(0, 2, 3, 5), -1},
		{scored(5, 2, 3, 0), 0.8},
		{scored(5, 2, 2, 0), 0.948683}, // two with the same rank
	} {
		got, err := judge.Scores(letters, test.people, nil)
		require.NoError(t, err)
		require.InDelta(t, test.want, got, 1e-6)
	}
}

func TestNeighboursAndRecall(t *testing.T) {
	near, err := judge.Neighbours(letters, []string{"a", "d"}, []string{"d", "c", "b", "a"}, 2)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"b", "c"}, {"c", "b"}}, near)
	found, err := judge.Recall(letters, []corpus.Pair{{"a", "b"}, {"d", "c"}, {"b", "d"}})
	require.NoError(t, err)
	require.InDelta(t, 1.0/3, found, 1e-9, "d is nearer to itself than to c, and b to itself than to d")
}

func TestCharacters(t *testing.T) {
	var texts []string
	for range 10 {
		texts = append(texts, "weather report", "whether or not")
	}
	vectors, err := judge.NewCharacters(texts).Encode([]string{"weather", "wether", "zzz", "WEATHER"})
	require.NoError(t, err)
	dot := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	require.InDelta(t, 1, dot(vectors[0], vectors[3]), 1e-6)
	require.Greater(t, dot(vectors[0], vectors[1]), float32(0.1))
	require.Zero(t, dot(vectors[0], vectors[2]))
}

func TestInterval(t *testing.T) {
	var scored []corpus.Scored
	for i := range 400 {
		second := "abcd"[i%4]
		noise := float64(i / 4 % 5) // of 100 pairs with one text, each has one of five scores
		scored = append(scored, corpus.Scored{Pair: corpus.Pair{"a", string(second)}, Score: noise - float64(i%4)})
	}
	figure, err := judge.Scores(letters, scored, nil)
	require.NoError(t, err)
	low, high, err := judge.Interval(letters, scored)
	require.NoError(t, err)
	// The standard error of a correlation r of n pairs is about (1 − r²) / √n.
	error95 := 1.96 * (1 - figure*figure) / 20
	require.InDelta(t, figure-error95, low, error95/2)
	require.InDelta(t, figure+error95, high, error95/2)
}

func TestTypingChangesAThirdOfTheWords(t *testing.T) {
	require.Contains(t, []string{"aubt", "abtu"}, judge.Swapping("abut"), "not the first letter")
	require.Equal(t, "a b c", judge.Typing("a b c"))
	require.NotEqual(t, "weather forecast", judge.Typing("weather forecast"))
	require.Equal(t, judge.Typing("weather forecast tomorrow"), judge.Typing("weather forecast tomorrow"))
}
