package abi

import (
	"sync"
	"sync/atomic"
)

// ProgressHandler receives the number of finished units and the total of a call, and returns
// whether the call goes on. It must not panic, block, or call [runtime.Goexit]: foreign threads run
// it.
type ProgressHandler func(finished, total uintptr) bool

// C knows handlers by number, never by address: the collector may move or free a handler, and a
// report that comes too late finds no handler instead of a freed one.
var (
	progressHandlers sync.Map
	progressLast     atomic.Uintptr
)

// HoldProgress keeps handler until [ReleaseProgress] and returns its number, for a ProgressState
// field.
func HoldProgress(handler ProgressHandler) uintptr {
	state := progressLast.Add(1)
	progressHandlers.Store(state, handler)
	return state
}

// ReleaseProgress drops a handler. The call that it belongs to must be final.
func ReleaseProgress(state uintptr) { progressHandlers.Delete(state) }

// ReportProgress runs the handler held under state. Without such a handler it returns true, and the
// call goes on.
func ReportProgress(state, finished, total uintptr) bool {
	handler, held := progressHandlers.Load(state)
	if !held {
		return true
	}
	return handler.(ProgressHandler)(finished, total)
}
