package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// PrivateFile returns a path to data, for libraries that only read files. On Linux the file is in
// memory, only this process can open it, and it cannot be changed. Elsewhere, and where the kernel
// refuses that, it is a file of mode 0600 in a new temporary folder of mode 0700. pattern is the
// file's name; every * in it is removed.
//
// Errors do not contain the path, because the caller did not choose it.
//
// release removes the file, and is safe to call again. Do not release a shared library while it is
// loaded: the path may be used again, and the system would take the next library for the first one.
func PrivateFile(data []byte, pattern string) (path string, release func() error, err error) {
	name := strings.ReplaceAll(pattern, "*", "")
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." || strings.ContainsRune(name, 0) {
		return "", nil, &fs.PathError{Op: "create", Path: pattern, Err: errors.New("not a file name")}
	}
	path, remove, err := memoryFile(data, name)
	if err != nil {
		path, remove, err = temporaryFile(data, name)
	}
	if err != nil {
		return "", nil, err
	}
	return path, sync.OnceValue(remove), nil
}

func temporaryFile(data []byte, name string) (string, func() error, error) {
	folder, err := os.MkdirTemp("", "uform-")
	if err != nil {
		return "", nil, fmt.Errorf("create a private folder among the temporary files: %w", unnamed(err))
	}
	remove := func() error { return os.RemoveAll(folder) }
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", nil, errors.Join(fmt.Errorf("write %d bytes to a private file: %w", len(data), unnamed(err)), unnamed(remove()))
	}
	return path, remove, nil
}

// unnamed is the cause of an error about a path.
func unnamed(err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		return inner.Err
	}
	return err
}
