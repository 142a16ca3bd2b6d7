package contract_test

import (
	stderrors "errors"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/uform"
)

// P01–P12: what Python promises, and Go matches.
var promiseFacts = []fact{
	{id: "P01", words: "outputs_are_embeddings_states_and_their_offsets", api: threeOutputs},
	{id: "P02", words: "views_do_not_copy", api: viewsInPlace},
	{id: "P03", words: "each_deferred_call_needs_its_own_arena", table: ownArenas, api: ownArenasOfTheUser},
	{id: "P04", words: "an_exported_view_pins_its_arena", api: pinnedArena,
		absent: reasons{simulated: "the host has no view of device memory that it could pin; DLPack pins it, which is P09"}},
	{id: "P05", words: "a_stale_output_read_is_an_invalid_argument", api: staleReads,
		absent: reasons{simulated: "a host read of device memory is device, stale or not, which is P06"}},
	{id: "P06", words: "a_host_read_of_device_memory_is_device", api: hostReads, absent: gpuOnly},
	{id: "P07", words: "a_copy_pins_nothing", api: copiesPinNothing,
		absent: reasons{simulated: "the host copies nothing out of device memory, which is P06"}},
	{id: "P08", words: "the_length_of_an_output_is_its_rows", api: lengthsAreRows},
	{id: "P09", words: "dlpack_exports_in_place_and_keeps_the_arena_from_rewinding", api: exportsInPlace},
	{id: "P10", words: "dlpack_tells_the_device_and_follows_its_protocol", api: exportsTellTheDevice},
	{id: "P11", words: "the_cuda_array_interface_exists_over_device_memory_alone", api: arraysOfTheDevice},
	{id: "P12", words: "every_status_has_its_own_error", table: failuresHaveErrors, api: errorsOfTheirOwn},
}

func threeOutputs(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, samples...)
	full().encodesLike(u.T, samples, u.read(encoded))
	require.NotZero(u, encoded.States.Offsets())
	require.Equal(u, len(samples), encoded.States.Len())
}

func viewsInPlace(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	again := encoded
	require.Equal(u, encoded.Embeddings.Data(), again.Embeddings.Data())
	if u.onDevice {
		// The address is one of the device.
		require.Len(u, u.floats(encoded.Embeddings), 2*encoded.Embeddings.Columns())
		return
	}
	for i, row := range encoded.Embeddings.All() {
		require.Equal(u, encoded.Embeddings.Data()+uintptr(i*encoded.Embeddings.Stride()), abi.Address(row))
	}
	pin, err := encoded.Embeddings.Pin()
	require.NoError(u, err)
	defer pin.Release()
	row, err := pin.Float32s(1)
	require.NoError(u, err)
	require.Equal(u, encoded.Embeddings.Data()+uintptr(encoded.Embeddings.Stride()), abi.Address(row))
	row[0] = 42
	copied, err := again.Embeddings.AppendTo(nil, 1)
	require.NoError(u, err)
	require.EqualValues(u, 42, copied[0], "both views read the same memory")
	for i, item := range encoded.States.All() {
		first := encoded.States.Rows()
		require.Equal(u, first.Data()+uintptr(3*i*first.Stride()), item.Data())
	}
}

func ownArenas(s *seam) {
	p := s.place(full())
	q := s.placeOn(s.executor(), full())
	first := p.encoding("the first of two")
	g := s.running(first)
	if !s.onDevice {
		s.refused(q.in(p.arena).encoding("in the first one's arena").deferring(), abi.StatusContended, -1)
	}
	second := q.encoding("the second")
	h := s.running(second)
	h.Open()
	full().encodesLike(s.T, []string{"the second"}, s.read(s.wait(second)))
	g.Open()
	full().encodesLike(s.T, []string{"the first of two"}, s.read(s.wait(first)))
}

