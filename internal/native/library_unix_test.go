//go:build unix

package native_test

import (
	"errors"
	"io/fs"
	"strings"
)

// ownMessage tells whether the system's own words are about path.
func ownMessage(err error, path string) bool {
	var inner *fs.PathError
	return errors.As(err, &inner) && strings.Contains(inner.Err.Error(), path)
}
