//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package mpi

import (
	"encoding/binary"
	"math/bits"
)

// handle is room for a handle that MPI writes: an int or a pointer, in the byte order of the processor.
type handle [8]byte

// value is what to pass where MPI wants the handle itself.
func (d *dialect) value(h *handle) uintptr {
	if d.narrow || bits.UintSize == 32 {
		return uintptr(binary.NativeEndian.Uint32(h[:]))
	}
	return uintptr(binary.NativeEndian.Uint64(h[:]))
}
