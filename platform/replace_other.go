//go:build !unix

package platform

// syncDirectory does nothing on systems where a directory is no file: they order renames
// themselves.
func syncDirectory(string) error { return nil }
