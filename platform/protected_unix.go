//go:build unix

package platform

import "io/fs"

// open tells whether everybody may write a file, or plant files in a folder. A sticky folder
// counts: it keeps others from removing what is there, not from adding.
func open(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }
