package platform

import "github.com/unum-cloud/uform-go/internal/native"

// Native reports whether this build can load shared libraries. If it cannot, [Unsupported] returns
// the reason.
const Native = native.Supported

// Unsupported returns why this build cannot load shared libraries, or nil if it can. The error
// wraps [errors.ErrUnsupported].
func Unsupported() error { return native.Unsupported() }
