//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package mpi

import (
	"context"

	"github.com/unum-cloud/uform-go/platform"
)

// Run is this process's place in a run. In this build there is none.
type Run struct{}

// Join fails: this build loads no shared libraries. The error wraps [errors.ErrUnsupported], or is what is wrong with
// the arguments.
func Join(index, count int) (*Run, error) {
	by, err := launched()
	if err == nil {
		err = by.agree(index, count)
	}
	if err == nil {
		err = platform.Unsupported()
	}
	return nil, err
}

// Index is zero.
func (*Run) Index() int { return 0 }

// Count is one.
func (*Run) Count() int { return 1 }

// Library is empty.
func (*Run) Library() (path, version string) { return "", "" }

// AllReduce fails.
func (*Run) AllReduce(context.Context, []float32) error { return platform.Unsupported() }

// AllGather fails.
func (*Run) AllGather(context.Context, []float32, []float32) error { return platform.Unsupported() }

// Close does nothing.
func (*Run) Close() error { return nil }
