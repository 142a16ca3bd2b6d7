//go:build !linux

package platform

import (
	"runtime"
	"time"
)

// Nap pauses the calling goroutine for about d. Nothing happens for d <= 0.
func Nap(d time.Duration) { time.Sleep(d) }

// Yield lets another goroutine have the processor, if one waits for it.
func Yield() { runtime.Gosched() }
