//go:build !amd64 && !arm64

package kernel

// available is the portable path alone: nothing else is written for this processor.
func available() []*routines { return []*routines{&portable} }
