package kernel

import "math"

// tileRows is how many rows one call of assembly takes with a panel.
const tileRows = 4

// mostScalars is how many scalars one call of assembly takes: some microseconds, in which the
// goroutine cannot be preempted, and few enough for four sums of 24 bits.
const mostScalars = 1 << 10

func exponentialsNEON(x []float32, scale float32) float64 {
	if len(x) == 0 {
		return 0
	}
	largest := x[0]
	for _, v := range x[1:] {
		largest = max(largest, v)
	}
	var sum float64
	for len(x) >= 4 {
		n := min(len(x), mostScalars) &^ 3
		sum += float64(exponentialsx4(&x[0], n, largest, scale))
		x = x[n:]
	}
	if len(x) > 0 {
		// Padding has weight zero.
		var last [4]float32
		for i := copy(last[:], x); i < len(last); i++ {
			last[i] = float32(math.Inf(-1))
		}
		sum += float64(exponentialsx4(&last[0], len(last), largest, scale))
		copy(x, last[:])
	}
	return sum
}

func activateNEON(x []float32, function activation) {
	for len(x) >= 4 {
		n := min(len(x), mostScalars) &^ 3
		activatex4(&x[0], n, function)
		x = x[n:]
	}
	if len(x) > 0 {
		var last [4]float32
		copy(last[:], x)
		activatex4(&last[0], len(last), function)
		copy(x, last[:])
	}
}

func floatsFromF16NEON(dst []float32, src []uint16) {
	dst = dst[:len(src)]
	for len(src) >= 8 {
		n := min(len(src), mostScalars) &^ 7
		floatsFromF16x8(&dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	floatsFromF16Portable(dst, src)
}

func activatex4(x *float32, n int, function activation) {
	switch function {
	case silu:
		silux4(x, n)
	case gelu:
		gelux4(x, n)
	case geluTanh:
		geluTanhx4(x, n)
	case quickGELU:
		quickGELUx4(x, n)
	case relu:
		relux4(x, n)
	}
}
