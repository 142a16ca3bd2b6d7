//go:build !linux

package platform

import (
	"runtime"
	"time"
)

// Nap pauses the calling goroutine for about d. If d is not positive, Nap returns at
// once.
func Nap(d time.Duration) { time.Sleep(d) }

// Yield lets another goroutine have the processor, if one waits for it.
func Yield() { runtime.Gosched() }
