//go:build unix

package platform

import "syscall"

// withoutWaiting makes opening a pipe return at once. It means nothing for a regular file.
const withoutWaiting = syscall.O_NONBLOCK
