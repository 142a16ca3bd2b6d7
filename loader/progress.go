package loader

import (
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/native"
)

// progressCallback is the address of the one C function through which every library reports every
// call's progress. It is made once and stays: the system's table of callbacks is small and never
// shrinks, and another user of it may have filled it.
var progressCallback = sync.OnceValues(func() (uintptr, error) { return native.Callback(reportProgress) })

// reportProgress answers exactly 0, to stop the call, or 1: C reads a bool, whose other bits are
// undefined. A panic must not unwind through C, whose locks would stay taken, and on the library's
// own threads nothing could catch it. Handlers keep their panics for their waiters, so one that
// arrives here stops the call and is dropped.
//
// The first parameter makes it cdecl, which C has and callbacks of windows/386 have not by default.
func reportProgress(_ native.CDecl, finished, total, state uintptr) (answer uintptr) {
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
