package loadertest

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/native"
)

// Control is the address of uform_test_control, with which the C library plants faults and tells
// its counters. The table of its names is in testdata/libuform/control.h.
type Control uintptr

// NeedControl is the control of the library that [Need] built, with no fault planted now and none
// when the test ends.
func NeedControl(t testing.TB) Control {
	t.Helper()
	control, err := openControl(Need(t))
	if err != nil {
		t.Fatal(err)
	}
	control.Ask("reset", 0, nil)
	t.Cleanup(func() { control.Ask("reset", 0, nil) })
	return control
}

func openControl(path string) (Control, error) {
	handle, err := native.Open(path)
	if err != nil {
		return 0, err
	}
	address, err := native.Symbol(handle, "uform_test_control")
	return Control(address), err
}

// Ask calls a control. The value has 64 bits, which take two words where words are shorter, and
// begin at an even one on arm.
func (c Control) Ask(name string, value int64, pointer unsafe.Pointer) int64 {
	text := abi.CText(name)
	var answer, upper uintptr
	low, high := uintptr(value), uintptr(value>>32)
	switch {
	case unsafe.Sizeof(answer) == 8:
		answer, _ = native.SyscallN(uintptr(c), uintptr(unsafe.Pointer(text)), low, uintptr(pointer))
		return int64(answer)
	case runtime.GOARCH == "arm":
		answer, upper = native.SyscallN(uintptr(c), uintptr(unsafe.Pointer(text)), 0, low, high, uintptr(pointer))
	default:
		answer, upper = native.SyscallN(uintptr(c), uintptr(unsafe.Pointer(text)), low, high, uintptr(pointer))
	}
	return int64(uint64(upper)<<32 | uint64(answer))
}
