package platform

import (
	"time"

	"golang.org/x/sys/unix"
)

// Nap pauses the calling goroutine for about d. Below a millisecond it sleeps in the kernel, which
// blocks the thread, because Go's timers wake an idle process after 1.1 ms at the earliest. If d is
// not positive, Nap returns at once.
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

// Yield lets another thread have the processor, if one waits for it.
func Yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
