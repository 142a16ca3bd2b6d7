package platform

import (
	"os"
	"path/filepath"
)

// Places returns the folders to search for libuform, as absolute paths and in order: the program's
// own, then the system's. The working directory, the home folder and folders that the environment
// names are never among them. The folder of a [Privileged] program is left out, because another
// user may have linked the program there.
func Places() []string {
	if Privileged() {
		return systemPlaces()
	}
	return append(programPlaces(), systemPlaces()...)
}

// programFolder is where the running program really lies, whatever links lead to it; empty where
// nobody knows.
func programFolder() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	if target, err := filepath.EvalSymlinks(program); err == nil {
		program = target
	}
	if !filepath.IsAbs(program) {
		return ""
	}
	return filepath.Dir(program)
}
