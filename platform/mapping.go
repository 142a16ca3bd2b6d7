package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"

	uformerrors "github.com/unum-cloud/uform-go/errors"
)

// Mapping is memory outside of Go's heap: a file, or pages of its own. The collector neither moves nor frees it, so
// its owner closes it. Goroutines may share it.
type Mapping struct {
	mutex sync.Mutex
	bytes []byte
	// release gives bytes back to the system; nil where the collector does.
	release func(bytes []byte) error
}

// Bytes is the mapped memory, empty once closed. A slice that was handed out before Close must not be read after it:
// the process would be killed.
func (mapping *Mapping) Bytes() []byte {
	mapping.mutex.Lock()
	defer mapping.mutex.Unlock()
	return mapping.bytes
}

// Close gives the memory back to the system. Closing again, or a nil mapping, is safe and does nothing.
func (mapping *Mapping) Close() error {
	if mapping == nil {
		return nil
	}
	mapping.mutex.Lock()
	defer mapping.mutex.Unlock()
	bytes := mapping.bytes
	mapping.bytes = nil
	if len(bytes) == 0 || mapping.release == nil {
		return nil
	}
	return mapping.release(bytes)
}

// errNotRegular is the cause for directories, pipes, sockets and devices, which have no content to map.
var errNotRegular = errors.New("not a regular file")

// MapFile maps a whole file for reading. Where the system cannot map files, and on Windows, where a mapped file cannot be replaced, it reads
// the file instead. Where it maps, the bytes follow what is written into the file later, and a file that is cut short while it is mapped
// kills the process that reads behind its new end. An empty file gives an empty mapping. Every error is an [*fs.PathError], and where there is no
// memory for the file it wraps [uformerrors.ErrOutOfMemory].
func MapFile(path string) (*Mapping, error) {
	file, size, err := openRegular("map", path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size == 0 {
		return &Mapping{}, nil
	}
	bytes, release, err := mapFile(file, size)
	if err != nil {
		return nil, pathError("map", path, err)
	}
	return &Mapping{bytes: bytes, release: release}, nil
}

func outOfMemory(cause error) error { return fmt.Errorf("%w: %w", cause, uformerrors.ErrOutOfMemory) }

// MapPages maps at least size zeroed bytes for reading and writing, rounded up to whole pages. Zero bytes give an
// empty mapping. A system that has no more fails with an error wrapping [uformerrors.ErrOutOfMemory].
func MapPages(size int) (*Mapping, error) {
	if size < 0 {
		return nil, fmt.Errorf("map pages: size %d is negative: %w", size, uformerrors.ErrInvalidArgument)
	}
	if size == 0 {
		return &Mapping{}, nil
	}
	page := PageSize()
	if size > math.MaxInt-(page-1) {
		return nil, fmt.Errorf("map pages: %d bytes exceed the address space: %w", size, uformerrors.ErrOutOfMemory)
	}
	size = (size + page - 1) / page * page
	bytes, release, err := mapPages(size)
	if err != nil {
		return nil, fmt.Errorf("map pages: %d bytes: %w: %w", size, uformerrors.ErrOutOfMemory, err)
	}
	return &Mapping{bytes: bytes, release: release}, nil
}

// PageSize is the size of this system's pages in bytes, a power of two.
func PageSize() int { return os.Getpagesize() }

// openRegular opens the regular file at path for reading and tells its size in bytes. Whether it is one is asked
// before opening too, because opening a pipe waits for its writer.
func openRegular(verb, path string) (*os.File, int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, pathError(verb, path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, pathError(verb, path, errNotRegular)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, pathError(verb, path, err)
	}
	info, err = file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errNotRegular
	case info.Size() > math.MaxInt:
		err = errors.New("larger than the address space")
	default:
		return file, int(info.Size()), nil
	}
	file.Close()
	return nil, 0, pathError(verb, path, err)
}

// pathError names path once, also where err names it already.
func pathError(verb, path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: verb, Path: path, Err: err}
}
