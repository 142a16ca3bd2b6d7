//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package loader

import "github.com/unum-cloud/uform-go/abi"

// ProveLayout is what Open makes of a library's report of its layout.
func ProveLayout(table *abi.Library) error { return proveLayout(table, new(Origin)) }
