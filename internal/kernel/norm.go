package kernel

import "math"

// RMSNorm writes x / sqrt(mean of x² + epsilon) ⊙ gain. dst and gain are as long as x; dst may be
// x.
func RMSNorm(dst, x, gain []float32, epsilon float64) { current().normalize(dst, x, gain, epsilon) }

// LayerNorm writes (x − mean of x) / sqrt(variance of x + epsilon) ⊙ gain + bias, where the
// variance is the mean of (x − mean of x)². dst, gain and bias are as long as x; dst may be x, a
// nil gain is ones, and a nil bias is zeroes.
func LayerNorm(dst, x, gain, bias []float32, epsilon float64) {
	dst = dst[:len(x)]
	if gain != nil {
		gain = gain[:len(x)]
	}
	if bias != nil {
		bias = bias[:len(x)]
	}
	current().layerNorm(dst, x, gain, bias, epsilon)
}

func normalizePortable(dst, x, gain []float32, epsilon float64) {
	if len(x) == 0 {
		return
	}
	dst, gain = dst[:len(x)], gain[:len(x)]
	// Squares of large floats overflow 32 bits.
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	inverse := 1 / math.Sqrt(sum/float64(len(x))+epsilon)
	for i, v := range x {
		dst[i] = float32(float64(v)*inverse) * gain[i]
	}
}

// layerNormPortable sums in 64 bits. The squares are of deviations from the mean: the mean of
// squares less the square of the mean would lose the variance of a row far from zero.
func layerNormPortable(dst, x, gain, bias []float32, epsilon float64) {
	mean := sumPortable(x) / float64(len(x))
	inverse := 1 / math.Sqrt(deviationsPortable(x, mean)/float64(len(x))+epsilon)
	standardizePortable(dst, x, gain, bias, mean, inverse)
}

// sumPortable returns the sum of x.
func sumPortable(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

// deviationsPortable returns the sum of (x − mean)².
func deviationsPortable(x []float32, mean float64) (sum float64) {
	for _, v := range x {
		d := float64(v) - mean
		sum += d * d
	}
	return sum
}

// standardizePortable writes (x − mean)·inverse, rounded, times gain, plus bias.
func standardizePortable(dst, x, gain, bias []float32, mean, inverse float64) {
	for i, v := range x {
		z := float32((float64(v) - mean) * inverse)
		if gain != nil {
			z *= gain[i]
		}
		if bias != nil {
			z += bias[i]
		}
		dst[i] = z
	}
}
