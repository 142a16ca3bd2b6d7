//go:build uform_portable

package native

import "unsafe"

// Direct is false: registered functions stay in the loader's table.
const Direct = false

// Call calls the C function at an address with one pointer, and returns the low 32 bits of its
// result. It is the form for a release of Go that closes the way which call.go takes.
func Call(function uintptr, argument unsafe.Pointer) int32 {
	result, _ := SyscallN(function, uintptr(argument))
	return int32(result)
}
