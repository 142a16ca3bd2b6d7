package kernel

import "math"

// The functions here replace each scalar z of x. A NaN stays one, and an infinity becomes the limit
// of the function.

// SiLU replaces each z of x by z / (1 + exp(−z)).
func SiLU(x []float32) { current().activate(x, silu) }

// GELU replaces each z of x by z·Φ(z), where Φ is the normal distribution, to 1.5e-7·max(1, |z|).
func GELU(x []float32) { current().activate(x, gelu) }

// GELUTanh replaces each z of x by z·(1 + tanh(√(2/π)·(z + 0.044715·z³))) / 2, an approximation of
// [GELU] with which some models were trained.
func GELUTanh(x []float32) { current().activate(x, geluTanh) }

// QuickGELU replaces each z of x by z / (1 + exp(−1.702·z)), another approximation of [GELU].
func QuickGELU(x []float32) { current().activate(x, quickGELU) }

// ReLU replaces each z of x by max(z, 0).
func ReLU(x []float32) { current().activate(x, relu) }

// Tanh replaces each z of x by its hyperbolic tangent.
func Tanh(x []float32) {
	for i, z := range x {
		x[i] = float32(math.Tanh(float64(z)))
	}
}

// activation is a function of one scalar, of which the paths have loops.
type activation int

const (
	silu activation = iota
	gelu
	geluTanh
	quickGELU
	relu
)

const (
	// lowest bounds inputs from below, where all functions are zero, so that an infinity is neither
	// multiplied by zero nor divided by another one.
	lowest = -1e4

	quickGELUSlope = 1.702
	// (1 + tanh(s/2)) / 2 is 1 / (1 + exp(−s)), with s = z·(geluTanhLinear + geluTanhCubic·z²).
	geluTanhLinear = 2 * 0.797884560802865356 // √(2/π)
	geluTanhCubic  = geluTanhLinear * 0.044715
)

func activatePortable(x []float32, function activation) {
	switch function {
	case silu:
		for i, z := range x {
			z = bounded(z)
			x[i] = z / (1 + exponential(-z))
		}
	case gelu:
		// z·Φ(z) is max(z, 0) + b·Φ(b) with b = −|z|, and Φ(b) is close to the −4th power of a
		// polynomial, of which ci/kernelgen/gelu.py finds the coefficients.
		for i, z := range x {
			b := bounded(math.Float32frombits(math.Float32bits(z) | 1<<31))
			p := float32(-1.32136586e-6)
			p = p*b - 1.76057947e-5
			p = p*b - 0.000115509065
			p = p*b - 0.000409000262
			p = p*b - 0.00102452445
			p = p*b - 0.00113690295
			p = p*b - 0.00309028174
			p = p*b + 0.00558497291
			p = p*b - 0.0315688364
			p = p*b + 0.118232585
			p = p*b - 0.237217039
			p = p*b + 1.18920708
			p *= p
			p *= p
			x[i] = max(z, 0) + b/p
		}
	case geluTanh:
		for i, z := range x {
			z = bounded(z)
			x[i] = z / (1 + exponential(-z*(geluTanhLinear+geluTanhCubic*(z*z))))
		}
	case quickGELU:
		for i, z := range x {
			z = bounded(z)
			x[i] = z / (1 + exponential(-quickGELUSlope*z))
		}
	case relu:
		for i, z := range x {
			x[i] = max(z, 0)
		}
	}
}

// bounded returns z, or lowest if z is below. A branch that is predicted is faster than a maximum.
func bounded(z float32) float32 {
	if z < lowest {
		return lowest
	}
	return z
}
