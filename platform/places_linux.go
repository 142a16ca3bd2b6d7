package platform

import (
	"fmt"
	"runtime"

	"github.com/unum-cloud/uform-go/abi"
)

// LibraryNames returns the file names of libuform on this system, in the order to try. The plain
// name is often a development package's link; the versioned one is what programs load.
func LibraryNames() []string {
	return []string{fmt.Sprintf("libuform.so.%d", abi.VersionMajor), "libuform.so"}
}

func programPlaces() []string {
	if folder := programFolder(); folder != "" {
		return []string{folder}
	}
	return nil
}

// triplets name the folders of distributions that keep libraries of several processors side by
// side.
var triplets = map[string][]string{
	"386":     {"i386-linux-gnu"},
	"amd64":   {"x86_64-linux-gnu"},
	"arm":     {"arm-linux-gnueabihf", "arm-linux-gnueabi"},
	"arm64":   {"aarch64-linux-gnu"},
	"loong64": {"loongarch64-linux-gnu"},
	"ppc64le": {"powerpc64le-linux-gnu"},
	"riscv64": {"riscv64-linux-gnu"},
	"s390x":   {"s390x-linux-gnu"},
}

func systemPlaces() []string {
	suffix := "64"
	if runtime.GOARCH == "386" || runtime.GOARCH == "arm" {
		suffix = "32"
	}
	var places []string
	for _, root := range []string{"/usr/local/lib", "/usr/lib"} {
		for _, triplet := range triplets[runtime.GOARCH] {
			places = append(places, root+"/"+triplet)
		}
		places = append(places, root+suffix, root)
	}
	return places
}
