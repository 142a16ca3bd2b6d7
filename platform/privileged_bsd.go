//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package platform

import "golang.org/x/sys/unix"

// Privileged tells whether this process has more rights than the user who started it, as a set-uid
// program does. What such a user controls, the environment above all, must not choose what gets
// loaded.
func Privileged() bool { return unix.Issetugid() }
