package kernel

// Dot returns Σ x[i]·y[i]. y must be as long as x.
func Dot(x, y []float32) float32 { return current().dot(x, y) }

// Add adds x to dst, which is as long.
func Add(dst, x []float32) { current().add(dst, x) }

// Multiply multiplies dst by x, which is as long, element by element.
func Multiply(dst, x []float32) { current().multiply(dst, x) }

// Broadcast copies row to each of rows rows of dst, of which one begins stride scalars after the
// other.
func Broadcast(dst []float32, stride, rows int, row []float32) {
	for r := range rows {
		copy(dst[r*stride:][:len(row)], row)
	}
}

// AddF16 adds a row of f16 to dst, which is as long.
func AddF16(dst []float32, x []uint16) { current().addF16(dst, x) }

// AddBF16 adds a row of bf16 to dst, which is as long.
func AddBF16(dst []float32, x []uint16) { current().addBF16(dst, x) }

// AddInt8 adds scale times the signed bytes of x to dst, which is as long.
func AddInt8(dst []float32, x []byte, scale float32) { current().addInt8(dst, x, scale) }

// AddInt4 adds scale·(nibble−8) to dst for each nibble of x, the low one of a byte first. x has
// ⌈len(dst)/2⌉ bytes.
func AddInt4(dst []float32, x []byte, scale float32) { current().addInt4(dst, x, scale) }

// Rotate rotates each pair (x[t], x[t+n]) by the angle whose cosine and sine are cos[t] and sin[t].
// x has 2n scalars, cos and sin have n.
func Rotate(x, cos, sin []float32) { current().rotate(x, cos, sin) }

func dotPortable(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a, b := (*[4]float32)(x[i:]), (*[4]float32)(y[i:])
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func addPortable(dst, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += v
	}
}

func multiplyPortable(dst, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] *= v
	}
}

func addF16Portable(dst []float32, x []uint16) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += WidenF16(v)
	}
}

func addBF16Portable(dst []float32, x []uint16) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += WidenBF16(v)
	}
}

func addInt8Portable(dst []float32, x []byte, scale float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += float32(int8(v)) * scale
	}
}

func addInt4Portable(dst []float32, x []byte, scale float32) {
	var values [16]float32
	for nibble := range values {
		values[nibble] = float32(nibble-8) * scale
	}
	pairs := len(dst) / 2
	for i, v := range x[:pairs] {
		pair := dst[2*i : 2*i+2 : 2*i+2]
		pair[0] += values[v&15]
		pair[1] += values[v>>4]
	}
	if len(dst)%2 != 0 {
		dst[2*pairs] += values[x[pairs]&15]
	}
}

func rotatePortable(x, cos, sin []float32) {
	n := len(cos)
	low, high, sin := x[:n], x[n:][:n], sin[:n]
	for t, c := range cos {
		a, b, s := low[t], high[t], sin[t]
		low[t], high[t] = a*c-b*s, a*s+b*c
	}
}
