//go:build !unix && !windows

package platform

import "os"

func mapFile(file *os.File, size int) ([]byte, func([]byte) error, error) {
	return readFile(file, size)
}

func mapPages(size int) ([]byte, func([]byte) error, error) {
	bytes, err := allocate(size)
	return bytes, nil, err
}

func letGo([]byte) {} // no file is mapped
