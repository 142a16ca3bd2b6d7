package platform

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// ReplaceFile makes path hold what write writes. At any time, the path holds its old content or the
// whole new file: the new file is written beside it, synced to disk, and renamed. A process that is
// killed may leave a file whose name ends in ".partial" there. A path that holds something other
// than a regular file is refused. If write fails, its error is returned and nothing has changed;
// every other error is one of the system.
func ReplaceFile(path string, write func(io.Writer) error) (err error) {
	if err := Replaceable(path); err != nil {
		return err
	}
	beside := fmt.Sprintf("%s.%08x.partial", path, rand.Uint32())
	file, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(beside) // the present error is more useful
		}
	}()
	if err = write(file); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	if err = os.Rename(beside, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}
