package platform

import (
	"io"
	"os"

	"github.com/unum-cloud/uform-go/abi"
	"golang.org/x/sys/windows"
)

// mapFile reads, since Windows lets nobody replace or remove a file that somebody has mapped: a
// model could not be trained and saved to its own path, nor updated while it serves. Pages that are
// written to are an error, as a file's would be.
func mapFile(file *os.File, size int) ([]byte, func([]byte) error, error) {
	bytes, release, err := mapPages(size)
	if err != nil {
		return nil, nil, outOfMemory(err)
	}
	if _, err = io.ReadFull(file, bytes); err == nil {
		var before uint32
		err = windows.VirtualProtect(abi.Address(bytes), uintptr(size), windows.PAGE_READONLY, &before)
	}
	if err != nil {
		release(bytes)
		return nil, nil, err
	}
	return bytes, release, nil
}

func mapPages(size int) ([]byte, func([]byte) error, error) {
	address, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, err
	}
	return abi.Memory(address, uintptr(size)), freePages, nil
}

func freePages(bytes []byte) error {
	return windows.VirtualFree(abi.Address(bytes), 0, windows.MEM_RELEASE)
}

func letGo([]byte) {} // no file is mapped
