//go:build uform_portable && !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package loader

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// This is the form of the calls that leans on nothing inside of Go's runtime, for a release of Go that closes the way
// that call.go takes. It allocates once a call.

// call calls a C function that takes one pointer and answers nothing.
func call(function uintptr, argument unsafe.Pointer) { purego.SyscallN(function, uintptr(argument)) }

// callStatus calls a C function that takes one pointer and answers 32 bits.
func callStatus(function uintptr, argument unsafe.Pointer) int32 {
	answer, _, _ := purego.SyscallN(function, uintptr(argument))
	return int32(answer)
}
