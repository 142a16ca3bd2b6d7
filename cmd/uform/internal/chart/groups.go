package chart

import (
	"math"
	"math/rand/v2"
)

// The attempts at grouping, of which the closest is taken, and the rounds of each.
const (
	attempts = 4
	rounds   = 50
)

// Groups puts vectors into count groups of near ones, by k-means from centres that k-means++ draws.
// Groups are numbered by size, the largest first; there are fewer where vectors are equal.
func Groups(vectors [][]float32, count int) []int {
	count = min(count, len(vectors))
	if count < 2 {
		return make([]int, len(vectors))
	}
	random := rand.New(rand.NewPCG(1, 1))
	var best []int
	least := math.Inf(1)
	for range attempts {
		if groups, cost := means(vectors, draw(vectors, count, random)); cost < least {
			best, least = groups, cost
		}
	}
	return bySize(best, count)
}

// draw draws centres, far ones more often.
func draw(vectors [][]float32, count int, random *rand.Rand) [][]float64 {
	distances := make([]float64, len(vectors))
	for i := range distances {
		distances[i] = math.Inf(1)
	}
	next := random.IntN(len(vectors))
	var centres [][]float64
	for {
		centre := make([]float64, len(vectors[next]))
		for c, value := range vectors[next] {
			centre[c] = float64(value)
		}
		centres = append(centres, centre)
		if len(centres) == count {
			return centres
		}
		total := 0.0
		for i, v := range vectors {
			distances[i] = min(distances[i], distance(v, centre))
			total += distances[i]
		}
		if total == 0 { // no more different vectors
			return centres
		}
		at := random.Float64() * total
		next = len(vectors) - 1
		for i, d := range distances {
			if at -= d; at < 0 {
				next = i
				break
			}
		}
	}
}

// means moves centres to the means of their groups until no vector changes its group.
func means(vectors [][]float32, centres [][]float64) (groups []int, cost float64) {
	groups = make([]int, len(vectors))
	costs := make([]float64, len(vectors))
	for round := range rounds {
		former := append([]int(nil), groups...)
		parallel(len(vectors), func(first, end int) {
			for i := first; i < end; i++ {
				costs[i] = math.Inf(1)
				for g, centre := range centres {
					if d := distance(vectors[i], centre); d < costs[i] {
						groups[i], costs[i] = g, d
					}
				}
			}
		})
		changed := round == 0
		for i := range groups {
			changed = changed || groups[i] != former[i]
		}
		if !changed {
			break
		}
		sizes := make([]float64, len(centres))
		for g := range centres {
			centres[g] = make([]float64, len(centres[g]))
		}
		for i, v := range vectors {
			sizes[groups[i]]++
			for c, value := range v {
				centres[groups[i]][c] += float64(value)
			}
		}
		for g, size := range sizes {
			for c := range centres[g] {
				centres[g][c] /= max(size, 1)
			}
		}
	}
	for _, c := range costs {
		cost += c
	}
	return groups, cost
}

func distance(v []float32, centre []float64) (squares float64) {
	for c, value := range v {
		difference := float64(value) - centre[c]
		squares += difference * difference
	}
	return squares
}

// bySize numbers groups by their sizes, and by their first member where these are equal.
func bySize(groups []int, count int) []int {
	sizes, numbers := make([]int, count), make([]int, count)
	for _, g := range groups {
		sizes[g]++
	}
	taken := make([]bool, count)
	for number := range count {
		largest := -1
		for _, g := range groups {
			if !taken[g] && (largest < 0 || sizes[g] > sizes[largest]) {
				largest = g
			}
		}
		if largest < 0 {
			break
		}
		taken[largest], numbers[largest] = true, number
	}
	numbered := make([]int, len(groups))
	for i, g := range groups {
		numbered[i] = numbers[g]
	}
	return numbered
}
