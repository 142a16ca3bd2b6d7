package contract_test

import (
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
)

// promised tests P01 to P11 on the outputs of a verb of media, for items that it encodes. encode
// runs it on the arena of a seat.
func (u *user) promised(items int, encode func(options *uform.EncodeOptions) (uform.Encoded, error)) {
	u.Helper()
	both := &uform.EncodeOptions{Outputs: uform.Embeddings | uform.States}
	again := func() uform.Encoded {
		u.Helper()
		encoded, err := encode(both)
		require.NoError(u, err)
		return encoded
	}
	contended := func() {
		u.Helper()
		_, err := encode(both)
		require.ErrorIs(u, err, uform.ErrContended)
	}
	encoded := again()
	require.Equal(u, items, encoded.Embeddings.Len())
	require.Equal(u, items, encoded.States.Len())
	require.NotZero(u, encoded.States.Offsets())
	want := u.floats(encoded.Embeddings)
	require.Len(u, want, items*encoded.Embeddings.Columns())

	export, err := encoded.Embeddings.DLPack(nil)
	if platform.Native {
		require.NoError(u, err)
		contended()
		export.Release()
	} else {
		require.ErrorIs(u, err, uform.ErrUnsupported, "this build has no consumer for it")
	}
	array, err := encoded.Embeddings.CUDAArray()
	if u.onDevice {
		require.NoError(u, err)
		contended()
		array.Release()
		unreadable(u, encoded, uform.ErrDevice)
		require.Equal(u, want, u.floats(again().Embeddings))
		return
	}
	require.ErrorIs(u, err, uform.ErrDevice)
	for i, row := range encoded.Embeddings.All() {
		require.Equal(u, encoded.Embeddings.Data()+uintptr(i*encoded.Embeddings.Stride()), abi.Address(row))
		contended()
	}
	pin, err := encoded.States.Rows().Pin()
	require.NoError(u, err)
	contended()
	pin.Release()
	copied, err := encoded.Copy()
	require.NoError(u, err)
	require.Equal(u, want, u.floats(encoded.Embeddings), "a refused call changes nothing")
	next := again()
	unreadable(u, encoded, uform.ErrInvalidArgument)
	kept, err := next.Copy()
	require.NoError(u, err)
	require.Equal(u, copied, kept)
}
