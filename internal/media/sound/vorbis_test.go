package sound_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// lowWriter writes from the lowest bit of each byte up, pairs of a value and its width.
func lowWriter(fields ...int) (data []byte) {
	at := 0
	for i := 0; i < len(fields); i += 2 {
		for bit := range fields[i+1] {
			if at%8 == 0 {
				data = append(data, 0)
			}
			data[at/8] |= byte(fields[i]>>bit&1) << (at % 8)
			at++
		}
	}
	return data
}

// vorbisStream returns a stream of two pages, whose third packet is setup.
func vorbisStream(setup []byte) []byte {
	head := concat([]byte("\x01vorbis"), make([]byte, 4), []byte{1, 0x40, 0x1F, 0, 0}, make([]byte, 12), []byte{0x88, 1})
	packets := [][]byte{[]byte("\x03vorbis"), concat([]byte("\x05vorbis"), setup), {0, 0, 0, 0}}
	next := page{flags: 4, serial: 1, sequence: 1}
	for _, packet := range packets {
		next.body = append(next.body, packet...)
		for length := len(packet); ; length -= 255 {
			next.lacing = append(next.lacing, byte(min(length, 255)))
			if length < 255 {
				break
			}
		}
	}
	return join(page{flags: 2, serial: 1, lacing: []byte{byte(len(head))}, body: head}, next)
}

// Setups that Vorbis decoders hang on, or take all memory for.
func TestVorbisSetups(t *testing.T) {
	const sync = 0x564342
	// A codebook of two one-bit codewords, without values.
	book := []int{sync, 24, 1, 16, 2, 24, 0, 1, 0, 1, 0, 5, 0, 5, 0, 4}
	one := append([]int{0, 8}, book...)
	floor := []int{0, 6, 1, 16, 0, 5, 0, 2, 4, 4}
	residue := []int{0, 6, 2, 16, 0, 24, 0, 24, 0, 24, 0, 6, 0, 8, 0, 3, 0, 1}
	mapping := []int{0, 6, 0, 16, 0, 1, 0, 1, 0, 2, 0, 8, 0, 8, 0, 8}
	mode := []int{0, 6, 0, 1, 0, 16, 0, 16, 0, 8, 1, 1}
	setup := func(parts ...[]int) []byte {
		var fields []int
		for _, part := range parts {
			fields = append(fields, part...)
		}
		return lowWriter(fields...)
	}
	time := []int{0, 6, 0, 16}
	got, err := sound.Decode(vorbisStream(setup(one, time, floor, residue, mapping, mode)), nil)
	require.NoError(t, err, "the setup that the others are made from")
	require.Empty(t, got.Samples)

	filler := []int{}
	for range 40 {
		filler = append(filler, 0, 32)
	}
	books := func(fields ...int) []byte { return setup([]int{0, 8}, fields, filler) }
	cases := map[string]struct {
		setup []byte
		err   error
	}{
		"no entries":                    {books(sync, 24, 1, 16, 0, 24), errors.ErrMalformed},
		"one entry":                     {books(sync, 24, 1, 16, 1, 24), errors.ErrUnsupported},
		"all entries that there can be": {books(sync, 24, 65535, 16, 0xFFFFFF, 24), errors.ErrUnsupported},
		"no dimensions":                 {books(sync, 24, 0, 16, 2, 24), errors.ErrMalformed},
		"no signature":                  {books(sync+1, 24, 1, 16, 2, 24), errors.ErrMalformed},
		"too few codewords":             {books(sync, 24, 1, 16, 2, 24, 0, 1, 0, 1, 1, 5, 1, 5), errors.ErrMalformed},
		"too many codewords":            {books(sync, 24, 1, 16, 3, 24, 0, 1, 0, 1, 0, 5, 0, 5, 0, 5), errors.ErrMalformed},
		"no codewords at all":           {books(sync, 24, 1, 16, 2, 24, 0, 1, 1, 1, 0, 1, 0, 1), errors.ErrUnsupported},
		"ordered, and never full":       {books(sync, 24, 1, 16, 200, 24, 1, 1, 0, 5), errors.ErrMalformed},
		"ordered, and overfull":         {books(sync, 24, 1, 16, 4, 24, 1, 1, 0, 5, 7, 3), errors.ErrMalformed},
		"many values":                   {books(sync, 24, 65535, 16, 32, 24, 1, 1, 4, 5, 32, 6, 1, 4), errors.ErrUnsupported},
		"a root that is not sure":       {books(append([]int{sync, 24, 3, 16, 125, 24, 1, 1, 5, 5, 3, 7, 122, 7, 1, 4}, filler...)...), errors.ErrUnsupported},
		"a lookup of another kind":      {books(sync, 24, 1, 16, 2, 24, 0, 1, 0, 1, 0, 5, 0, 5, 3, 4), errors.ErrMalformed},
		"it ends in its codebooks":      {lowWriter(255, 8, sync, 24), errors.ErrMalformed},
		"a time":                        {setup(one, []int{0, 6, 1, 16}, filler), errors.ErrMalformed},
		"floor 0":                       {setup(one, time, []int{0, 6, 0, 16}, filler), errors.ErrUnsupported},
		"floor 2":                       {setup(one, time, []int{0, 6, 2, 16}, filler), errors.ErrMalformed},
		"a floor's book":                {setup(one, time, []int{0, 6, 1, 16, 1, 5, 0, 4, 0, 3, 1, 2, 7, 8}, filler), errors.ErrMalformed},
		"a floor's point twice":         {setup(one, time, []int{0, 6, 1, 16, 1, 5, 0, 4, 1, 3, 0, 2, 1, 8, 0, 2, 4, 4, 5, 4, 5, 4}, filler), errors.ErrMalformed},
		"residue 3":                     {setup(one, time, floor, []int{0, 6, 3, 16}, filler), errors.ErrMalformed},
		"a residue from end to begin":   {setup(one, time, floor, []int{0, 6, 2, 16, 9, 24, 8, 24}, filler), errors.ErrMalformed},
		"a residue's book":              {setup(one, time, floor, []int{0, 6, 2, 16, 0, 24, 8, 24, 0, 24, 0, 6, 1, 8}, filler), errors.ErrMalformed},
		"a residue's book of no values": {setup(one, time, floor, []int{0, 6, 2, 16, 0, 24, 8, 24, 0, 24, 0, 6, 0, 8, 1, 3, 0, 1, 0, 8}, filler), errors.ErrMalformed},
		"a mapping's floor":             {setup(one, time, floor, residue, []int{0, 6, 0, 16, 0, 1, 0, 1, 0, 2, 0, 8, 1, 8}, filler), errors.ErrMalformed},
		"a mapping's pair":              {setup(one, time, floor, residue, []int{0, 6, 0, 16, 0, 1, 1, 1, 0, 8, 0, 2}, filler), errors.ErrMalformed},
		"a mode's mapping":              {setup(one, time, floor, residue, mapping, []int{0, 6, 0, 1, 0, 16, 0, 16, 1, 8, 1, 1}), errors.ErrMalformed},
		"no last bit":                   {setup(one, time, floor, residue, mapping, mode[:len(mode)-2], []int{0, 1}), errors.ErrMalformed},
		"nothing":                       {nil, errors.ErrMalformed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := sound.Decode(vorbisStream(c.setup), nil)
			require.ErrorIs(t, err, c.err)
			require.NotContains(t, err.Error(), "panicked")
		})
	}
}
