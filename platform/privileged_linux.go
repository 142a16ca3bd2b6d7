package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// atSecure is the key of the kernel's own verdict in the auxiliary vector, which knows of file
// capabilities too.
const atSecure = 23

// Privileged reports whether this process has more rights than the user who started it, as a
// set-uid program does. What that user controls, such as the environment, must not choose which
// library such a process loads.
func Privileged() bool {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() {
		return true
	}
	vector, err := unix.Auxv()
	if err != nil {
		return false
	}
	for _, entry := range vector {
		if entry[0] == atSecure {
			return entry[1] != 0
		}
	}
	return false
}
