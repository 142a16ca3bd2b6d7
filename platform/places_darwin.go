package platform

import (
	"fmt"
	"path/filepath"

	"github.com/unum-cloud/uform-go/abi"
)

// LibraryNames returns the file names of libuform on this system, in the order to try.
func LibraryNames() []string {
	return []string{fmt.Sprintf("libuform.%d.dylib", abi.VersionMajor), "libuform.dylib"}
}

// programPlaces are the program's folder, and where an application bundle keeps its libraries.
func programPlaces() []string {
	folder := programFolder()
	if folder == "" {
		return nil
	}
	return []string{folder, filepath.Join(folder, "..", "Frameworks")}
}

func systemPlaces() []string { return []string{"/usr/local/lib", "/opt/homebrew/lib", "/usr/lib"} }
