package chart

import "math"

// Point is a place in the picture.
type Point struct{ X, Y float64 }

// Principal returns the places of vectors on their first two principal components.
func Principal(vectors [][]float32) []Point {
	if len(vectors) == 0 {
		return nil
	}
	columns := len(vectors[0])
	mean := make([]float64, columns)
	for _, v := range vectors {
		for c, value := range v {
			mean[c] += float64(value) / float64(len(vectors))
		}
	}
	first := component(vectors, mean, nil)
	second := component(vectors, mean, first)
	points := make([]Point, len(vectors))
	for i, v := range vectors {
		points[i] = Point{projection(v, mean, first), projection(v, mean, second)}
	}
	return points
}

func projection(v []float32, mean, axis []float64) (sum float64) {
	for c, value := range v {
		sum += (float64(value) - mean[c]) * axis[c]
	}
	return sum
}

// powerSteps is enough for a picture: where two components are nearly as large, either will do.
const powerSteps = 60

// component returns the largest principal component that is orthogonal to another, by iterating the
// covariance. It is zero where the vectors do not differ.
func component(vectors [][]float32, mean, other []float64) []float64 {
	axis := make([]float64, len(mean))
	for c := range axis {
		axis[c] = math.Sin(float64(3*c + 1)) // no direction of its own
	}
	for range powerSteps {
		orthogonalize(axis, other)
		if !normalize(axis) {
			return axis
		}
		next := make([]float64, len(axis))
		for _, v := range vectors {
			weight := projection(v, mean, axis)
			for c, value := range v {
				next[c] += weight * (float64(value) - mean[c])
			}
		}
		axis = next
	}
	orthogonalize(axis, other)
	normalize(axis)
	return axis
}

func orthogonalize(axis, other []float64) {
	along := 0.0
	for c := range other {
		along += axis[c] * other[c]
	}
	for c := range other {
		axis[c] -= along * other[c]
	}
}

// normalize makes a vector one of unit length; it reports whether it had one.
func normalize(v []float64) bool {
	squares := 0.0
	for _, value := range v {
		squares += value * value
	}
	length := math.Sqrt(squares)
	if length < 1e-12 {
		clear(v)
		return false
	}
	for c := range v {
		v[c] /= length
	}
	return true
}
