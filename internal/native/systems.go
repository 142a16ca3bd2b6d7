//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package native

import "github.com/ebitengine/purego"

// Supported is whether this build can load shared libraries. [Unsupported] has the reason where it
// cannot.
const Supported = true

// CDecl is the first parameter of a function that [Callback] takes: it has C's calling convention,
// which callbacks of windows/386 do not have by default.
type CDecl = purego.CDecl

func registerFunc(function any, address uintptr) { purego.RegisterFunc(function, address) }

func registerLibFunc(function any, handle uintptr, name string) {
	purego.RegisterLibFunc(function, handle, name)
}

//go:uintptrescapes
func syscallN(function uintptr, words ...uintptr) (lower, upper uintptr) {
	lower, upper, _ = purego.SyscallN(function, words...)
	return lower, upper
}

func newCallback(function any) uintptr { return purego.NewCallback(function) }
