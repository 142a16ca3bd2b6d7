package faults_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// longTime is the value of UFORM_LONG where that is a duration, else usual.
func longTime(usual time.Duration) time.Duration {
	if asked, err := time.ParseDuration(os.Getenv("UFORM_LONG")); err == nil {
		return asked
	}
	return usual
}

// resident is the process's memory that is in RAM, in bytes, once the collector has given back what it can; 0 where the system does
// not tell.
func resident(t testing.TB) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	told, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	_, err = fmt.Fscan(bytes.NewReader(told), &size, &pages)
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// foreignThreads is how many threads the process has beyond those that Go's runtime made, 0 where the system does not tell. The
// runtime keeps its own.
func foreignThreads(t testing.TB) int {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return len(threads) - pprof.Lookup("threadcreate").Count()
}
