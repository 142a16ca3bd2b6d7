package contract_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	calls "github.com/unum-cloud/uform-go/internal/native"
	"github.com/unum-cloud/uform-go/loader"
	"github.com/unum-cloud/uform-go/uform"
)

// openLibuform opens the C library of testdata/libuform, with its test control.
func openLibuform(t *testing.T) (*implementation, string) {
	if !calls.Supported {
		return nil, calls.Unsupported().Error()
	}
	path, err := loadertest.Library()
	if errors.Is(err, loadertest.ErrNoCompiler) {
		return nil, err.Error()
	}
	require.NoError(t, err)
	opened, err := loader.Open(&loader.Options{Path: path})
	require.NoError(t, err)
	control := loadertest.NeedControl(t)
	return &implementation{
		table: opened.Table, library: uform.OpenTable(opened.Table),
		growth: func(arena abi.Arena) (int, int) {
			pointer := abi.Pointer(uintptr(arena))
			return int(control.Ask("arena_allocations", 0, pointer)), int(control.Ask("arena_bytes", 0, pointer))
		},
		copyOut: func(to []byte, from uintptr) bool {
			// The fields of uform_test_copy_t.
			copying := &struct {
				device, host unsafe.Pointer
				bytes        uintptr
			}{abi.Pointer(from), unsafe.Pointer(unsafe.SliceData(to)), uintptr(len(to))}
			return control.Ask("device_copy", 0, unsafe.Pointer(copying)) == 0
		},
		firstStream: func(executor abi.Executor) int {
			return int(control.Ask("first_stream", 0, abi.Pointer(uintptr(executor))))
		},
		streamWorks: func(since int) (works []streamWork, now int) {
			now = int(control.Ask("stream_works", 0, nil))
			for i := since; i < now; i++ {
				// The fields of uform_test_stream_work_t.
				entry := &struct {
					work    int32
					device  int32
					stream  uint32
					address unsafe.Pointer
				}{}
				entry.work = -1 // of one that was freed
				control.Ask("stream_work", int64(i), unsafe.Pointer(entry))
				works = append(works, streamWork{int(entry.work), int(entry.device), int(entry.stream), uintptr(entry.address)})
			}
			return works, now
		},
		live:    func() int { return int(control.Ask("live_allocations", 0, nil)) },
		workers: func() int { return int(control.Ask("live_workers", 0, nil)) },
		idled: func(executor abi.Executor) idleness {
			pointer := abi.Pointer(uintptr(executor))
			return idleness{int(control.Ask("worker_looks", 0, pointer)), int(control.Ask("worker_sleeps", 0, pointer))}
		},
	}, ""
}

// letGo ends an export as a consumer in C does, from a thread of its own. A build that loads no
// libraries has none.
func letGo(u *user, export *arena.DLPack) {
	u.Helper()
	if !calls.Supported {
		export.Release()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		calls.SyscallN(consume(export).deleter, export.Managed())
	}()
	<-done
}
