package uform

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// Library is an opened libuform: a shared one, or the engine that is compiled into the program. It
// stays open until the process ends, so it has no Close. Goroutines may share it. Its executors,
// arenas and models cannot be used together with those of another Library.
type Library struct {
	table    *abi.Library
	origin   Origin
	observer atomic.Pointer[Observer]
}

// Origin returns which library was opened, which were skipped and why, and which checks it passed.
func (l *Library) Origin() Origin { return l.origin }

// Table is the library's table of entry points, for those who call them as C programs do. It must
// not be changed.
func (l *Library) Table() *abi.Library { return l.table }

// Version is the library's version, or that of the header it was opened by where it does not report
// one. It calls uform_version_major, uform_version_minor and uform_version_patch.
func (l *Library) Version() string {
	if l.table.VersionMajor == nil || l.table.VersionMinor == nil || l.table.VersionPatch == nil {
		return fmt.Sprintf("%d.%d.%d", abi.VersionMajor, abi.VersionMinor, abi.VersionPatch)
	}
	return fmt.Sprintf("%d.%d.%d", l.table.VersionMajor(), l.table.VersionMinor(), l.table.VersionPatch())
}

// Capability is something that a build of the library may have and a machine may offer.
type Capability = abi.Capability

// Capabilities lists what this library has and this machine offers, nil where the library does not
// report it. It calls uform_capabilities.
func (l *Library) Capabilities() []Capability {
	if l.table.Capabilities == nil {
		return nil
	}
	masks := new(struct{ compiled, detected uint64 })
	l.table.Capabilities(&masks.compiled, &masks.detected)
	var usable []Capability
	for bit := range Capability(64) {
		if masks.compiled&masks.detected>>bit&1 != 0 {
			usable = append(usable, bit)
		}
	}
	return usable
}

// Device is one GPU.
type Device struct {
	// Device is UForm's number of it, its index in the list.
	Device int
	// VendorOrdinal is the vendor runtime's number of it, the one that DLPack and the CUDA Array
	// Interface speak.
	VendorOrdinal int
	// MemoryBytes and MemoryFreeBytes are the device memory that is installed, and what is free of
	// it now.
	MemoryBytes, MemoryFreeBytes uint64
	// Name is the product's.
	Name string
}

// Devices lists the GPUs, none on a machine without any. It calls uform_gpu_devices.
func (l *Library) Devices() ([]Device, error) {
	const verb = "list devices"
	b := newAsking[abi.GPUDevices, struct {
		count   uintptr
		devices [maxDevices]abi.GPUDevice
	}]()
	b.arguments = abi.GPUDevices{
		Outcome: &b.outcome, Devices: &b.answer.devices[0], Capacity: maxDevices, Count: &b.answer.count,
	}
	l.table.GPUDevices(&b.arguments)
	if err := errors.Of(verb, &b.outcome); err != nil {
		return nil, err
	}
	devices := make([]Device, min(b.answer.count, maxDevices))
	for i := range devices {
		d := &b.answer.devices[i]
		name, _, _ := bytes.Cut(d.Name[:], []byte{0})
		devices[i] = Device{
			Device: int(d.Device), VendorOrdinal: int(d.VendorOrdinal),
			MemoryBytes: d.MemoryBytes, MemoryFreeBytes: d.MemoryFreeBytes, Name: string(name),
		}
	}
	return devices, nil
}

// maxDevices is how many GPUs of a machine are listed.
const maxDevices = 64
