//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package platform

import "os"

// Privileged tells whether this process has more rights than the user who started it, as a set-uid
// program does. What such a user controls, the environment above all, must not choose what gets
// loaded.
func Privileged() bool { return os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() }
