//go:build !windows && !uform_static && ((linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || (linux && !android && s390x && (cgo || go1.27)) || (darwin && !ios && (amd64 || arm64)) || (windows && (386 || amd64 || arm64)) || (netbsd && (amd64 || arm64)) || (freebsd && cgo && (amd64 || arm64)))

package native

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open locks its thread, as lookup does: the message of a failure belongs to the thread that
// failed, and is asked for in a second call.
func open(path string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func lookup(handle uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, name)
}

// signals are those whose handlers are looked at: all but the real-time ones, which no runtime of a
// language takes.
const signals = 31

// disposition is a struct sigaction with room to spare. It is the system's own, to be kept and
// given back as it is.
type disposition [256]byte

func keepSignals() (restore func()) {
	address, err := lookup(purego.RTLD_DEFAULT, "sigaction")
	if err != nil {
		return func() {}
	}
	var sigaction func(signal int32, next, former *disposition) int32
	purego.RegisterFunc(&sigaction, address)
	read := func(signal int32) (d disposition, known bool) {
		known = sigaction(signal, nil, &d) == 0
		return d, known
	}
	var kept [signals + 1]*disposition
	for signal := int32(1); signal <= signals; signal++ {
		if d, known := read(signal); known {
			kept[signal] = &d
		}
	}
	return func() {
		for signal, former := range kept {
			if former == nil {
				continue
			}
			if now, known := read(int32(signal)); known && now != *former {
				sigaction(int32(signal), former, nil)
			}
		}
	}
}
