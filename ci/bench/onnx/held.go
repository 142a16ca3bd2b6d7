package onnx

import (
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// HoldToAVX2 makes software that asks the processor what it has see AVX2 alone, for the rest of the
// process: on this goroutine, which stays on its thread, and on threads that are started by it.
// shim is the library of testdata/avx2.c. It must come before [Open].
func HoldToAVX2(shim string) error {
	handle, err := purego.Dlopen(shim, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return err
	}
	var hold func() int32
	purego.RegisterLibFunc(&hold, handle, "hold")
	runtime.LockOSThread()
	if hold() != 0 {
		return fmt.Errorf("%s: this processor or system cannot hide what it has", shim)
	}
	return nil
}
