package kernel

import "math"

// F16 rounds v to the nearest IEEE half, ties to even. Too large values become an infinity, too
// small ones a subnormal or a zero of the same sign; a NaN stays one, with the upper bits of its
// payload.
func F16(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	magnitude := bits & 0x7FFFFFFF
	switch {
	case magnitude > 0x7F800000:
		// NaN; the quiet bit keeps a payload that does not fit from turning into infinity
		return sign | 0x7E00 | uint16(magnitude>>13&0x3FF)
	case magnitude >= 0x477FF000:
		// half a step above 65504, the largest half, and everything larger
		return sign | 0x7C00
	case magnitude >= 0x38800000: // 2⁻¹⁴, the smallest normal half: exponents differ by 112
		magnitude -= 112 << 23
		return sign | uint16((magnitude+0xFFF+magnitude>>13&1)>>13)
	default:
		// Adding 0.5 moves the unit of a subnormal half, 2⁻²⁴, to the last bit of the sum, which
		// rounds to even.
		sum := math.Float32frombits(magnitude) + 0.5
		return sign | uint16(math.Float32bits(sum)-math.Float32bits(0.5))
	}
}

// BF16 rounds v to the nearest bfloat16, ties to even. Too large values become an infinity; a NaN
// stays one, with the upper bits of its payload.
func BF16(v float32) uint16 {
	bits := math.Float32bits(v)
	if bits&0x7FFFFFFF > 0x7F800000 {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7FFF + bits>>16&1) >> 16)
}

// Int8 returns 127·v, rounded to the nearest integer, ties to even, and clamped to −127 … 127. A
// NaN is 0.
func Int8(v float32) int8 {
	if v != v {
		return 0
	}
	// The product is exact in 64 bits, so that it is rounded once.
	return int8(max(-127, min(127, math.RoundToEven(127*float64(v)))))
}

// WidenF16 widens an IEEE half, exactly. A NaN becomes a quiet one, as processors widen it.
func WidenF16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10&0x1F), uint32(h&0x3FF)
	switch exponent {
	case 0: // zeroes and subnormals: a whole number of 2⁻²⁴
		return math.Float32frombits(math.Float32bits(float32(fraction)*0x1p-24) | sign)
	case 31:
		bits := sign | 0x7F800000 | fraction<<13
		if fraction != 0 {
			bits |= 1 << 22
		}
		return math.Float32frombits(bits)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// WidenBF16 widens a bfloat16, exactly.
func WidenBF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// ToF16 applies [F16] to every scalar of src. dst must be as long.
func ToF16(dst []uint16, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = F16(v)
	}
}

// ToBF16 applies [BF16] to every scalar of src. dst must be as long.
func ToBF16(dst []uint16, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = BF16(v)
	}
}

// ToInt8 applies [Int8] to every scalar of src. dst must be as long.
func ToInt8(dst []int8, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = Int8(v)
	}
}

// FromF16 applies [WidenF16] to every scalar of src. dst must be as long.
func FromF16(dst []float32, src []uint16) { current().floatsFromF16(dst, src) }

// FromBF16 applies [WidenBF16] to every scalar of src. dst must be as long.
func FromBF16(dst []float32, src []uint16) { current().floatsFromBF16(dst, src) }

func floatsFromF16Portable(dst []float32, src []uint16) {
	dst = dst[:len(src)]
	for i, h := range src {
		dst[i] = WidenF16(h)
	}
}

func floatsFromBF16Portable(dst []float32, src []uint16) {
	dst = dst[:len(src)]
	for i, h := range src {
		dst[i] = WidenBF16(h)
	}
}
