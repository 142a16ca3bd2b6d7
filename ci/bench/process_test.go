//go:build linux

package bench_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spent returns the processor time of the process so far, in user code and in the kernel. Unlike
// the clock it excludes the time in which a busy machine runs other processes.
func spent(t testing.TB) time.Duration {
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// threads returns the number of the process's threads.
func threads(t testing.TB) int {
	entries, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	return len(entries)
}
