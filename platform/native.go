package platform

import "github.com/unum-cloud/uform-go/internal/native"

// Native tells whether this build can load shared libraries at all. [Unsupported] has the reason
// where it cannot.
const Native = native.Supported

// Unsupported is why this build loads no shared libraries, nil where it does. It wraps
// [errors.ErrUnsupported].
func Unsupported() error { return native.Unsupported() }
