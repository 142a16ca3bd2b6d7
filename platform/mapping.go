package platform

import (
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/unum-cloud/uform-go/errors"
)

// Mapping is memory outside of Go's heap: a file, or pages of its own. The collector neither moves
// nor frees it, so its owner closes it. Goroutines may share it.
type Mapping struct {
	mutex sync.Mutex
	bytes []byte
	// release gives bytes back to the system; nil where the collector does.
	release func(bytes []byte) error
	// file is true if bytes are the pages of a mapped file.
	file bool
}

// Bytes is the mapped memory, empty once closed. A slice that was handed out before Close must not
// be read after it: the process would be killed.
func (mapping *Mapping) Bytes() []byte {
	mapping.mutex.Lock()
	defer mapping.mutex.Unlock()
	return mapping.bytes
}

// Close gives the memory back to the system. Closing again, or a nil mapping, is safe and does
// nothing.
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

// LetGo tells the system that a part of a mapped file will not be read soon, so that its memory no
// longer counts as that of the process. The bytes stay what they are: they are read again when they
// are used. Where no file is mapped, nothing happens.
func (mapping *Mapping) LetGo(first, end int) {
	mapping.mutex.Lock()
	defer mapping.mutex.Unlock()
	page := PageSize()
	first, end = (first+page-1)/page*page, min(end, len(mapping.bytes))/page*page
	if mapping.file && first < end {
		letGo(mapping.bytes[first:end])
	}
}

// MapFile maps a whole file for reading. Where the system cannot map files, and on Windows, where a
// mapped file cannot be replaced, it reads the file instead. Where it maps, the bytes follow what
// is written into the file later, and a file that is cut short while it is mapped kills the process
// that reads behind its new end. An empty file gives an empty mapping. Every error is an
// [*fs.PathError], and where there is no memory for the file it wraps [errors.ErrOutOfMemory].
func MapFile(path string) (*Mapping, error) {
	file, size, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size == 0 {
		return &Mapping{}, nil
	}
	if size > math.MaxInt {
		return nil, pathError("map", path, fmt.Errorf("%d bytes exceed the address space: %w", size, errors.ErrOutOfMemory))
	}
	bytes, release, err := mapFile(file, int(size))
	if err != nil {
		return nil, pathError("map", path, err)
	}
	return &Mapping{bytes: bytes, release: release, file: release != nil}, nil
}

func outOfMemory(cause error) error { return fmt.Errorf("%w: %w", cause, errors.ErrOutOfMemory) }

// MapPages maps at least size zeroed bytes for reading and writing, rounded up to whole pages. Zero
// bytes give an empty mapping. A system that has no more fails with an error wrapping
// [errors.ErrOutOfMemory].
func MapPages(size int) (*Mapping, error) {
	if size < 0 {
		return nil, fmt.Errorf("map pages: size %d is negative: %w", size, errors.ErrInvalidArgument)
	}
	if size == 0 {
		return &Mapping{}, nil
	}
	page := PageSize()
	if size > math.MaxInt-(page-1) {
		return nil, fmt.Errorf("map pages: %d bytes exceed the address space: %w", size, errors.ErrOutOfMemory)
	}
	size = (size + page - 1) / page * page
	bytes, release, err := mapPages(size)
	if err != nil {
		return nil, fmt.Errorf("map pages: %d bytes: %w: %w", size, errors.ErrOutOfMemory, err)
	}
	return &Mapping{bytes: bytes, release: release}, nil
}

// PageSize is the size of this system's pages in bytes, a power of two.
func PageSize() int { return os.Getpagesize() }
