//go:build unix

package platform

import "os"

// syncDirectory syncs a rename to disk.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	err = directory.Sync()
	if closed := directory.Close(); err == nil {
		err = closed
	}
	return err
}
