//go:build !uform_static && linux && (amd64 || arm64)

package arena_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/native"
)

// tensor is DLManagedTensorVersioned as a consumer on a 64-bit system declares it.
type tensor struct {
	Major, Minor uint32
	Context      uintptr
	Deleter      uintptr
	Flags        uint64
	Data         *float32
	DeviceType   int32
	DeviceID     int32
	Dimensions   int32
	Code, Bits   uint8
	Lanes        uint16
	Shape        *[2]int64
	Strides      *[2]int64
	ByteOffset   uint64
}

// consume reads a tensor as a C consumer does, by its address alone.
func consume(export *arena.DLPack) *tensor { return (*tensor)(abi.Pointer(export.Managed())) }

func TestDLPackInPlace(t *testing.T) {
	l := newLibrary()
	a, rows := filled(t, l)
	export, err := rows.DLPack(nil)
	require.NoError(t, err)
	taken := consume(export)
	require.EqualValues(t, 1, taken.Major)
	require.EqualValues(t, 1, taken.DeviceType)
	require.EqualValues(t, 2, taken.Dimensions)
	require.Equal(t, [3]int{2, 32, 1}, [3]int{int(taken.Code), int(taken.Bits), int(taken.Lanes)})
	require.Equal(t, [2]int64{3, 2}, *taken.Shape)
	require.Equal(t, [2]int64{2, 1}, *taken.Strides)
	require.Zero(t, taken.ByteOffset)
	require.Same(t, &memory[0], taken.Data)

	_, err = begin(a)
	require.ErrorIs(t, err, errors.ErrContended, "the arena refuses to rewind until the consumer lets go")
	require.NoError(t, a.Close())
	require.Zero(t, l.freed)

	// The consumer lets go on a thread of its own, after the arena was closed and collected.
	address := export.Managed()
	export = nil
	for range 3 {
		runtime.GC()
	}
	require.Equal(t, float32(6), unsafe.Slice(taken.Data, 6)[5])
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		native.SyscallN(taken.Deleter, address)
		close(done)
	}()
	<-done
	require.Equal(t, 1, l.freed)
}

func TestDLPackCopies(t *testing.T) {
	a, rows := filled(t, newLibrary())
	yes := true
	export, err := rows.DLPack(&arena.DLPackOptions{Copy: &yes, MaxVersion: [2]uint32{1, 1}, Device: &arena.DLDevice{Type: 1}})
	require.NoError(t, err)
	taken := consume(export)
	require.NotSame(t, &memory[0], taken.Data)
	require.Equal(t, float32(1), *taken.Data)
	require.NotZero(t, taken.Flags&2)
	lease, err := begin(a)
	require.NoError(t, err, "a copy pins nothing")
	lease.End()
	export.Release()
	export.Release()
}

func TestDLPackOfADevice(t *testing.T) {
	l := newLibrary()
	l.where = abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: 1}
	l.GPUDevices = func(a *abi.GPUDevices) {
		devices := unsafe.Slice(a.Devices, 2)
		devices[0].VendorOrdinal, devices[1].VendorOrdinal = 7, 5
		*a.Count = 2
		a.Outcome.Status = abi.StatusSuccess
	}
	a, rows := filled(t, l)
	device, err := rows.DLPackDevice()
	require.NoError(t, err)
	require.Equal(t, arena.DLDevice{Type: 2, ID: 5}, device)
	stream := uintptr(1)
	export, err := rows.DLPack(&arena.DLPackOptions{Stream: &stream})
	require.NoError(t, err)
	require.EqualValues(t, 5, consume(export).DeviceID)
	export.Release()

	array, err := rows.CUDAArray()
	require.NoError(t, err)
	require.Equal(t, [2]int{3, 2}, array.Shape)
	require.Equal(t, [2]int{8, 4}, array.Strides)
	require.Equal(t, "<f4", array.Typestr)
	require.Equal(t, 3, array.Version)
	_, err = begin(a)
	require.ErrorIs(t, err, errors.ErrContended)
	array.Release()
	array.Release()

	lease, err := begin(a)
	require.NoError(t, err)
	view := rowsView()
	view.Scalar, view.Stride = abi.ScalarBF16, 4
	halves := rowsOf(lease, view, 3)
	lease.End()
	_, err = halves.CUDAArray()
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "bf16")
	_, err = rows.CUDAArray()
	require.ErrorIs(t, err, errors.ErrInvalidArgument, "stale")
	_, err = rows.DLPack(nil)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
}

func TestDLPackRefusals(t *testing.T) {
	_, rows := filled(t, newLibrary())
	stream := uintptr(1)
	cases := map[string]struct {
		options arena.DLPackOptions
		want    errors.Status
	}{
		"an old consumer":  {arena.DLPackOptions{MaxVersion: [2]uint32{0, 8}}, errors.ErrUnsupported},
		"another device":   {arena.DLPackOptions{Device: &arena.DLDevice{Type: 2}}, errors.ErrDevice},
		"a stream on host": {arena.DLPackOptions{Stream: &stream}, errors.ErrInvalidArgument},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := rows.DLPack(&c.options)
			require.ErrorIs(t, err, c.want)
			require.NoError(t, rows.Err())
		})
	}
	_, err := rows.CUDAArray()
	require.ErrorIs(t, err, errors.ErrDevice, "over device memory alone")
	_, err = arena.Rows{}.DLPack(nil)
	require.Error(t, err)
}

// Consumers let go from many threads at once.
func TestDLPackFromManyThreads(t *testing.T) {
	l := newLibrary()
	a, rows := filled(t, l)
	var group sync.WaitGroup
	for range 32 {
		export, err := rows.DLPack(nil)
		require.NoError(t, err)
		group.Go(func() { native.SyscallN(consume(export).Deleter, export.Managed()) })
	}
	group.Wait()
	lease, err := begin(a)
	require.NoError(t, err)
	lease.End()
}
