package native

import (
	"fmt"
	"runtime"

	"github.com/unum-cloud/uform-go/errors"
)

// unsupported is a reason in words, and [errors.ErrUnsupported] to those who compare.
type unsupported string

func (unsupported) Unwrap() error      { return errors.ErrUnsupported }
func (text unsupported) Error() string { return string(text) }

// Unsupported is why this build loads no shared libraries, nil where it does. It wraps
// [errors.ErrUnsupported].
func Unsupported() error {
	switch {
	case Supported:
		return nil
	case static:
		return unsupported("built with the tag uform_static, which leaves the loader of shared libraries out")
	}
	return unsupported(fmt.Sprintf("a program for %s/%s built by %s with these switches loads no shared libraries",
		runtime.GOOS, runtime.GOARCH, runtime.Version()))
}
