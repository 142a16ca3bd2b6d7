//go:build !uform_portable

package native

import "unsafe"

// Direct reports whether [Call] is the fast form. The build tag uform_portable takes the portable
// one, and then the loader leaves registered functions where it would put calls.
const Direct = true

// Call calls the C function at an address with one pointer, and returns the low 32 bits of its
// result. This is how the runtime itself calls C, reached by linkname: it costs a sixth of a
// registered function and allocates nothing. purego, which systems.go imports, installs what it
// needs where cgo is off; the empty call.s beside this file lets a function have no body.
//
// The argument escapes to the heap, as it must: C may call back into Go, which may move this
// goroutine's stack.
//
//go:linkname Call runtime.cgocall
func Call(function uintptr, argument unsafe.Pointer) int32
