package mpi

import (
	"encoding/binary"
	"math/bits"
)

// handle is room for a handle that MPI writes: an int or a pointer, in the byte order of the
// processor.
type handle [8]byte

// value is what to pass where MPI wants the handle itself.
func (d *dialect) value(h *handle) uintptr {
	if d.narrow || bits.UintSize == 32 {
		return uintptr(binary.NativeEndian.Uint32(h[:]))
	}
	return uintptr(binary.NativeEndian.Uint64(h[:]))
}
