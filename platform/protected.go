package platform

import (
	"fmt"
	"os"
	"path/filepath"
)

// Protected tells whether a file that was found, rather than named, may be trusted: an error where
// everybody may write it, or the folder it lies in, or the folder of the link that led to it. On
// systems whose permissions are not Unix's nothing is known and nothing refused.
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
