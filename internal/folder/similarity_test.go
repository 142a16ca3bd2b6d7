package folder_test

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
)

// development returns the development split of the STS benchmark, which may stand beside the
// repository: the score of each pair of texts, and the texts. A test without it is skipped.
func development(t *testing.T) (scores []float64, texts []string) {
	scored, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "sts-dev.csv"))
	if err != nil {
		t.Skip("left out: the development split of the STS benchmark does not stand beside the repository")
	}
	for line := range strings.Lines(string(scored)) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		score, err := strconv.ParseFloat(fields[4], 64)
		require.NoError(t, err)
		scores, texts = append(scores, score), append(texts, fields[5], fields[6])
	}
	require.Len(t, scores, 1500)
	return scores, texts
}

// similarity is Spearman's correlation of the cosines of pairs with their scores.
func similarity(t *testing.T, m *folder.Model, scores []float64, texts []string) float64 {
	columns := int(m.Describe().EmbeddingColumns)
	embeddings := embed(t, m, texts...)
	cosines := make([]float64, len(scores))
	for i := range cosines {
		cosines[i] = cosine(embeddings[2*i*columns:][:columns], embeddings[(2*i+1)*columns:][:columns])
	}
	return correlation(ranks(scores), ranks(cosines))
}

// The reference's figure is that of testdata/real.py with the real all-MiniLM-L6-v2.
func TestRealSimilarity(t *testing.T) {
	const reference = 0.867163
	source := realFolder(t, "all-MiniLM-L6-v2")
	scores, texts := development(t)
	for kind, within := range map[abi.Scalar]float64{abi.ScalarUnknown: .0005, abi.ScalarI8: .003} {
		t.Run(kind.String(), func(t *testing.T) {
			m, err := folder.Open(source, &folder.Options{Kind: kind})
			require.NoError(t, err)
			figure := similarity(t, m, scores, texts)
			t.Logf("%.6f", figure)
			require.InDelta(t, reference, figure, within)
		})
	}
}

// ranks returns the place of each value in their order; equal ones share the mean of their places.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	places := make([]float64, len(values))
	for begin := 0; begin < len(order); {
		end := begin + 1
		for end < len(order) && values[order[end]] == values[order[begin]] {
			end++
		}
		for _, i := range order[begin:end] {
			places[i] = float64(begin+end-1) / 2
		}
		begin = end
	}
	return places
}

// correlation is Pearson's.
func correlation(a, b []float64) float64 {
	mean := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x
		}
		return sum / float64(len(v))
	}
	meanA, meanB := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-meanA, b[i]-meanB
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
