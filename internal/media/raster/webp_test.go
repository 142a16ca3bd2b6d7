package raster_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// chunk returns a chunk of a WebP. Its size is that of its body, and a pad follows where that is
// odd.
func chunk(name string, bodies ...[]byte) []byte {
	body := slices.Concat(bodies...)
	written := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	return append(written, make([]byte, len(body)%2)...)
}

func webpOf(chunks ...[]byte) []byte {
	return chunk("RIFF", append([][]byte{[]byte("WEBP")}, chunks...)...)
}

func uint24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

func canvas(flags byte, width, height int) []byte {
	return chunk("VP8X", []byte{flags, 0, 0, 0}, uint24(width-1), uint24(height-1))
}

func frame(x, y, width, height int, chunks ...[]byte) []byte {
	head := slices.Concat(uint24(x/2), uint24(y/2), uint24(width-1), uint24(height-1), make([]byte, 4))
	return chunk("ANMF", append([][]byte{head}, chunks...)...)
}

// bodies returns what the chunks of a file hold, by name.
func bodies(file []byte) map[string][]byte {
	found := map[string][]byte{}
	for at := 12; at+8 <= len(file); {
		name, size := string(file[at:at+4]), int(binary.LittleEndian.Uint32(file[at+4:]))
		body := file[at+8 : at+8+size]
		found[name] = body
		at += 8 + size + size%2
	}
	return found
}

func TestWebPContainers(t *testing.T) {
	lossy := sample(t, "lossy.webp")
	parts := bodies(sample(t, "lossy-alpha.webp"))
	picture, alpha := chunk("VP8 ", parts["VP8 "]), chunk("ALPH", parts["ALPH"])
	opaque := chunk("VP8 ", bodies(lossy)["VP8 "])
	lossless := chunk("VP8L", bodies(sample(t, "lossless-alpha.webp"))["VP8L"])
	other := chunk("VP8L", bodies(sample(t, "lossless.webp"))["VP8L"])
	odd := chunk("ODD ", []byte{1, 2, 3})
	const transparent, animated = 0x10, 0x02
	for name, c := range map[string]struct {
		file []byte
		same string
	}{
		"chunks of others":                {webpOf(odd, opaque, odd), "lossy.webp"},
		"extended without need":           {webpOf(canvas(0, 61, 41), odd, opaque), "lossy.webp"},
		"transparent without alpha":       {webpOf(canvas(transparent, 61, 41), opaque), "lossy.webp"},
		"alpha without the flag":          {webpOf(canvas(0, 61, 41), alpha, picture), "lossy-alpha.webp"},
		"alpha behind another":            {webpOf(canvas(transparent, 61, 41), odd, alpha, odd, picture), "lossy-alpha.webp"},
		"lossless with a plane of alpha":  {webpOf(canvas(transparent, 61, 41), alpha, lossless), "lossless-alpha.webp"},
		"alpha of a simple file":          {webpOf(chunk("ALPH", parts["ALPH"]), opaque), "lossy.webp"},
		"the first of two":                {webpOf(canvas(0, 61, 41), opaque, other), "lossy.webp"},
		"one frame":                       {webpOf(canvas(animated, 61, 41), chunk("ANIM", make([]byte, 6)), frame(0, 0, 61, 41, opaque)), "lossy.webp"},
		"a frame with chunks of others":   {webpOf(canvas(animated, 61, 41), odd, frame(0, 0, 61, 41, odd, alpha, odd, picture, odd)), "lossy-alpha.webp"},
		"a picture outside of any frame":  {webpOf(canvas(animated, 61, 41), other, frame(0, 0, 61, 41, opaque)), "lossy.webp"},
		"frames in a file that has none":  {webpOf(canvas(0, 61, 41), frame(0, 0, 61, 41, other), opaque), "lossy.webp"},
		"a last chunk without its pad":    {slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+len(opaque)+11)), []byte("WEBP"), opaque, odd[:11]), "lossy.webp"},
		"a few bytes behind the last one": {slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+len(opaque)+5)), []byte("WEBP"), opaque, odd[:5]), "lossy.webp"},
	} {
		t.Run(name, func(t *testing.T) {
			im, err := raster.Decode(c.file, nil, background)
			require.NoError(t, err)
			require.Equal(t, decode(t, c.same), im)
		})
	}
}

// Bug 8: the rest of the canvas is what was there before the first frame, which is nothing.
func TestWebPPlace(t *testing.T) {
	opaque := chunk("VP8 ", bodies(sample(t, "lossy.webp"))["VP8 "])
	im, err := raster.Decode(webpOf(canvas(2, 100, 50), frame(38, 8, 61, 41, opaque)), nil, background)
	require.NoError(t, err)
	require.Equal(t, [2]int{100, 50}, [2]int{im.Width, im.Height})
	picture := decode(t, "lossy.webp")
	for y := range im.Height {
		for x := range im.Width {
			got, want := im.RGB[(y*100+x)*3:][:3], background[:]
			if x >= 38 && x < 99 && y >= 8 && y < 49 {
				want = picture.RGB[((y-8)*61+x-38)*3:][:3]
			}
			require.Equal(t, want, got, "pixel %d, %d", x, y)
		}
	}
}

