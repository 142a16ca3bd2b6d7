//go:build !linux

package platform

import "time"

// Nap pauses the calling goroutine for about d. Nothing happens for d <= 0.
func Nap(d time.Duration) { time.Sleep(d) }
