//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package contract_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/loader/loadertest"
	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
)

// openLibuform opens the C library of testdata/libuform, with its test control.
func openLibuform(t *testing.T) (*implementation, string) {
	path, err := loadertest.Library()
	if errors.Is(err, loadertest.ErrNoCompiler) {
		return nil, err.Error()
	}
	require.NoError(t, err)
	opened, err := loader.Open(&loader.Options{Path: path})
	require.NoError(t, err)
	handle, err := platform.OpenLibrary(path)
	require.NoError(t, err)
	address, err := platform.Symbol(handle, "uform_test_control")
	require.NoError(t, err)
	control := control(address)
	control.ask("reset", nil)
	return &implementation{
		table: opened.Table, library: uform.OpenTable(opened.Table),
		growth: func(arena abi.Arena) (int, int) {
			pointer := abi.Pointer(uintptr(arena))
			return int(control.ask("arena_allocations", pointer)), int(control.ask("arena_bytes", pointer))
		},
		copyOut: func(to []byte, from uintptr) bool {
			// The fields of uform_test_copy_t.
			copying := &struct {
				device, host unsafe.Pointer
				bytes        uintptr
			}{abi.Pointer(from), unsafe.Pointer(unsafe.SliceData(to)), uintptr(len(to))}
			return control.ask("device_copy", unsafe.Pointer(copying)) == 0
		},
		live: func() int { return int(control.ask("live_allocations", nil)) },
	}, ""
}

// control is the address of uform_test_control, as testdata/libuform/control.h declares it.
type control uintptr

// ask calls a control with a value of zero. The value has 64 bits, which take two words where words are shorter, and
// begin at an even one on arm.
func (c control) ask(name string, pointer unsafe.Pointer) int64 {
	text := abi.CText(name)
	var answer, upper uintptr
	switch {
	case unsafe.Sizeof(answer) == 8:
		answer, _ = call(uintptr(c), uintptr(unsafe.Pointer(text)), 0, uintptr(pointer))
		return int64(answer)
	case runtime.GOARCH == "arm":
		answer, upper = call(uintptr(c), uintptr(unsafe.Pointer(text)), 0, 0, 0, uintptr(pointer))
	default:
		answer, upper = call(uintptr(c), uintptr(unsafe.Pointer(text)), 0, 0, uintptr(pointer))
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

// letGo ends an export as a consumer in C does, from a thread of its own.
func letGo(u *user, export *arena.DLPack) {
	u.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		purego.SyscallN(consume(export).deleter, export.Managed())
	}()
	<-done
}
