//go:build !uform_portable && !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package loader

import "unsafe"

// cgocall is how the runtime itself calls C with one pointer; it answers the low 32 bits of what C does. Reached directly
// it costs a sixth of a registered function and allocates nothing. purego, which register_generated.go imports, installs
// what it needs where cgo is off; the empty call.s beside this file lets a function have no body.
//
// The argument escapes to the heap, as it must: C may call back into Go, which may move this goroutine's stack.
//
//go:linkname cgocall runtime.cgocall
func cgocall(function uintptr, argument unsafe.Pointer) int32
