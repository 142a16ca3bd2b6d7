package deferred

import (
	"runtime"
)

// goroutine is the number of the calling goroutine. It is asked for only around progress handlers and where waiting
// might be waiting for oneself, so that reading it off a stack trace, about a microsecond, is cheap enough.
func goroutine() uint64 {
	var trace [40]byte
	var number uint64
	for _, digit := range trace[len("goroutine "):runtime.Stack(trace[:], false)] {
		if digit < '0' || digit > '9' {
			break
		}
		number = number*10 + uint64(digit-'0')
	}
	return number
}
