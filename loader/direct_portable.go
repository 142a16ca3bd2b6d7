//go:build uform_portable && !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package loader

import "github.com/unum-cloud/uform-go/abi"

// direct leaves the registered functions as they are, for a release of Go that closes the way which call.go takes.
func direct(*abi.Library, []uintptr) {}
