package abi

import (
	"sync"
	"sync/atomic"
)

// ProgressHandler hears how many of a call's units are finished, and answers whether the call goes on. It must not
// panic, block, or call [runtime.Goexit]: foreign threads run it.
type ProgressHandler func(finished, total uintptr) bool

// Handlers are known to C by number, never by address: the collector may move or free what a number stands for, and
// a library that reports too late meets no handler instead of a dead one.
var (
	progressHandlers sync.Map
	progressLast     atomic.Uintptr
)

// HoldProgress keeps handler until [ReleaseProgress] and returns its number, for a ProgressState field.
func HoldProgress(handler ProgressHandler) uintptr {
	state := progressLast.Add(1)
	progressHandlers.Store(state, handler)
	return state
}

// ReleaseProgress forgets a handler. The call that it was given to must be final.
func ReleaseProgress(state uintptr) { progressHandlers.Delete(state) }

// ReportProgress runs the handler held under state. A state that nothing is held under goes on.
func ReportProgress(state, finished, total uintptr) bool {
	handler, held := progressHandlers.Load(state)
	if !held {
		return true
	}
	return handler.(ProgressHandler)(finished, total)
}
