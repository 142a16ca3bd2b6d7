package chart

import (
	"context"
	"math"

	"github.com/unum-cloud/uform-go/uform/nearest"
)

// affinity is how much a point is drawn to another.
type affinity struct {
	to     int
	weight float64
}

// affinities returns the symmetric affinities of t-SNE, which sum to one: of each point to its
// nearest 3·perplexity, by a Gaussian as wide as the perplexity asks.
func affinities(ctx context.Context, vectors [][]float32, perplexity float64) ([][]affinity, error) {
	neighbours := min(int(3*perplexity), len(vectors)-1)
	index, err := nearest.New(&nearest.Options{Columns: len(vectors[0]), Metric: nearest.Euclidean})
	if err != nil {
		return nil, err
	}
	defer index.Close()
	keys := make([]uint64, len(vectors))
	for i := range keys {
		keys[i] = uint64(i)
	}
	if err := index.Add(keys, vectors); err != nil {
		return nil, err
	}
	const batch = 256
	weights := make([]map[int]float64, len(vectors))
	for i := range weights {
		weights[i] = map[int]float64{}
	}
	for begin := 0; begin < len(vectors); begin += batch {
		queries := vectors[begin:min(begin+batch, len(vectors))]
		found, err := index.SearchBatch(ctx, queries, neighbours+1, nil)
		if err != nil {
			return nil, err
		}
		for k, matches := range found {
			from := begin + k
			others := make([]nearest.Match, 0, neighbours)
			for _, match := range matches {
				if match.Key != uint64(from) && len(others) < neighbours {
					others = append(others, match)
				}
			}
			for m, share := range gaussian(others, perplexity) {
				to := int(others[m].Key)
				half := share / float64(2*len(vectors))
				weights[from][to] += half
				weights[to][from] += half
			}
		}
	}
	all := make([][]affinity, len(vectors))
	for i := range all { // in the order of indices, so that sums are the same in every run
		for j := range sortedKeys(weights[i]) {
			all[i] = append(all[i], affinity{j, weights[i][j]})
		}
	}
	return all, nil
}

// gaussian returns the shares of neighbours at distances, of the width at which their entropy is
// that of so many equal ones.
func gaussian(matches []nearest.Match, perplexity float64) []float64 {
	shares := make([]float64, len(matches))
	target := math.Log(min(perplexity, float64(len(matches))))
	low, high, precision := 0.0, math.Inf(1), 1.0
	for range 64 {
		sum, weighted := 0.0, 0.0
		for i, match := range matches {
			squared := match.Score*match.Score - matches[0].Score*matches[0].Score
			shares[i] = math.Exp(-precision * squared)
			sum += shares[i]
			weighted += shares[i] * squared
		}
		entropy := math.Log(sum) + precision*weighted/sum
		for i := range shares {
			shares[i] /= sum
		}
		switch {
		case math.Abs(entropy-target) < 1e-5:
			return shares
		case entropy > target:
			low = precision
		default:
			high = precision
		}
		if math.IsInf(high, 1) {
			precision *= 2
		} else {
			precision = (low + high) / 2
		}
	}
	return shares
}
