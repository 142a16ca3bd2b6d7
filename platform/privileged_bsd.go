//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package platform

import "golang.org/x/sys/unix"

// Privileged reports whether this process has more rights than the user who started it, as a
// set-uid program does. What that user controls, such as the environment, must not choose which
// library such a process loads.
func Privileged() bool { return unix.Issetugid() }
