package arena

import (
	stderrors "errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/native"
)

// DLPackOptions are what the consumer asks for. The fields have the names of the arguments of
// __dlpack__ in DLPack's Python protocol. The zero value asks for nothing.
type DLPackOptions struct {
	// MaxVersion is the highest version that the consumer understands; the zero value means 1.0.
	// A lower one is an error.
	MaxVersion [2]uint32
	// Stream is the consumer's stream on the device; nil means none. Outputs are complete before
	// a call is final, so nothing is waited for. It must be nil for host memory, which has no
	// streams.
	Stream *uintptr
	// Device is the device type and id that the consumer wants; nil means where the rows are.
	// Another one is [errors.ErrDevice], as nothing is copied between devices.
	Device *DLDevice
	// Copy forces a copy where true and forbids it where false; nil copies nothing. Device memory
	// is not copied.
	Copy *bool
}

// DLDevice is where DLPack memory lives.
type DLDevice struct {
	// Type is 1 for host memory, 2 for CUDA, 8 for Metal, 10 for ROCm.
	Type int32
	// ID is the vendor's number of the device.
	ID int32
}

// The device types of DLPack.
const (
	dlHost  = 1
	dlCUDA  = 2
	dlMetal = 8
	dlROCm  = 10
)

// DLPack is rows that are exported to a consumer. The export ends when the consumer calls the
// deleter, from any thread, or with [DLPack.Release] if no consumer took it; only one of the two
// may happen. Goroutines may share it.
type DLPack struct{ managed *managedTensor }

// managedTensor mirrors DLManagedTensorVersioned of DLPack 1. The tail stands in for the padding
// that some 32-bit systems have before the last field, which is zero.
type managedTensor struct {
	major, minor uint32
	context      uintptr
	deleter      uintptr
	flags        uint64
	data         uintptr
	device       DLDevice
	dimensions   int32
	code, bits   uint8
	lanes        uint16
	shape        *int64
	strides      *int64
	byteOffset   uint64
	_            uint64

	extents [4]int64
	release func()
	pinner  runtime.Pinner
}

const dlCopied = 1 << 1

// exported keeps tensors in the hands of consumers, by their address: C holds the only pointer
// otherwise.
var exported sync.Map

// deleter is the one C function for every tensor.
var deleter = sync.OnceValues(func() (uintptr, error) {
	return native.Callback(func(_ native.CDecl, address uintptr) uintptr {
		endExport(address)
		return 0
	})
})

func endExport(address uintptr) {
	if managed, held := exported.LoadAndDelete(address); held {
		managed.(*managedTensor).end()
	}
}

func (m *managedTensor) end() {
	m.pinner.Unpin()
	m.release()
}

// DLPack exports the rows in place, as a matrix of [Rows.Len] by [Rows.Columns] in DLPack's
// versioned form. The arena is pinned until the consumer lets go: calls that name it are
// [errors.ErrContended], and closing or dropping it does not free the memory. Stale rows are
// [errors.ErrInvalidArgument]; a build without shared libraries has no consumers, and says
// [errors.ErrUnsupported].
func (r Rows) DLPack(options *DLPackOptions) (*DLPack, error) {
	const verb = "export rows"
	if options == nil {
		options = new(DLPackOptions)
	}
	if err := r.lent().Asked(verb); err != nil {
		return nil, err
	}
	if options.MaxVersion != [2]uint32{} && options.MaxVersion[0] < 1 {
		err := fmt.Errorf("the consumer understands DLPack %d.%d, the rows are exported as 1.0", options.MaxVersion[0], options.MaxVersion[1])
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem, err)
	}
	code, err := dlCode(r.Scalar())
	if err != nil {
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem, err)
	}
	device, err := r.DLPackDevice()
	if err != nil {
		return nil, err
	}
	switch {
	case options.Device != nil && *options.Device != device:
		err := fmt.Errorf("the rows are on device %v, the consumer wants them on %v", device, *options.Device)
		return nil, errors.New(verb, errors.ErrDevice, errors.NoItem, err)
	case options.Stream != nil && device.Type == dlHost:
		return nil, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNoStreams)
	}
	copying := options.Copy != nil && *options.Copy
	if copying && device.Type != dlHost {
		return nil, errors.New(verb, errors.ErrDevice, errors.NoItem, errNoCopy)
	}
	if r.Len() < 0 {
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem, errUncounted)
	}
	callback, err := deleter()
	if err != nil {
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem, err)
	}
	if err := r.lent().Pin(verb); err != nil {
		return nil, err
	}
	size := int(width(r.Scalar()))
	m := &managedTensor{
		major: 1, deleter: callback, data: r.Data(), device: device, dimensions: 2,
		code: code, bits: uint8(8 * size), lanes: 1, release: r.lent().Unpin,
		extents: [4]int64{int64(r.Len()), int64(r.Columns()), int64(r.Stride() / max(size, 1)), 1},
	}
	if copying {
		m.copyRows(r)
	}
	m.shape, m.strides = &m.extents[0], &m.extents[2]
	m.pinner.Pin(m)
	exported.Store(uintptr(unsafe.Pointer(m)), m)
	return &DLPack{m}, nil
}

