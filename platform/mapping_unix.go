//go:build unix

package platform

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(file *os.File, size int) ([]byte, func([]byte) error, error) {
	bytes, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if errors.Is(err, unix.ENODEV) { // a file system that has no maps
		return readFile(file, size)
	}
	if errors.Is(err, unix.ENOMEM) {
		err = outOfMemory(err)
	}
	return bytes, unix.Munmap, err
}

func mapPages(size int) ([]byte, func([]byte) error, error) {
	bytes, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	return bytes, unix.Munmap, err
}

// letGo is for pages of files alone: others would lose what is in them.
func letGo(pages []byte) {
	_ = unix.Madvise(pages, unix.MADV_DONTNEED) // an advice that is not taken changes nothing
}
