package platform

import (
	"fmt"
	"io"
	"os"
)

// readFile is mapFile for files that cannot be mapped. A file that is shorter than size by now is
// an error, not zeroes.
func readFile(file *os.File, size int) ([]byte, func([]byte) error, error) {
	bytes, err := allocate(size)
	if err != nil {
		return nil, nil, outOfMemory(err)
	}
	if _, err := io.ReadFull(file, bytes); err != nil {
		return nil, nil, err
	}
	return bytes, nil, nil
}

// allocate takes size zeroed bytes from Go's heap. A size that no heap could hold is refused; one
// that merely exceeds what is left ends the process, as any Go allocation does.
func allocate(size int) (bytes []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("allocate %d bytes: %v", size, cause)
		}
	}()
	return make([]byte, size), nil
}
