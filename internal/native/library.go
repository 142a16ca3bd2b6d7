package native

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Open loads the shared library at an absolute path and resolves all that it needs. On Unix its
// symbols are hidden from other libraries; on Windows its dependencies are looked for beside it and
// in the system's folder alone. There is no way to unload it: a call in flight would return into
// nothing. Call platform.Inspect first. The error is an [*fs.PathError] with the system's own
// words, or [Unsupported].
func Open(path string) (handle uintptr, err error) {
	if !Supported {
		return 0, Unsupported()
	}
	if !filepath.IsAbs(path) {
		err = errors.New("not an absolute path")
	} else {
		handle, err = open(path)
	}
	if err != nil {
		return 0, &fs.PathError{Op: "load", Path: path, Err: err}
	}
	return handle, nil
}

// Symbol is the address of a function that the library behind handle exports, never zero without an
// error.
func Symbol(handle uintptr, name string) (address uintptr, err error) {
	if !Supported {
		return 0, Unsupported()
	}
	if handle == 0 { // the system would search the whole process
		err = errors.New("no library")
	} else {
		address, err = lookup(handle, name)
	}
	if err != nil {
		return 0, fmt.Errorf("find symbol %s: %w", name, err)
	}
	return address, nil
}

// KeepSignals remembers what this process does at each signal, and returns a function that restores
// it. Some libraries take the signals of faults for themselves when they are loaded or begun; then
// a nil pointer, which is a panic in Go, ends the process. Between the two calls nobody else may
// change a signal's handler. On Windows, where libraries take no signals, it does nothing.
func KeepSignals() (restore func()) { return keepSignals() }
