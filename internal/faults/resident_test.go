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

// resident is the process's memory that is in RAM, in bytes, after the collector has returned what
// it can; 0 where the system does not report it.
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

// foreignThreads is the number of threads of the process that Go's runtime did not make, 0 where
// the system does not report it. The runtime never ends its own.
func foreignThreads(t testing.TB) int {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return len(threads) - pprof.Lookup("threadcreate").Count()
}
