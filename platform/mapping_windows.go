package platform

import (
	"os"

	"github.com/unum-cloud/uform-go/abi"
	"golang.org/x/sys/windows"
)

func mapFile(file *os.File, size int) ([]byte, func([]byte) error, error) {
	object, err := windows.CreateFileMapping(windows.Handle(file.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	defer windows.CloseHandle(object) // the view holds the object
	address, err := windows.MapViewOfFile(object, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, err
	}
	return abi.Memory(address, uintptr(size)), unmapView, nil
}

func unmapView(bytes []byte) error { return windows.UnmapViewOfFile(abi.Address(bytes)) }

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
