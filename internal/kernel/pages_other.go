//go:build !linux

package kernel

// onHugePages returns w: there is no such advice here.
func onHugePages[T float32 | uint16 | int8](w []T) []T { return w }