var (
	errNoStreams = stderrors.New("host memory has no streams")
	errUncounted = stderrors.New("the number of rows is known to the device alone")
	errNoCopy    = stderrors.New("device memory is exported in place, never copied")
)

// copyRows replaces the arena's memory by the tensor's own.
func (m *managedTensor) copyRows(r Rows) {
	own := append([]byte(nil), abi.Memory(r.Data(), uintptr(r.Len()*r.Stride()))...)
	m.flags |= dlCopied
	m.data = abi.Address(own)
	if len(own) > 0 {
		m.pinner.Pin(unsafe.SliceData(own))
	}
	r.lent().Unpin()
	m.release = func() { runtime.KeepAlive(own) }
}

// Managed is the DLManagedTensorVersioned to hand to a consumer, who calls its deleter when done.
func (d *DLPack) Managed() uintptr { return uintptr(unsafe.Pointer(d.managed)) }

// Release ends an export that no consumer took. Releasing again, or after the consumer's deleter,
// is safe as long as the DLPack value is held.
func (d *DLPack) Release() { endExport(d.Managed()) }

// DLPackDevice is the device type and id that the rows live on, in DLPack's terms.
func (r Rows) DLPackDevice() (DLDevice, error) {
	const verb = "export rows"
	if err := r.lent().Asked(verb); err != nil {
		return DLDevice{}, err
	}
	arena := r.lent().Arena()
	if !arena.OnDevice() {
		return DLDevice{Type: dlHost}, nil
	}
	ordinal, err := vendorOrdinal(arena.Library(), arena.Device())
	if err != nil {
		return DLDevice{}, err
	}
	return DLDevice{Type: vendor(arena.Library()), ID: ordinal}, nil
}

// vendor is the device type of the library's GPUs. One that does not tell has CUDA's.
func vendor(library *abi.Library) int32 {
	if library.Capabilities == nil {
		return dlCUDA
	}
	masks := new(struct{ compiled, detected uint64 })
	library.Capabilities(&masks.compiled, &masks.detected)
	usable := masks.compiled & masks.detected
	switch {
	case usable>>abi.CapabilityCUDA&1 == 0 && usable>>abi.CapabilityROCm&1 != 0:
		return dlROCm
	case usable>>abi.CapabilityCUDA&1 == 0 && usable>>abi.CapabilityMetal&1 != 0:
		return dlMetal
	}
	return dlCUDA
}

func vendorOrdinal(library *abi.Library, device int32) (int32, error) {
	const verb = "list devices"
	asked := new(struct {
		outcome   abi.Outcome
		arguments abi.GPUDevices
		_         [abi.ReservedTail]byte
		count     uintptr
		devices   [64]abi.GPUDevice
	})
	asked.arguments = abi.GPUDevices{
		Outcome: &asked.outcome, Devices: &asked.devices[0], Capacity: uintptr(len(asked.devices)), Count: &asked.count,
	}
	asked.outcome.Status = abi.StatusUnknown
	library.GPUDevices(&asked.arguments)
	if err := errors.Of(verb, &asked.outcome); err != nil {
		return 0, err
	}
	if device < 0 || uintptr(device) >= min(asked.count, uintptr(len(asked.devices))) {
		return 0, errors.New(verb, errors.ErrDevice, errors.NoItem, fmt.Errorf("there is no device %d", device))
	}
	return int32(asked.devices[device].VendorOrdinal), nil
}

// dlCode is the type code of a scalar in DLPack.
func dlCode(scalar abi.Scalar) (uint8, error) {
	switch scalar {
	case abi.ScalarI8:
		return 0, nil
	case abi.ScalarF16, abi.ScalarF32:
		return 2, nil
	case abi.ScalarBF16:
		return 4, nil
	}
	return 0, fmt.Errorf("rows of %v have no DLPack type", scalar)
}
