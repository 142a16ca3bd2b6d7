//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package platform

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// OpenLibrary loads the shared library at an absolute path; what it needs is looked for beside it and in the system's
// folder alone. There is no way to unload it: a call in flight would return into nothing. Pass [Inspect] first. The error
// is an [*fs.PathError] with the system's own words.
func OpenLibrary(path string) (uintptr, error) {
	if !filepath.IsAbs(path) {
		return 0, pathError("load", path, errors.New("not an absolute path"))
	}
	const places = windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	handle, err := windows.LoadLibraryEx(path, 0, places)
	if err != nil {
		return 0, pathError("load", path, err)
	}
	return uintptr(handle), nil
}

// Symbol is the address of a function that the library behind handle exports, never zero without an error.
func Symbol(handle uintptr, name string) (uintptr, error) {
	if handle == 0 {
		return 0, errors.New("find symbol " + name + ": no library")
	}
	address, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return 0, fmt.Errorf("find symbol %s: %w", name, err)
	}
	return address, nil
}
