//go:build !unix

package native_test

import (
	"errors"
	"io/fs"
)

// ownMessage cannot tell more than that there is a message: the system's words name no path.
func ownMessage(err error, path string) bool {
	var inner *fs.PathError
	return errors.As(err, &inner) && inner.Path == path && inner.Err.Error() != ""
}
