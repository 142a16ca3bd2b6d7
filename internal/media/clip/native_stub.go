//go:build !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package clip

import "github.com/unum-cloud/uform-go/platform"

// openNative fails: this build loads no libraries.
func openNative(*track, Limits) (session, error) { return nil, platform.Unsupported() }
