package model

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// The elements of a mapped file are used in place if the machine can read them: it must be
// little-endian, like the file, and their address must be a multiple of their size. Otherwise they
// are copied. Only this file uses addresses.

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// readableAs reports whether data may be seen as elements of size bytes.
func readableAs(data []byte, size uintptr) bool {
	return littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%size == 0
}

// floatsOf returns the little-endian f32 of data, in place where possible.
func floatsOf(data []byte) []float32 {
	if len(data) > 0 && readableAs(data, 4) {
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
	}
	floats := make([]float32, len(data)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return floats
}

// halvesOf returns the little-endian 16-bit words of data, in place where possible.
func halvesOf(data []byte) []uint16 {
	if len(data) > 0 && readableAs(data, 2) {
		return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/2)
	}
	halves := make([]uint16, len(data)/2)
	for i := range halves {
		halves[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return halves
}

// Float32s returns the elements of an F32 tensor, in place where possible, else as a copy.
func (t *Tensor) Float32s() []float32 { return floatsOf(t.Data) }

// Halves returns the elements of a BF16 or F16 tensor, in place where possible, else as a copy.
func (t *Tensor) Halves() []uint16 { return halvesOf(t.Data) }
