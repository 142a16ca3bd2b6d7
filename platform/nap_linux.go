package platform

import (
	"time"

	"golang.org/x/sys/unix"
)

// Nap pauses the calling goroutine for about d. Below a millisecond it asks the kernel and holds
// its thread, because Go's timers wake an idle process after 1.1 ms, whatever less they are asked
// for. Nothing happens for d <= 0.
func Nap(d time.Duration) {
	if d >= time.Millisecond {
		time.Sleep(d)
		return
	}
	if d <= 0 {
		return
	}
	remaining := unix.NsecToTimespec(int64(d))
	for unix.Nanosleep(&remaining, &remaining) == unix.EINTR { // Go preempts by signals
	}
}

// Yield lets another thread of the system have the processor, if one waits for it.
func Yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
