package contract_test

import (
	"runtime"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
)

// tensor is the beginning of DLManagedTensorVersioned, as a consumer declares it: without padding.
type tensor struct {
	major, minor     uint32
	context, deleter uintptr
	flags            uint64
	data             uintptr
	deviceType, id   int32
	dimensions       int32
	code, bits       uint8
	lanes            uint16
	shape, strides   *[2]int64
}

// consume reads a tensor at an address, as a consumer does.
func consume(export *arena.DLPack) *tensor { return (*tensor)(abi.Pointer(export.Managed())) }

func exportsInPlace(u *user) {
	at := u.seat(full())
	rows := u.encode(at, "one", "two").Embeddings
	export, err := rows.DLPack(nil)
	if !platform.Native {
		require.ErrorIs(u, err, uform.ErrUnsupported, "this build has no consumer for it")
		return
	}
	require.NoError(u, err)
	taken := consume(export)
	require.EqualValues(u, 1, taken.major)
	require.Equal(u, rows.Data(), taken.data)
	require.Equal(u, [2]int64{2, int64(rows.Columns())}, *taken.shape)
	require.Equal(u, [2]int64{int64(rows.Stride()) / 4, 1}, *taken.strides)
	require.Equal(u, [3]int{2, 32, 1}, [3]int{int(taken.code), int(taken.bits), int(taken.lanes)})

	on := at.model.On(at.executor)
	_, err = on.TextEncode(background, uform.Strings([]string{"three"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrContended, "the arena refuses to rewind")
	letGo(u, export)
	_, err = on.TextEncode(background, uform.Strings([]string{"three"}), at.arena, nil)
	require.NoError(u, err, "the consumer has released it")

	// A consumer may keep it longer than the arena, and release it on its own thread.
	rows = u.encode(at, "kept").Embeddings
	want := u.floats(rows)
	export, err = rows.DLPack(nil)
	require.NoError(u, err)
	require.NoError(u, at.arena.Close())
	runtime.GC()
	if !u.onDevice {
		require.Equal(u, want, unsafe.Slice((*float32)(abi.Pointer(consume(export).data)), rows.Columns()))
	}
	letGo(u, export)
}

func exportsTellTheDevice(u *user) {
	at := u.seat(full())
	rows := u.encode(at, "one").Embeddings
	device, err := rows.DLPackDevice()
	require.NoError(u, err)
	want := arena.DLDevice{Type: 1}
	if u.onDevice {
		devices, err := u.library.Devices()
		require.NoError(u, err)
		want = arena.DLDevice{Type: 2, ID: int32(devices[0].VendorOrdinal)}
		require.NotZero(u, want.ID, "a number that differs from UForm's own")
	}
	require.Equal(u, want, device)
	if !platform.Native {
		return
	}
	yes, stream := true, uintptr(2)
	takes := func(options arena.DLPackOptions) error {
		export, err := rows.DLPack(&options)
		if err == nil {
			require.Equal(u, [2]int32{want.Type, want.ID}, [2]int32{consume(export).deviceType, consume(export).id})
			letGo(u, export)
		}
		return err
	}
	require.NoError(u, takes(arena.DLPackOptions{MaxVersion: [2]uint32{1, 3}, Device: &want}))
	require.ErrorIs(u, takes(arena.DLPackOptions{MaxVersion: [2]uint32{0, 8}}), uform.ErrUnsupported)
	require.ErrorIs(u, takes(arena.DLPackOptions{Device: &arena.DLDevice{Type: 8}}), uform.ErrDevice)
	if u.onDevice {
		require.NoError(u, takes(arena.DLPackOptions{Stream: &stream}))
		require.ErrorIs(u, takes(arena.DLPackOptions{Copy: &yes}), uform.ErrDevice)
		return
	}
	require.ErrorIs(u, takes(arena.DLPackOptions{Stream: &stream}), uform.ErrInvalidArgument)
	require.NoError(u, takes(arena.DLPackOptions{Copy: &yes}))
}

func arraysOfTheDevice(u *user) {
	at := u.seat(full())
	encode := func(scalar uform.Scalar) uform.Rows {
		encoded, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"one", "two"}), at.arena,
			&uform.TextOptions{Scalar: scalar})
		require.NoError(u, err)
		return encoded.Embeddings
	}
	for scalar, typestr := range map[uform.Scalar]string{uform.F32: "<f4", uform.F16: "<f2", uform.I8: "|i1"} {
		rows := encode(scalar)
		array, err := rows.CUDAArray()
		if !u.onDevice {
			require.ErrorIs(u, err, uform.ErrDevice)
			continue
		}
		require.NoError(u, err)
		require.Equal(u, 3, array.Version)
		require.Equal(u, typestr, array.Typestr)
		require.Equal(u, rows.Data(), array.Data)
		require.Equal(u, [2]int{2, rows.Columns()}, array.Shape)
		require.Equal(u, rows.Stride(), array.Strides[0])
		_, err = at.model.On(at.executor).TextEncode(background, uform.Strings(nil), at.arena, nil)
		require.ErrorIs(u, err, uform.ErrContended)
		array.Release()
	}
	_, err := encode(uform.BF16).CUDAArray()
	if u.onDevice {
		require.ErrorIs(u, err, uform.ErrUnsupported)
		require.ErrorContains(u, err, "bf16")
	}
}
