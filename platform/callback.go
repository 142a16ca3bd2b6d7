//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package platform

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Callback is the address of a C function of one word and no result that runs run, on whichever thread calls it. The
// system's table of callbacks is small and never shrinks: make one for each run, once. run must not panic.
func Callback(run func(argument uintptr)) (address uintptr, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("make a callback: %v", cause)
		}
	}()
	// The first parameter makes it cdecl, which callbacks of windows/386 are not by default.
	return purego.NewCallback(func(_ purego.CDecl, argument uintptr) uintptr {
		run(argument)
		return 0
	}), nil
}
