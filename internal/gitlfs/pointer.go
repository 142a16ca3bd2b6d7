// Package gitlfs tells the pointers of Git LFS from the files that they stand for.
package gitlfs

import (
	"bytes"
	"errors"
)

// ErrPointer follows the name of a file in an error.
var ErrPointer = errors.New("is a Git LFS pointer; fetch the file itself with git lfs pull")

// IsPointer reports whether a file, or its begin of at least 64 bytes, is what Git has in place of
// a large one that was not fetched.
func IsPointer(file []byte) bool {
	return bytes.HasPrefix(file, []byte("version https://git-lfs.github.com/spec/"))
}
