package main

// The constants of activations are those of activation.go of internal/kernel.

const (
	floorOfInputs  = -1e4
	quickGELUSlope = 1.702
	geluTanhLinear = 2 * 0.797884560802865356
	geluTanhCubic  = geluTanhLinear * 0.044715
)

// geluTerms are the coefficients that gelu.py prints.
var geluTerms = []float32{
	1.18920708, -0.237217039, 0.118232585, -0.0315688364, 0.00558497291, -0.00309028174,
	-0.00113690295, -0.00102452445, -0.000409000262, -0.000115509065, -1.76057947e-5, -1.32136586e-6,
}
