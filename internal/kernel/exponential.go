package kernel

import "math"

// Softmax replaces x by the softmax of scale·x: weights that are at least 0 and sum to 1. scale
// must be positive. An empty x stays empty.
func Softmax(x []float32, scale float32) { Scale(x, 1/Exponentials(x, scale)) }

// Exponentials is a softmax without its last step: it replaces x by exp(scale·(x − its largest)),
// of which the largest is 1, and returns their sum. The sum of an empty x is 0.
func Exponentials(x []float32, scale float32) float32 {
	return float32(current().exponentials(x, scale))
}

// Scale multiplies x by a factor.
func Scale(x []float32, factor float32) { current().scale(x, factor) }

func exponentialsPortable(x []float32, scale float32) float64 {
	if len(x) == 0 {
		return 0
	}
	largest := x[0]
	for _, v := range x[1:] {
		largest = max(largest, v)
	}
	// A long row has more weights than a sum of 24 bits can resolve.
	var sum float64
	for i, v := range x {
		e := exponential((v - largest) * scale)
		x[i] = e
		sum += float64(e)
	}
	return sum
}

func scalePortable(x []float32, factor float32) {
	for i := range x {
		x[i] *= factor
	}
}

// exponential returns eˣ to a relative 2e-7. Below −87.3, where results would be subnormal, it is
// 0; above 88.3 it is +Inf.
//
// x is split into n·ln 2 + r with |r| ≤ ln 2 / 2, and eʳ is a polynomial. ln 2 is split into two
// parts, of which n times the first is exact.
func exponential(x float32) float32 {
	const (
		lowest  = -87.3
		highest = 88.3
		// Adding 1.5·2²³ to a float below 2²² rounds it to an integer, in the lowest bits of the
		// sum.
		rounder = 12582912
		log2e   = 1.44269504
		ln2High = 0.693359375
		ln2Low  = -2.12194440e-4
	)
	if x < lowest {
		return 0
	}
	if x > highest {
		return float32(math.Inf(1))
	}
	shifted := x*log2e + rounder
	n := shifted - rounder
	r := x - n*ln2High - n*ln2Low
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	power := (math.Float32bits(shifted) - math.Float32bits(rounder) + 127) << 23
	return p * math.Float32frombits(power)
}
