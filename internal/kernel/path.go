package kernel

import (
	"os"
	"sync/atomic"
)

// path names one implementation of the innermost loops. All of the process uses the same one, so that equal inputs
// have equal bits.
type path int32

const (
	undecided path = iota
	portable
	neon   // the vectors that every arm64 has
	avx2   // AVX2 with fused multiplication and addition
	avx512 // the foundation of AVX-512, its bytes and words, and its short vectors
)

// pathVariable forces a path, for a comparison or a doubt: portable, neon, avx2 or avx512. It is read at the first use of the
// package. A name that is unknown, or of a path that this machine lacks, is ignored.
const pathVariable = "UFORM_KERNEL"

var chosen atomic.Int32

// current is the path to take.
func current() path {
	if p := path(chosen.Load()); p != undecided {
		return p
	}
	return decide()
}

// decide may run on several goroutines at once; the first to finish decides for all.
func decide() path {
	chosen.CompareAndSwap(int32(undecided), int32(choose(os.Getenv(pathVariable), available())))
	return path(chosen.Load())
}

// choose is the path of that name if it is available, and else the first of the available ones, which is the best.
func choose(name string, available []path) path {
	for _, p := range available {
		if p.String() == name {
			return p
		}
	}
	return available[0]
}

// String is the name of p in the environment variable.
func (p path) String() string {
	switch p {
	case portable:
		return "portable"
	case neon:
		return "neon"
	case avx2:
		return "avx2"
	case avx512:
		return "avx512"
	}
	return "undecided"
}
