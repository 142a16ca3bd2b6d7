//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package platform

import "github.com/unum-cloud/uform-go/errors"

// Native tells whether this build can load shared libraries at all. [Unsupported] has the reason where it cannot.
const Native = false

// unsupported is a reason in words, and [errors.ErrUnsupported] to those who compare.
type unsupported string

func (unsupported) Unwrap() error      { return errors.ErrUnsupported }
func (text unsupported) Error() string { return string(text) }

// Unsupported is why this build loads no shared libraries, nil where it does. It wraps [errors.ErrUnsupported].
func Unsupported() error {
	return unsupported(reason())
}

// OpenLibrary fails with [Unsupported].
func OpenLibrary(path string) (uintptr, error) { return 0, Unsupported() }

// Symbol fails with [Unsupported].
func Symbol(handle uintptr, name string) (uintptr, error) { return 0, Unsupported() }
