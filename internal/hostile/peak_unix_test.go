//go:build unix

package hostile_test

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peak is the largest resident memory that the process has had, in bytes.
func peak(used *unix.Rusage) int {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int(used.Maxrss)
	}
	return int(used.Maxrss) << 10
}
