package main

import (
	"math"
	"math/rand/v2"
)

// principal returns the principal directions of rows, of size scalars each, the largest variance
// first: [count, size]. It multiplies random directions with the rows' second moments until they
// converge.
func principal(rows []float32, size, count int) []float32 {
	moments := make([]float64, size*size)
	for ; len(rows) >= size; rows = rows[size:] {
		row := rows[:size]
		for i, v := range row {
			line := moments[i*size : (i+1)*size]
			for j, w := range row {
				line[j] += float64(v) * float64(w)
			}
		}
	}
	random := rand.New(rand.NewPCG(seed, 2))
	directions := make([]float64, count*size)
	for i := range directions {
		directions[i] = random.NormFloat64()
	}
	turned := make([]float64, size)
	const rounds = 60
	for range rounds {
		for d := range count {
			direction := directions[d*size : (d+1)*size]
			for i := range turned {
				turned[i] = dot(moments[i*size:(i+1)*size], direction)
			}
			copy(direction, turned)
			for before := range d {
				other := directions[before*size : (before+1)*size]
				along := dot(direction, other)
				for i, v := range other {
					direction[i] -= along * v
				}
			}
			length := math.Sqrt(dot(direction, direction))
			for i := range direction {
				direction[i] /= length
			}
		}
	}
	narrow := make([]float32, len(directions))
	for i, v := range directions {
		narrow[i] = float32(v)
	}
	return narrow
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
