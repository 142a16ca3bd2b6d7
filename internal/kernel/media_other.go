//go:build !amd64

package kernel

// media returns the portable loops: there are no others for this processor.
func media() *mediaRoutines { return &mediaPortable }
