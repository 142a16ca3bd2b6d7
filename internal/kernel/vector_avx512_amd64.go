package kernel

import "math"

// These take the rest that does not fill a vector under a mask, in the same call.

func exponentialsAVX512(x []float32, scale float32) float64 {
	if len(x) == 0 {
		return 0
	}
	largest := float32(math.Inf(-1))
	for rest := x; len(rest) > 0; {
		n := min(len(rest), mostScalars)
		largest = max(largest, largest512(&rest[0], n))
		rest = rest[n:]
	}
	// A sum of many weights needs more than 24 bits; the weights of one call are spread over
	// sixteen sums.
	var sum float64
	for len(x) > 0 {
		n := min(len(x), mostScalars)
		sum += float64(exponentials512(&x[0], n, largest, scale))
		x = x[n:]
	}
	return sum
}

func activateAVX512(x []float32, function activation) {
	for len(x) > 0 {
		n := min(len(x), mostScalars)
		activate512(&x[0], n, function)
		x = x[n:]
	}
}

func activate512(x *float32, n int, function activation) {
	switch function {
	case silu:
		silu512(x, n)
	case gelu:
		gelu512(x, n)
	case geluTanh:
		geluTanh512(x, n)
	case quickGELU:
		quickGELU512(x, n)
	case relu:
		relu512(x, n)
	}
}

func normalizeAVX512(dst, x, gain []float32, epsilon float64) {
	dst, gain = dst[:len(x)], gain[:len(x)]
	var sum float64
	rest := x
	for len(rest) >= 16 {
		n := span(len(rest), 16)
		sum += squares512(&rest[0], n)
		rest = rest[n:]
	}
	for _, v := range rest {
		sum += float64(v) * float64(v)
	}
	inverse := 1 / math.Sqrt(sum/float64(len(x))+epsilon)
	for len(x) >= 8 {
		n := span(len(x), 8)
		normalize512(&dst[0], &x[0], &gain[0], n, inverse)
		dst, x, gain = dst[n:], x[n:], gain[n:]
	}
	for i, v := range x {
		dst[i] = float32(float64(v)*inverse) * gain[i]
	}
}
