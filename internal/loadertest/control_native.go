//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package loadertest

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/platform"
)

func openControl(path string) (Control, error) {
	handle, err := platform.OpenLibrary(path)
	if err != nil {
		return 0, err
	}
	address, err := platform.Symbol(handle, "uform_test_control")
	return Control(address), err
}

// Ask calls a control. The value has 64 bits, which take two words where words are shorter, and begin at an even one on arm.
func (c Control) Ask(name string, value int64, pointer unsafe.Pointer) int64 {
	text := abi.CText(name)
	var answer, upper uintptr
	low, high := uintptr(value), uintptr(value>>32)
	switch {
	case unsafe.Sizeof(answer) == 8:
		answer, _ = call(uintptr(c), uintptr(unsafe.Pointer(text)), low, uintptr(pointer))
		return int64(answer)
	case runtime.GOARCH == "arm":
		answer, upper = call(uintptr(c), uintptr(unsafe.Pointer(text)), 0, low, high, uintptr(pointer))
	default:
		answer, upper = call(uintptr(c), uintptr(unsafe.Pointer(text)), low, high, uintptr(pointer))
	}
	return int64(uint64(upper)<<32 | uint64(answer))
}

// call calls a C function of words. Pointers among them are converted in the call itself, and kept by it.
//
//go:uintptrescapes
func call(function uintptr, words ...uintptr) (lower, upper uintptr) {
	lower, upper, _ = purego.SyscallN(function, words...)
	return lower, upper
}
