package arena

import (
	"encoding/binary"
	"math"

	"github.com/unum-cloud/uform-go/abi"
)

// width is the size of a scalar in bytes, 0 for kinds that no output has.
func width(scalar abi.Scalar) uintptr {
	switch scalar {
	case abi.ScalarF32:
		return 4
	case abi.ScalarF16, abi.ScalarBF16:
		return 2
	case abi.ScalarI8:
		return 1
	}
	return 0
}

// appendFloats appends a row of scalars as 32-bit floats. An i8 scalar is the nearest multiple of
// 1/127.
func appendFloats(floats []float32, row []byte, scalar abi.Scalar) []float32 {
	switch scalar {
	case abi.ScalarF32:
		for ; len(row) >= 4; row = row[4:] {
			floats = append(floats, math.Float32frombits(binary.NativeEndian.Uint32(row)))
		}
	case abi.ScalarBF16:
		for ; len(row) >= 2; row = row[2:] {
			floats = append(floats, math.Float32frombits(uint32(binary.NativeEndian.Uint16(row))<<16))
		}
	case abi.ScalarF16:
		for ; len(row) >= 2; row = row[2:] {
			floats = append(floats, halfFloat(binary.NativeEndian.Uint16(row)))
		}
	case abi.ScalarI8:
		for _, b := range row {
			floats = append(floats, float32(int8(b))/127)
		}
	}
	return floats
}

// halfFloat widens an IEEE 754 half-precision float, exactly.
func halfFloat(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exponent := uint32(bits >> 10 & 31)
	fraction := uint32(bits & 0x3ff)
	switch exponent {
	case 0:
		// A subnormal counts in units of 2⁻²⁴.
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
