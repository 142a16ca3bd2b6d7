//go:build !windows && !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package platform

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/ebitengine/purego"
)

// OpenLibrary loads the shared library at an absolute path, resolves all that it needs, and keeps its symbols from
// other libraries. There is no way to unload it: a call in flight would return into nothing. Pass [Inspect] first. The
// error is an [*fs.PathError] with the system's own words.
func OpenLibrary(path string) (uintptr, error) {
	if !filepath.IsAbs(path) {
		return 0, pathError("load", path, errors.New("not an absolute path"))
	}
	// The message of a failure belongs to the thread that failed, and is asked for in a second call.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, pathError("load", path, err)
	}
	return handle, nil
}

// Symbol is the address of a function that the library behind handle exports, never zero without an error.
func Symbol(handle uintptr, name string) (uintptr, error) {
	if handle == 0 { // the system would search the whole process
		return 0, errors.New("find symbol " + name + ": no library")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0, fmt.Errorf("find symbol %s: %w", name, err)
	}
	return address, nil
}
