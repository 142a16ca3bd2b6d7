package chart_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/chart"
)

// blobs are vectors around three centres, one after the other, and which each is around.
func blobs(count int) (vectors [][]float32, of []int) {
	random := rand.New(rand.NewPCG(7, 7))
	for i := range count {
		v := make([]float32, 16)
		for c := range v {
			v[c] = float32(random.NormFloat64() * 0.05)
		}
		v[i%3*5]++
		vectors, of = append(vectors, v), append(of, i%3)
	}
	return vectors, of
}

// The nearest place of nearly every point is one of its own blob, by either way.
func TestPlacesKeepNeighbours(t *testing.T) {
	vectors, of := blobs(300)
	placed, err := chart.Places(t.Context(), vectors, nil)
	require.NoError(t, err)
	for name, points := range map[string][]chart.Point{"principal": chart.Principal(vectors), "t-SNE": placed} {
		right := 0
		for i, p := range points {
			nearest, least := -1, math.Inf(1)
			for j, q := range points {
				if d := math.Hypot(p.X-q.X, p.Y-q.Y); i != j && d < least {
					nearest, least = j, d
				}
			}
			if of[nearest] == of[i] {
				right++
			}
		}
		require.Greater(t, right, 295, name)
	}
	again, err := chart.Places(t.Context(), vectors, nil)
	require.NoError(t, err)
	require.Equal(t, placed, again)
}

func TestPlacesOfFewAndOfEqual(t *testing.T) {
	for _, count := range []int{0, 1, 2, 9, 10, 31} {
		vectors := make([][]float32, count)
		for i := range vectors {
			vectors[i] = []float32{1, 2, 3}
		}
		points, err := chart.Places(t.Context(), vectors, nil)
		require.NoError(t, err)
		require.Len(t, points, count)
		for _, p := range points {
			require.False(t, math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0))
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	vectors, _ := blobs(30)
	_, err := chart.Places(ended, vectors, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestGroups(t *testing.T) {
	vectors, of := blobs(100) // 34, 33 and 33
	groups := chart.Groups(vectors, 3)
	named := map[int]int{}
	for i, g := range groups {
		if name, known := named[of[i]]; known {
			require.Equal(t, name, g)
		}
		named[of[i]] = g
	}
	require.Len(t, named, 3)
	require.Zero(t, named[0], "the largest is the first")
	require.Equal(t, []int{0, 0}, chart.Groups([][]float32{{1}, {1}}, 5))
	require.Empty(t, chart.Groups(nil, 3))
}

func TestLabels(t *testing.T) {
	texts := []string{"The cat sat", "the cat ran", "the dog sat", "THE DOG barked, the dog!", "猫が好き"}
	labels := chart.Labels(texts, []int{0, 0, 1, 1, 2})
	require.Len(t, labels, 3)
	require.Regexp(t, "^cat", labels[0])
	require.Regexp(t, "^dog", labels[1])
	require.Equal(t, "猫が好き", labels[2])
	require.Equal(t, []string{""}, chart.Labels([]string{"1 2 3"}, []int{0}))
}

// The approximation is close to the exact forces.
func TestRepulsion(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	points := make([]chart.Point, 500)
	for i := range points {
		points[i] = chart.Point{X: random.NormFloat64() * 10, Y: random.NormFloat64() * 10}
	}
	points[1] = points[0] // two at one place
	forces, total := chart.Repel(points)
	exact, sum, largest := make([]chart.Point, len(points)), 0.0, 0.0
	for i, p := range points {
		for j, q := range points {
			if i == j {
				continue
			}
			dx, dy := p.X-q.X, p.Y-q.Y
			weight := 1 / (1 + dx*dx + dy*dy)
			sum += weight
			exact[i].X += weight * weight * dx
			exact[i].Y += weight * weight * dy
		}
		largest = max(largest, math.Hypot(exact[i].X, exact[i].Y))
	}
	require.InEpsilon(t, sum, total, 0.02)
	for i := range forces {
		require.InDelta(t, exact[i].X, forces[i].X, 0.05*largest)
		require.InDelta(t, exact[i].Y, forces[i].Y, 0.05*largest)
	}
}
