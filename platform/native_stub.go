//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package platform

import (
	"fmt"
	"runtime"

	uformerrors "github.com/unum-cloud/uform-go/errors"
)

// Native tells whether this build can load shared libraries at all. [Unsupported] has the reason where it cannot.
const Native = false

// Unsupported is why this build loads no shared libraries, nil where it does. It wraps [uformerrors.ErrUnsupported].
func Unsupported() error {
	if static {
		return fmt.Errorf("built with the tag uform_static, so without a loader of shared libraries: %w", uformerrors.ErrUnsupported)
	}
	return fmt.Errorf("built for %s/%s with the compiler switches of this build, where no shared library can be loaded: %w",
		runtime.GOOS, runtime.GOARCH, uformerrors.ErrUnsupported)
}

// OpenLibrary fails with [Unsupported].
func OpenLibrary(path string) (uintptr, error) { return 0, Unsupported() }

// Symbol fails with [Unsupported].
func Symbol(handle uintptr, name string) (uintptr, error) { return 0, Unsupported() }
