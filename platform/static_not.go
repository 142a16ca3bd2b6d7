//go:build !uform_static && !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package platform

import (
	"fmt"
	"runtime"
)

// reason is why this build loads no shared libraries.
func reason() string {
	return fmt.Sprintf("a program for %s/%s built by %s with these switches loads no shared libraries",
		runtime.GOOS, runtime.GOARCH, runtime.Version())
}
