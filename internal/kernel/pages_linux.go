package kernel

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	hugePage = 2 << 20
	// manyBytes is the size from which on a matrix is worth the advice. Less stays in a cache.
	manyBytes = 256 << 10
)

// onHugePages advises the system to use huge pages for w, weights that nothing was written to yet,
// and returns w. Products with few rows read all weights of a model once, from more pages than the
// processor keeps addresses of. The advice includes what shares a huge page with w. It changes no
// contents, and a system that has no huge pages, or is not to give them, does without.
func onHugePages[T float32 | uint16 | int8](w []T) []T {
	bytes := uintptr(len(w)) * unsafe.Sizeof(*new(T))
	if bytes < manyBytes {
		return w
	}
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(w)))
	end := (begin + bytes + hugePage - 1) &^ (hugePage - 1)
	begin &^= hugePage - 1
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE)
	return w
}
