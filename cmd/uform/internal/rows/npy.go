package rows

import (
	"encoding/binary"
	"fmt"
	"math"
)

// arrayHeader is the length of every header of an array: NumPy requires a multiple of 64, and this
// fits any two numbers.
const arrayHeader = 128

// headerOfArray returns the head of a NumPy version 1 file of little-endian float32: the magic, the
// version, the length of the rest, and a Python literal padded with spaces.
func headerOfArray(rows int64, columns int) []byte {
	const preamble = 10
	head := []byte("\x93NUMPY\x01\x00")
	head = binary.LittleEndian.AppendUint16(head, arrayHeader-preamble)
	literal := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	return fmt.Appendf(head, "%-*s\n", arrayHeader-preamble-1, literal)
}

func appendFloats(to []byte, vector []float32) []byte {
	for _, value := range vector {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(value))
	}
	return to
}
