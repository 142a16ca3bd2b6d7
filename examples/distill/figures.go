package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// figures say how well a student does on texts that it does not learn from.
type figures struct {
	// Cosine is the mean cosine to the teacher's vectors. Without a common width there is none.
	Cosine float64
	// Rank is Spearman's correlation of the similarities of pairs of held-out lines, by the student
	// and by the teacher.
	Rank float64
	// STS is Spearman's correlation with the scores of people, zero without such a file.
	STS float64
}

// mostJudged and mostPairs limit the held-out lines that figures are computed of, and their pairs.
const (
	mostJudged = 2000
	mostPairs  = 100_000
)

// scored is two texts, by their indices among those of the judge, and the similarity that people
// gave them.
type scored struct {
	a, b  int
	score float64
}

// judge has what figures are computed from. Its texts are some of the held-out lines, and those of
// the scored pairs behind them.
type judge struct {
	texts  []string
	held   int
	wanted *vectors // of all texts
	pairs  [][2]int
	scored []scored
	scores []float64
	// aligned tells that the student's columns are the teacher's.
	aligned bool
}

// newJudge takes the first held texts for held-out lines.
func newJudge(texts []string, held int, scored []scored, wanted *vectors, seed uint64) *judge {
	j := &judge{texts: texts, held: held, wanted: wanted, scored: scored}
	for _, s := range scored {
		j.scores = append(j.scores, s.score)
	}
	all := held * (held - 1) / 2
	random := rand.New(rand.NewPCG(seed, 3))
	for a := range held {
		for b := range a {
			if all <= mostPairs || random.IntN(all) < mostPairs {
				j.pairs = append(j.pairs, [2]int{a, b})
			}
		}
	}
	return j
}

// similarities returns the products of the rows of pairs.
func (j *judge) similarities(rows [][]float32) (held, scored []float64) {
	for _, pair := range j.pairs {
		held = append(held, float64(kernel.Dot(rows[pair[0]], rows[pair[1]])))
	}
	for _, s := range j.scored {
		scored = append(scored, float64(kernel.Dot(rows[s.a], rows[s.b])))
	}
	return held, scored
}

// targets returns the teacher's vectors of the judge's texts.
func (j *judge) targets() [][]float32 {
	rows := make([][]float32, len(j.texts))
	for i := range rows {
		rows[i] = make([]float32, j.wanted.columns)
		j.wanted.row(rows[i], i)
	}
	return rows
}

// of computes figures with embed, which returns vectors that are valid afterwards.
func (j *judge) of(ctx context.Context, embed func(ctx context.Context, texts []string) ([][]float32, error)) (f figures, err error) {
	rows, err := embed(ctx, j.texts)
	if err != nil {
		return f, err
	}
	targets := j.targets()
	wanted, _ := j.similarities(targets)
	got, scores := j.similarities(rows)
	f.Rank = spearman(wanted, got)
	if len(j.scored) > 0 {
		f.STS = spearman(j.scores, scores)
	}
	if j.aligned {
		for i := range j.held {
			f.Cosine += float64(kernel.Dot(rows[i], targets[i])) / float64(j.held)
		}
	}
	return f, nil
}

// teachers returns the teacher's own correlation with people's scores.
func (j *judge) teachers() float64 {
	_, scores := j.similarities(j.targets())
	return spearman(j.scores, scores)
}

func (j *judge) print(f figures) string {
	var parts []string
	if j.aligned {
		parts = append(parts, fmt.Sprintf("cosine %.3f", f.Cosine))
	}
	parts = append(parts, fmt.Sprintf("rank agreement %.3f", f.Rank))
	if len(j.scored) > 0 {
		parts = append(parts, fmt.Sprintf("STS %.4f", f.STS))
	}
	return strings.Join(parts, ", ")
}

// spearman is the correlation of the ranks of two lists.
func spearman(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	var meanX, meanY float64
	for i := range x {
		meanX += x[i] / float64(len(x))
		meanY += y[i] / float64(len(y))
	}
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - meanX) * (y[i] - meanY)
		xx += (x[i] - meanX) * (x[i] - meanX)
		yy += (y[i] - meanY) * (y[i] - meanY)
	}
	if xx == 0 || yy == 0 { // all are alike
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// ranks returns the rank of each value; equal values share the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = float64(first+end-1) / 2
		}
		first = end
	}
	return ranks
}

// readScored reads a file of the STS benchmark: the fifth field of a line is the score, the sixth
// and seventh are the texts. It returns the different texts, and pairs by their indices.
func readScored(streams command.Streams, path string) (texts []string, all []scored, err error) {
	lines, err := readLines(streams, path)
	if err != nil {
		return nil, nil, err
	}
	index := map[string]int{}
	place := func(text string) int {
		at, known := index[text]
		if !known {
			at = len(texts)
			index[text] = at
			texts = append(texts, text)
		}
		return at
	}
	for _, line := range lines {
		fields := strings.Split(line, "\t")
		if len(fields) < 7 {
			return nil, nil, fmt.Errorf("%s: %q has %d fields with tabs between them instead of 7", path, short(line), len(fields))
		}
		score, err := strconv.ParseFloat(fields[4], 64)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %q: the fifth field is no score", path, short(line))
		}
		all = append(all, scored{place(fields[5]), place(fields[6]), score})
	}
	if len(all) < 2 {
		return nil, nil, fmt.Errorf("%s has %d pairs: give at least 2", path, len(all))
	}
	return texts, all, nil
}
