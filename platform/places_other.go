//go:build !linux && !darwin && !windows

package platform

import (
	"fmt"
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
)

// LibraryNames returns the file names of libuform on this system, in the order to try.
func LibraryNames() []string {
	return []string{fmt.Sprintf("libuform.so.%d", abi.VersionMajor), "libuform.so"}
}

func programPlaces() []string {
	if folder := programFolder(); folder != "" {
		return []string{folder}
	}
	return nil
}

func systemPlaces() []string {
	switch runtime.GOOS {
	case "js", "wasip1", "plan9":
		return nil
	case "netbsd":
		return []string{"/usr/local/lib", "/usr/pkg/lib", "/usr/lib"}
	}
	return []string{"/usr/local/lib", "/usr/lib"}
}
