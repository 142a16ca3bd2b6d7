package trunk

import "math"

// The functions of this file are those of package kernel in plain Go.

// layerNorm writes (x − mean) / sqrt(variance + epsilon) ⊙ gain + bias. bias may be nil, dst may be
// x.
func layerNorm(dst, x, gain, bias []float32, epsilon float64) {
	var sum float64
	for _, v := range x {
		sum += float64(v)
	}
	mean := sum / float64(len(x))
	sum = 0
	for _, v := range x {
		sum += (float64(v) - mean) * (float64(v) - mean)
	}
	inverse := 1 / math.Sqrt(sum/float64(len(x))+epsilon)
	for i, v := range x {
		y := float32((float64(v)-mean)*inverse) * gain[i]
		if bias != nil {
			y += bias[i]
		}
		dst[i] = y
	}
}

// gelu replaces each z of x by z·Φ(z).
func gelu(x []float32) {
	for i, z := range x {
		x[i] = float32(0.5 * float64(z) * (1 + math.Erf(float64(z)/math.Sqrt2)))
	}
}

// geluTanh replaces each z of x by z/2·(1 + tanh(√(2/π)·(z + 0.044715·z³))).
func geluTanh(x []float32) {
	for i, v := range x {
		z := float64(v)
		x[i] = float32(0.5 * z * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(z+0.044715*z*z*z))))
	}
}

// quickGELU replaces each z of x by z / (1 + exp(−1.702·z)).
func quickGELU(x []float32) {
	for i, z := range x {
		x[i] = float32(float64(z) / (1 + math.Exp(-1.702*float64(z))))
	}
}

// relu replaces each z of x by max(z, 0).
func relu(x []float32) {
	for i, z := range x {
		x[i] = max(z, 0)
	}
}

// multiply multiplies dst by x, which is as long, scalar by scalar.
func multiply(dst, x []float32) {
	for i, v := range x {
		dst[i] *= v
	}
}
