//go:build !android

package platform

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memoryNameMax is the kernel's limit to the name of a memory file, in bytes.
const memoryNameMax = 249

// writeMax keeps a single write below what the kernel takes at once.
const writeMax = 1 << 30

func memoryFile(data []byte, name string) (string, func() error, error) {
	name = name[:min(len(name), memoryNameMax)]
	// Kernels that can forbid executable memory files want to be told; older ones do not know the
	// flag.
	descriptor, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) {
		descriptor, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return "", nil, os.NewSyscallError("memfd_create", err)
	}
	// The descriptor is kept as a number, not as an [os.File], whose cleanup could close it before
	// its release.
	remove := func() error { return os.NewSyscallError("close", unix.Close(descriptor)) }
	path := fmt.Sprintf("/proc/self/fd/%d", descriptor)
	err = writeAll(descriptor, data)
	if err == nil {
		_, err = os.Stat(path) // fails where /proc is not mounted
	}
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	// A file that cannot be sealed is as private, and only less protected from this process itself.
	unix.FcntlInt(uintptr(descriptor), unix.F_ADD_SEALS,
		unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
	return path, remove, nil
}

func writeAll(descriptor int, data []byte) error {
	for len(data) > 0 {
		written, err := unix.Write(descriptor, data[:min(len(data), writeMax)])
		if err != nil && !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("write", err)
		}
		data = data[max(written, 0):]
	}
	return nil
}
