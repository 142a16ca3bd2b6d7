//go:build windows || !(!uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64))))

package platform

// KeepSignals does nothing: libraries of this system take no signals, or there are none.
func KeepSignals() (restore func()) { return func() {} }
