//go:build !amd64 && !arm64

package kernel

// available returns the portable path alone: there is no other for this processor.
func available() []*routines { return []*routines{&portable} }