func TestWebPRefused(t *testing.T) {
	opaque := chunk("VP8 ", bodies(sample(t, "lossy.webp"))["VP8 "])
	lossless := chunk("VP8L", bodies(sample(t, "lossless.webp"))["VP8L"])
	alpha := bodies(sample(t, "lossy-alpha.webp"))["ALPH"]
	const animated = 2
	inter := bytes.Clone(opaque)
	inter[8] |= 1
	for name, c := range map[string]struct {
		file  []byte
		cause string
	}{
		"nothing":                    {webpOf(), "it holds no picture"},
		"a size of nothing":          {[]byte("RIFF\x00\x00\x00\x00WEBP"), "it holds no picture"},
		"metadata alone":             {webpOf(canvas(0, 61, 41), chunk("EXIF", []byte("II"))), "it holds no picture"},
		"no frame":                   {webpOf(canvas(animated, 61, 41), opaque), "it holds no picture"},
		"an empty frame":             {webpOf(canvas(animated, 61, 41), frame(0, 0, 61, 41)), "its first frame holds no picture"},
		"a short frame header":       {webpOf(canvas(animated, 61, 41), chunk("ANMF", make([]byte, 15))), "a frame header of 15 bytes"},
		"a short canvas header":      {webpOf(chunk("VP8X", make([]byte, 9)), opaque), "a canvas header of 9 bytes"},
		"a frame outside":            {webpOf(canvas(animated, 61, 41), frame(2, 0, 61, 41, opaque)), "outside of its canvas"},
		"a frame of another size":    {webpOf(canvas(animated, 61, 41), frame(0, 0, 60, 41, opaque)), "61×41 pixels in a frame of 60×41"},
		"a canvas of another size":   {webpOf(canvas(0, 61, 42), opaque), "61×41 pixels in a frame of 61×42"},
		"another size, lossless":     {webpOf(canvas(0, 62, 41), lossless), "61×41 pixels in a frame of 62×41"},
		"a frame cut":                {webpOf(canvas(animated, 61, 41), frame(0, 0, 61, 41, opaque[:100])), "ends early"},
		"a chunk cut":                {webpOf(opaque[:100]), "ends early"},
		"half a picture":             {webpOf(chunk("VP8 ", opaque[8:408])), "ends early"},
		"half a lossless picture":    {webpOf(chunk("VP8L", lossless[8:2000])), "ends early"},
		"half a plane of alpha":      {webpOf(canvas(0, 61, 41), chunk("ALPH", alpha[:9]), opaque), "ends early"},
		"a header alone":             {webpOf(chunk("VP8 ", opaque[8:18])), "ends early"},
		"half a header":              {webpOf(chunk("VP8 ", opaque[8:13])), "ends early"},
		"an unknown packing":         {webpOf(canvas(0, 61, 41), chunk("ALPH", []byte{2, 0, 0}), opaque), "does not decode"},
		"a frame of a film":          {webpOf(inter), "one side is zero"},
		"no signature":               {webpOf(chunk("VP8L", []byte{0x2E}, lossless[9:])), "does not decode"},
		"a chunk beyond all numbers": {webpOf(opaque, []byte("EXIF\xFF\xFF\xFF\xFF")), "ends early"},
	} {
		t.Run(name, func(t *testing.T) {
			im, err := raster.Decode(c.file, nil, background)
			require.ErrorIs(t, err, errors.ErrMalformed)
			require.ErrorContains(t, err, c.cause)
			require.Nil(t, im)
		})
	}
}

// solid returns a lossless WebP of one colour, which needs no byte for its pixels, however many
// they are.
func solid(width, height int) []byte {
	bits := binary.LittleEndian.AppendUint32([]byte{0x2F}, uint32(width-1|(height-1)<<14))
	codes := uint32(0) // no transform, no cache, one group, and five codes of one symbol each
	for i, symbol := range []uint32{0, 1, 1, 1, 0} {
		codes |= (1 | symbol<<3) << (3 + 4*i)
	}
	return webpOf(chunk("VP8L", binary.LittleEndian.AppendUint32(bits, codes)))
}

// Bug: a file of 28 bytes that says 8192×8192 kept the decoder for three seconds, and took half a
// GiB.
func TestWebPOfSolidColour(t *testing.T) {
	im, err := raster.Decode(solid(100, 50), nil, background)
	require.NoError(t, err)
	require.Equal(t, []int{100, 50}, []int{im.Width, im.Height})
	for _, sides := range [][2]int{{8192, 8192}, {4097, 2048}} {
		_, err = raster.Decode(solid(sides[0], sides[1]), nil, background)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, "solid colour")
	}
	_, err = raster.Decode(solid(16384, 8192), nil, background)
	require.ErrorContains(t, err, "the limit is")
}