func ownArenasOfTheUser(u *user) {
	p, q := u.seat(full()), u.seat(full())
	first, g := u.running(p, "the first of two")
	_, err := q.model.Deferred(q.executor).TextEncode(background, uform.Strings([]string{"x"}), p.arena, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	second, h := u.running(q, "the second")
	h.Open()
	full().encodesLike(u.T, []string{"the second"}, u.read(u.wait(second)))
	g.Open()
	full().encodesLike(u.T, []string{"the first of two"}, u.read(u.wait(first)))
}

func pinnedArena(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	want := u.read(encoded)
	texts := uform.Strings([]string{"another"})
	refused := func() {
		u.Helper()
		_, err := at.model.On(at.executor).TextEncode(background, texts, at.arena, nil)
		require.ErrorIs(u, err, uform.ErrContended)
		_, err = at.model.TextEncode(background, texts, at.arena, nil)
		require.ErrorIs(u, err, uform.ErrContended)
		_, err = at.model.Deferred(at.executor).TextEncode(background, texts, at.arena, nil)
		require.ErrorIs(u, err, uform.ErrContended)
	}
	pin, err := encoded.Embeddings.Pin()
	require.NoError(u, err)
	other, err := encoded.States.Rows().Pin()
	require.NoError(u, err)
	row, err := pin.Float32s(0)
	require.NoError(u, err)
	refused()
	require.Equal(u, want.row(0), row)
	pin.Release()
	pin.Release() // releasing twice is safe, and leaves the other pin
	refused()
	other.Release()

	for range encoded.Embeddings.All() {
		refused()
	}
	for _, item := range encoded.States.All() {
		for range item.All() {
			refused()
			break
		}
	}
	require.Equal(u, want, u.read(encoded), "a refused call changes nothing")
	u.encode(at, "now it may")
}

func staleReads(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	item, err := encoded.States.Item(1)
	require.NoError(u, err)
	require.NoError(u, item.Err())
	u.encode(at, "three")
	unreadable(u, encoded, uform.ErrInvalidArgument)
	require.ErrorIs(u, item.Err(), uform.ErrInvalidArgument)
	// A call that failed may have rewound the arena too.
	encoded = u.encode(at, "four")
	_, err = at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"\xFF"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrMalformed)
	unreadable(u, encoded, uform.ErrInvalidArgument)
}

func hostReads(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	unreadable(u, encoded, uform.ErrDevice)
	full().encodesLike(u.T, []string{"one", "two"}, u.read(encoded))
}

func copiesPinNothing(u *user) {
	at := u.seat(full())
	encoded := u.encode(at, "one", "two")
	want := u.read(encoded)
	rows, err := encoded.Embeddings.Copy()
	require.NoError(u, err)
	row, err := encoded.Embeddings.AppendTo(nil, 1)
	require.NoError(u, err)
	states, err := encoded.States.Copy()
	require.NoError(u, err)
	u.encode(at, "six", "ten")
	require.Equal(u, [][]float32{want.row(0), want.row(1)}, rows)
	require.Equal(u, want.row(1), row)
	require.Equal(u, [][][]float32{want.item(0), want.item(1)}, states)
}

func lengthsAreRows(u *user) {
	at := u.seat(full())
	for _, texts := range [][]string{{}, {"one"}, {"one", "", "three"}} {
		encoded := u.encode(at, texts...)
		require.Equal(u, len(texts), encoded.Embeddings.Len())
		require.Equal(u, len(texts), encoded.States.Len())
		bytes := 0
		for i, text := range texts {
			bytes += len(text)
			if !u.onDevice {
				item, err := encoded.States.Item(i)
				require.NoError(u, err)
				require.Equal(u, len(text), item.Len())
			}
		}
		require.Equal(u, bytes, encoded.States.Rows().Len())
	}
}

func failuresHaveErrors(s *seam) {
	p := s.place(full())
	e := p.encoding("fine", "\xFF")
	s.refused(e, abi.StatusMalformed, 1)
	err := errors.Of("encode", &e.outcome)
	require.ErrorIs(s, err, errors.ErrMalformed)
	require.NotErrorIs(s, err, errors.ErrUnknown)
	require.ErrorContains(s, err, text(&e.outcome))
}

func errorsOfTheirOwn(u *user) {
	sentinels := []error{
		uform.ErrDeferred, uform.ErrUnknown, uform.ErrInvalidArgument, uform.ErrOutOfMemory, uform.ErrContended, uform.ErrDevice,
		uform.ErrUnsupported, uform.ErrMalformed, uform.ErrShapeMismatch, uform.ErrCancelled, uform.ErrIO, uform.ErrPeer,
		uform.ErrLibraryMissing, uform.ErrSymbolMissing, uform.Status(-77),
	}
	messages := map[string]bool{}
	for i, sentinel := range sentinels {
		messages[sentinel.Error()] = true
		failure := errors.New("verb", sentinel.(uform.Status), 3, nil)
		for j, other := range sentinels {
			require.Equal(u, i == j, stderrors.Is(sentinel, other))
			require.Equal(u, i == j, stderrors.Is(failure, other))
		}
	}
	require.Len(u, messages, len(sentinels))

	at := u.seat(full())
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"fine", "\xFF"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrMalformed)
	var failure *uform.Error
	require.ErrorAs(u, err, &failure)
	require.Equal(u, 1, failure.Item)
	require.NotEmpty(u, failure.Verb)
	require.NotNil(u, failure.Cause)
}
