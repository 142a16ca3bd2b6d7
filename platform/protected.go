package platform

import (
	"fmt"
	"os"
	"path/filepath"
)

// Protected checks a file that was found rather than named. It returns an error if every user may
// write the file, the folder it is in, or the folder of the link that led to it. On systems without
// Unix permissions it checks nothing and returns nil.
func Protected(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return pathError("inspect", path, err)
	}
	for _, place := range []string{target, filepath.Dir(target), filepath.Dir(path)} {
		info, err := os.Stat(place)
		if err != nil {
			return pathError("inspect", place, err)
		}
		if open(info) {
			return pathError("inspect", path, fmt.Errorf("everybody may write %s: tighten it, or name the library explicitly", place))
		}
	}
	return nil
}
