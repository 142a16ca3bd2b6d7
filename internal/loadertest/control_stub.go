//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package loadertest

import (
	"unsafe"

	"github.com/unum-cloud/uform-go/platform"
)

func openControl(string) (Control, error) { return 0, platform.Unsupported() }

// Ask answers that nothing is known here.
func (c Control) Ask(string, int64, unsafe.Pointer) int64 { return -1 }
