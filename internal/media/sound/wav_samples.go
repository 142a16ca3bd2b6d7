package sound

import (
	"encoding/binary"
	"math"
)

// Codes of the fmt chunk.
const (
	codeIntegers   = 1
	codeFloats     = 3
	codeALaw       = 6
	codeMuLaw      = 7
	codeExtensible = 0xFFFE
)

// sampleCoding converts the samples in from, all of one width, to floats.
type sampleCoding func(to []float32, from []byte)

// codingOf returns the coding of samples of width bytes, nil if it is unknown. An integer narrower
// than its bytes is in their upper bits, so the number of bytes decides.
func codingOf(code uint16, width int) sampleCoding {
	switch {
	case code == codeIntegers && width == 1:
		return integers8
	case code == codeIntegers && width == 2:
		return integers16
	case code == codeIntegers && width == 3:
		return integers24
	case code == codeIntegers && width == 4:
		return integers32
	case code == codeIntegers && width == 8:
		return integers64
	case code == codeFloats && width == 4:
		return floats32
	case code == codeFloats && width == 8:
		return floats64
	case code == codeALaw && width == 1:
		return aLaw
	case code == codeMuLaw && width == 1:
		return muLaw
	}
	return nil
}

func integers8(to []float32, from []byte) {
	for i := range to {
		to[i] = float32(int(from[i])-128) / (1 << 7)
	}
}

func integers16(to []float32, from []byte) {
	for i := range to {
		to[i] = float32(int16(binary.LittleEndian.Uint16(from[2*i:]))) / (1 << 15)
	}
}

func integers24(to []float32, from []byte) {
	for i := range to {
		three := from[3*i : 3*i+3 : 3*i+3]
		to[i] = float32(int32(uint32(three[0])<<8|uint32(three[1])<<16|uint32(three[2])<<24)>>8) / (1 << 23)
	}
}

func integers32(to []float32, from []byte) {
	for i := range to {
		to[i] = float32(int32(binary.LittleEndian.Uint32(from[4*i:]))) / (1 << 31)
	}
}

func integers64(to []float32, from []byte) {
	for i := range to {
		to[i] = float32(int64(binary.LittleEndian.Uint64(from[8*i:]))) / (1 << 63)
	}
}

func floats32(to []float32, from []byte) {
	for i := range to {
		to[i] = math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:]))
	}
}

func floats64(to []float32, from []byte) {
	for i := range to {
		to[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:])))
	}
}

func aLaw(to []float32, from []byte) {
	for i := range to {
		to[i] = expandALaw(from[i])
	}
}

func muLaw(to []float32, from []byte) {
	for i := range to {
		to[i] = expandMuLaw(from[i])
	}
}

// expandALaw returns the 13-bit sample of G.711's A-law, as 16 bits. Every other bit is stored
// inverted.
func expandALaw(b byte) float32 {
	b ^= 0x55
	exponent, sample := b>>4&7, int(b&15)<<4+8
	if exponent > 0 {
		sample = (sample + 0x100) << (exponent - 1)
	}
	if b&0x80 == 0 {
		sample = -sample
	}
	return float32(sample) / (1 << 15)
}

// expandMuLaw returns the 14-bit sample of G.711's µ-law, as 16 bits. All bits are stored inverted.
func expandMuLaw(b byte) float32 {
	const bias = 33 << 2
	b = ^b
	sample := (int(b&15)<<3+bias)<<(b>>4&7) - bias
	if b&0x80 != 0 {
		sample = -sample
	}
	return float32(sample) / (1 << 15)
}
