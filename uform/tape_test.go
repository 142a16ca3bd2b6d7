package uform_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

func TestTapes(t *testing.T) {
	same := func(tape uform.Tape) {
		t.Helper()
		require.Equal(t, "abc", string(tape.Data))
		require.Equal(t, []int64{0, 1, 1, 3}, tape.Offsets)
		require.Equal(t, 3, tape.Len())
	}
	same(uform.Strings([]string{"a", "", "bc"}))
	same(uform.Bytes([][]byte{[]byte("a"), nil, []byte("bc")}))
	same(uform.Narrow([]byte("abc"), []int32{0, 1, 1, 3}))
	require.Zero(t, uform.Tape{}.Len())
	require.Zero(t, uform.Strings(nil).Len())

	var grown uform.Tape
	grown.AppendString("a")
	grown.Append(nil)
	grown.AppendString("bc")
	same(grown)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		grown.Reset()
		grown.AppendString("a")
		grown.Append(nil)
		grown.AppendString("bc")
	}))
	same(grown)
}

// Appending to a tape over a caller's memory leaves that memory alone, and begins where the last
// item ends.
func TestAppendingToACallersMemory(t *testing.T) {
	buffer := []byte("hello world")
	tapes := map[string]uform.Tape{
		"sliced":      {Data: buffer, Offsets: []int64{2, 5}},
		"with room":   {Data: buffer[:5], Offsets: []int64{2, 5}},
		"of narrow":   uform.Narrow(buffer, []int32{2, 5}),
		"and of copy": uform.Strings([]string{"llo"}),
	}
	for name, tape := range tapes {
		t.Run(name, func(t *testing.T) {
			tape.AppendString("Z")
			require.Equal(t, "lloZ", string(tape.Data))
			require.Equal(t, []int64{0, 3, 4}, tape.Offsets)
			tape.Reset()
			tape.Append([]byte("four"))
			require.Equal(t, "four", string(tape.Data))
			require.Equal(t, "hello world", string(buffer))
		})
	}
	over := uform.Narrow(buffer, []int32{0, 5})
	over.Reset()
	over.AppendString("YY")
	require.Equal(t, "hello world", string(buffer))
	wrong := uform.Tape{Data: buffer, Offsets: []int64{0, 99}}
	wrong.AppendString("Z")
	require.Equal(t, "hello world", string(buffer))
}

func TestTapesThatAreWrong(t *testing.T) {
	f := newFixture(t, nil)
	data := []byte("abcdef")
	cases := map[string]struct {
		tape uform.Tape
		item int
		says string
	}{
		"decreasing":    {uform.Tape{Data: data, Offsets: []int64{0, 3, 2, 6}}, 1, "decrease from 3 to 2"},
		"overrun":       {uform.Tape{Data: data, Offsets: []int64{0, 3, 7}}, 1, "offset 7 lies past the 6 elements"},
		"negative":      {uform.Tape{Data: data, Offsets: []int64{-1, 3}}, 0, "the first offset is -1"},
		"begins past":   {uform.Tape{Data: data, Offsets: []int64{9, 9}}, 0, "offset 9 lies past"},
		"no data":       {uform.Tape{Offsets: []int64{0, 1}}, 0, "past the 0 elements"},
		"huge":          {uform.Tape{Data: data, Offsets: []int64{0, 1 << 62}}, 0, "past the 6 elements"},
		"later decline": {uform.Tape{Data: data, Offsets: []int64{4, 5, 6, 0}}, 2, "decrease from 6 to 0"},
	}
	before := vectors(t, f.model, "after")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := f.model.On(f.executor).TextEncode(background, c.tape, f.arena, nil)
			require.ErrorIs(t, err, uform.ErrInvalidArgument)
			var failure *uform.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.item, failure.Item)
			require.ErrorContains(t, err, c.says)
			_, err = f.model.Deferred(f.executor).TextEncode(background, c.tape, f.arena, nil)
			require.ErrorIs(t, err, uform.ErrInvalidArgument)
		})
	}
	require.Equal(t, before, vectors(t, f.model, "after"), "bad input leaves every handle usable")
}

