//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package loader

import (
	"fmt"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/unum-cloud/uform-go/abi"
)

// progressCallback is the address of the one C function through which every library reports every call's progress. It
// is made once and stays: the system's table of callbacks is small and never shrinks, and another user of it may have
// filled it.
var progressCallback = sync.OnceValues(func() (address abi.Progress, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("make a callback: %v", cause)
		}
	}()
	return abi.Progress(purego.NewCallback(reportProgress)), nil
})

// reportProgress answers exactly 0, to stop the call, or 1: C reads a bool, whose other bits are undefined. A panic must
// not unwind through C, whose locks would stay taken, and on the library's own threads nothing could catch it. Handlers
// keep their panics for their waiters, so one that arrives here stops the call and is dropped.
//
// The first parameter makes it cdecl, which C has and callbacks of windows/386 have not by default.
func reportProgress(_ purego.CDecl, finished, total, state uintptr) (answer uintptr) {
	defer func() {
		if recover() != nil {
			answer = 0
		}
	}()
	if abi.ReportProgress(state, finished, total) {
		return 1
	}
	return 0
}
