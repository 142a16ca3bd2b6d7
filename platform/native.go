//go:build !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package platform

// Native tells whether this build can load shared libraries at all. [Unsupported] has the reason where it cannot.
const Native = true

// Unsupported is why this build loads no shared libraries, nil where it does.
func Unsupported() error { return nil }