// Appending to an invalid tape leaves it invalid, with the same error. After Reset it is valid
// again.
func TestAppendingToAWrongTape(t *testing.T) {
	data := []byte("abc")
	for name, tape := range map[string]uform.Tape{
		"ends past the data":      {Data: data, Offsets: []int64{0, 4}},
		"begins past the data":    {Data: data, Offsets: []int64{4, 4}},
		"begins past, no items":   {Data: data, Offsets: []int64{4}},
		"begins before":           {Data: data, Offsets: []int64{-1, 2}},
		"ends before":             {Data: data, Offsets: []int64{0, -1}},
		"decreases":               {Data: data, Offsets: []int64{0, 3, 1}},
		"decreases within":        {Data: data, Offsets: []int64{0, 3, 1, 3}},
		"has no data":             {Offsets: []int64{0, 1}},
		"narrow, past the data":   uform.Narrow(data, []int32{0, 2, 5}),
		"narrow, begins before":   uform.Narrow(data, []int32{-2, 1}),
		"narrow, decreases":       uform.Narrow(data, []int32{0, 2, 1}),
		"narrow, room behind it":  uform.Narrow(append(make([]byte, 0, 99), "abc"...), []int32{0, 5}),
		"far past, within an int": {Data: data, Offsets: []int64{0, 1 << 62}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			_, before := f.model.TextEncode(background, tape, f.arena, nil)
			require.ErrorIs(t, before, uform.ErrInvalidArgument)
			tape.AppendString("xyz")
			tape.Append([]byte("x"))
			_, after := f.model.TextEncode(background, tape, f.arena, nil)
			require.Equal(t, before, after)
			tape.Reset()
			tape.AppendString("x")
			require.Equal(t, "x", string(tape.Data))
			require.Equal(t, []int64{0, 1}, tape.Offsets)
		})
	}
	var own uform.Tape
	own.AppendString("abc")
	own.Offsets[1] = 9
	own.AppendString("xyz")
	require.Equal(t, []int64{0, 9}, own.Offsets)
}

// Two tapes that are appended to from one have their own items.
func TestCopiesOfATape(t *testing.T) {
	items := func(tape uform.Tape) (items []string) {
		for i := range tape.Len() {
			items = append(items, string(tape.Data[tape.Offsets[i]:tape.Offsets[i+1]]))
		}
		return items
	}
	var grown uform.Tape
	// Appending leaves capacity after the last item.
	for _, item := range []string{"a", "bbbb", "c", "dd", "e"} {
		grown.AppendString(item)
	}
	grown.Reset()
	grown.AppendString("a")
	for name, x := range map[string]*uform.Tape{"grown": &grown, "made": {}} {
		t.Run(name, func(t *testing.T) {
			if name == "made" {
				*x = uform.Strings([]string{"a"})
			}
			x.AppendString("b")
			y := *x
			z := y
			x.AppendString("1")
			y.AppendString("2")
			z.AppendString("3")
			x.AppendString("4")
			require.Equal(t, []string{"a", "b", "1", "4"}, items(*x))
			require.Equal(t, []string{"a", "b", "2"}, items(y))
			require.Equal(t, []string{"a", "b", "3"}, items(z))
			*x = y // and back
			x.AppendString("5")
			y.AppendString("6")
			require.Equal(t, []string{"a", "b", "2", "5"}, items(*x))
			require.Equal(t, []string{"a", "b", "2", "6"}, items(y))
		})
	}
}

// Any offsets are either refused or encoded; no batch reads past its data.
func FuzzTape(f *testing.F) {
	f.Add([]byte("abc"), int64(0), int64(1), int64(3))
	f.Add([]byte("abc"), int64(2), int64(2), int64(2))
	f.Add([]byte("\xff\xfe"), int64(0), int64(1), int64(2))
	f.Add([]byte(""), int64(-1), int64(1), int64(0))
	f.Add([]byte("abc"), int64(1)<<62, int64(1)<<62, int64(1)<<62)
	fix := newFixture(f, heldOptions)
	f.Fuzz(func(t *testing.T, data []byte, a, b, c int64) {
		if len(data) > 256 {
			return
		}
		tape := uform.Tape{Data: data, Offsets: []int64{a, b, c}}
		encoded, err := fix.model.On(fix.executor).TextEncode(background, tape, fix.arena, &uform.TextOptions{Outputs: uform.Embeddings | uform.States})
		if err != nil {
			_, known := err.(*uform.Error)
			require.True(t, known)
			return
		}
		require.Equal(t, 2, encoded.Embeddings.Len())
		require.Equal(t, int(c-a), encoded.States.Rows().Len())
		require.NoError(t, encoded.Embeddings.Err())
	})
}

// A field that is assigned to a tape with memory of its own is a caller's, and is not written to.
func TestAppendLeavesAssignedMemory(t *testing.T) {
	var tape uform.Tape
	tape.AppendString("a")
	buffer := []byte("abcdef")
	tape.Data, tape.Offsets = buffer[:3], []int64{0, 3}
	tape.AppendString("xyz")
	require.Equal(t, "abcdef", string(buffer))
	require.Equal(t, "abcxyz", string(tape.Data))
	require.Equal(t, []int64{0, 3, 6}, tape.Offsets)
	tape.Data = buffer[:6]
	tape.Reset()
	tape.AppendString("!")
	require.Equal(t, "abcdef", string(buffer))
	require.Equal(t, 1, tape.Len())
}
