package kernel

import "math"

// tileRows is how many rows one call of assembly takes with a panel: with Depth inputs that takes a
// microsecond, in which the goroutine cannot be preempted.
const tileRows = 6

// mostScalars is how many scalars one call of assembly takes: some microseconds, in which the
// goroutine cannot be preempted.
const mostScalars = 1 << 13

// span returns how many of n scalars the next call of assembly takes: a multiple of lanes, which is
// a power of two.
func span(n, lanes int) int { return min(n, mostScalars) &^ (lanes - 1) }

// The rest that does not fill a vector is done by the portable loop if that gives the same bits,
// and otherwise by assembly, on a copy that fills a vector.

// eightsAVX2 returns a routine from its assembly, which takes a multiple of eight scalars, and the
// portable loop, which gives the same bits.
func eightsAVX2[T float32 | uint16](assembly func(dst *float32, x *T, n int), portable func(dst []float32, x []T)) func(dst []float32, x []T) {
	return func(dst []float32, x []T) {
		dst = dst[:len(x)]
		for len(x) >= 8 {
			n := span(len(x), 8)
			assembly(&dst[0], &x[0], n)
			dst, x = dst[n:], x[n:]
		}
		portable(dst, x)
	}
}

func addInt8AVX2(dst []float32, x []byte, scale float32) {
	dst = dst[:len(x)]
	for len(x) >= 8 {
		n := span(len(x), 8)
		addInt8x8(&dst[0], &x[0], n, scale)
		dst, x = dst[n:], x[n:]
	}
	if len(x) > 0 {
		var sums [8]float32
		var bytes [8]byte
		copy(sums[:], dst)
		copy(bytes[:], x)
		addInt8x8(&sums[0], &bytes[0], len(sums), scale)
		copy(dst, sums[:])
	}
}

func addInt4AVX2(dst []float32, x []byte, scale float32) {
	x = x[:(len(dst)+1)/2]
	for len(dst) >= 16 {
		n := span(len(dst), 16)
		addInt4x16(&dst[0], &x[0], n, scale)
		dst, x = dst[n:], x[n/2:]
	}
	if len(dst) > 0 {
		var sums [16]float32
		var bytes [8]byte
		copy(sums[:], dst)
		copy(bytes[:], x)
		addInt4x16(&sums[0], &bytes[0], len(sums), scale)
		copy(dst, sums[:])
	}
}

func rotateAVX2(x, cos, sin []float32) {
	n := len(cos)
	low, high, sin := x[:n], x[n:][:n], sin[:n]
	for len(cos) >= 8 {
		n := span(len(cos), 8)
		rotatex8(&low[0], &high[0], &cos[0], &sin[0], n)
		low, high, cos, sin = low[n:], high[n:], cos[n:], sin[n:]
	}
	for t, c := range cos {
		a, b, s := low[t], high[t], sin[t]
		low[t], high[t] = a*c-b*s, a*s+b*c
	}
}

func dotAVX2(x, y []float32) float32 {
	y = y[:len(x)]
	var sum float32
	for len(x) >= 16 {
		n := span(len(x), 16)
		sum += dotx16(&x[0], &y[0], n)
		x, y = x[n:], y[n:]
	}
	return sum + dotPortable(x, y)
}

func normalizeAVX2(dst, x, gain []float32, epsilon float64) {
	dst, gain = dst[:len(x)], gain[:len(x)]
	var sum float64
	rest := x
	for len(rest) >= 8 {
		n := span(len(rest), 8)
		sum += squaresx8(&rest[0], n)
		rest = rest[n:]
	}
	for _, v := range rest {
		sum += float64(v) * float64(v)
	}
	inverse := 1 / math.Sqrt(sum/float64(len(x))+epsilon)
	for len(x) >= 8 {
		n := span(len(x), 8)
		normalizex8(&dst[0], &x[0], &gain[0], n, inverse)
		dst, x, gain = dst[n:], x[n:], gain[n:]
	}
	for i, v := range x {
		dst[i] = float32(float64(v)*inverse) * gain[i]
	}
}

// layerNormOf returns a layer norm from the assembly of a path. sum and deviations take a multiple
// of sixteen scalars, standardize one of eight.
func layerNormOf(
	sum func(x *float32, n int) float64,
	deviations func(x *float32, n int, mean float64) float64,
	standardize func(dst, x, gain, bias *float32, n int, mean, inverse float64),
) func(dst, x, gain, bias []float32, epsilon float64) {
	return func(dst, x, gain, bias []float32, epsilon float64) {
		var total, squares float64
		rest := x
		for len(rest) >= 16 {
			n := span(len(rest), 16)
			total += sum(&rest[0], n)
			rest = rest[n:]
		}
		mean := (total + sumPortable(rest)) / float64(len(x))
		rest = x
		for len(rest) >= 16 {
			n := span(len(rest), 16)
			squares += deviations(&rest[0], n, mean)
			rest = rest[n:]
		}
		squares += deviationsPortable(rest, mean)
		inverse := 1 / math.Sqrt(squares/float64(len(x))+epsilon)
		for len(x) >= 8 {
			n := span(len(x), 8)
			standardize(&dst[0], &x[0], first(gain), first(bias), n, mean, inverse)
			dst, x, gain, bias = dst[n:], x[n:], after(gain, n), after(bias, n)
		}
		standardizePortable(dst, x, gain, bias, mean, inverse)
	}
}

// first returns a pointer to x, or nil if x is nil.
func first(x []float32) *float32 {
	if x == nil {
		return nil
	}
	return &x[0]
}

// after returns x without its first n scalars, or nil if x is nil.
func after(x []float32, n int) []float32 {
	if x == nil {
		return nil
	}
	return x[n:]
}

func exponentialsAVX2(x []float32, scale float32) float64 {
	if len(x) == 0 {
		return 0
	}
	largest := x[0]
	rest := x
	for len(rest) >= 8 {
		n := span(len(rest), 8)
		largest = max(largest, largestx8(&rest[0], n))
		rest = rest[n:]
	}
	for _, v := range rest {
		largest = max(largest, v)
	}
	// A sum of many weights needs more than 24 bits; the weights of one call are spread over eight
	// sums.
	var sum float64
	for len(x) >= 8 {
		n := span(min(len(x), mostScalars/2), 8)
		sum += float64(exponentialsx8(&x[0], n, largest, scale))
		x = x[n:]
	}
	if len(x) > 0 {
		// Padding has weight zero.
		var last [8]float32
		for i := copy(last[:], x); i < len(last); i++ {
			last[i] = float32(math.Inf(-1))
		}
		sum += float64(exponentialsx8(&last[0], len(last), largest, scale))
		copy(x, last[:])
	}
	return sum
}

func scaleAVX2(x []float32, factor float32) {
	for len(x) >= 8 {
		n := span(len(x), 8)
		scalex8(&x[0], n, factor)
		x = x[n:]
	}
	scalePortable(x, factor)
}

func activateAVX2(x []float32, function activation) {
	for len(x) >= 8 {
		n := span(len(x), 8)
		activatex8(&x[0], n, function)
		x = x[n:]
	}
	if len(x) > 0 {
		var last [8]float32
		copy(last[:], x)
		activatex8(&last[0], len(last), function)
		copy(x, last[:])
	}
}

func activatex8(x *float32, n int, function activation) {
	switch function {
	case silu:
		silux8(x, n)
	case gelu:
		gelux8(x, n)
	case geluTanh:
		geluTanhx8(x, n)
	case quickGELU:
		quickGELUx8(x, n)
	case relu:
		relux8(x, n)
	}
}
