package sound_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// infoFrame is the length of the information frame that begins cbr.mp3, by its header:
// 144·128000/44100, unpadded.
const infoFrame = 417

// Bug 11: neither the information frame nor what the encoder added is sound.
func TestMP3IsAsLongAsItsSource(t *testing.T) {
	source := decoded(t, file(t, "mono48.mp3")) // of half a second at 48 kHz
	require.Len(t, source.Samples, 24000)
	data := file(t, "cbr.mp3")
	want := decoded(t, data)
	require.Len(t, want.Samples, 15435, "0.35 seconds at 44.1 kHz")

	// Without the information frame everything comes out, late by the delays of the encoder and the
	// decoder.
	require.Equal(t, "Info", string(data[4+32:][:4]))
	delay := int(data[4+32+120+21])<<4 | int(data[4+32+120+22])>>4
	padding := int(data[4+32+120+22]&15)<<8 | int(data[4+32+120+23])
	all := decoded(t, data[infoFrame:]).Samples
	require.Len(t, all, len(want.Samples)+delay+padding)
	require.Equal(t, want.Samples, all[delay+529:][:len(want.Samples)])

	// The golden is aligned to the source to the sample, since FFmpeg trims it too; so is another
	// encoder's file.
	other := decoded(t, file(t, "lavc.mp3"))
	require.Len(t, other.Samples, len(want.Samples))
	require.Greater(t, signalToNoise(want.Samples, other.Samples), 15.0)
	require.Less(t, signalToNoise(want.Samples[1:], other.Samples), 15.0)
}

func TestMP3Tags(t *testing.T) {
	data := file(t, "cbr.mp3")
	want := decoded(t, data)
	ape := func(flags uint32, withHeader bool) []byte {
		items := bytes.Repeat([]byte("\xFF\xFB\x90\x64"), 20)
		end := func(flags uint32) []byte {
			out := append([]byte("APETAGEX"), 0xD0, 7, 0, 0)
			out = binary.LittleEndian.AppendUint32(out, uint32(len(items)+32))
			out = binary.LittleEndian.AppendUint32(out, 1)
			return append(binary.LittleEndian.AppendUint32(out, flags), make([]byte, 8)...)
		}
		if withHeader {
			return concat(end(flags|1<<29), items, end(flags))
		}
		return concat(items, end(flags))
	}
	id3v1 := append([]byte("TAGtitle"), make([]byte, 120)...)
	lyrics := []byte("LYRICSBEGIN" + "IND00" + "000016" + "LYRICS200")
	for name, tagged := range map[string][]byte{
		"ID3v1 behind":                     concat(data, id3v1),
		"APE behind":                       concat(data, ape(0, false)),
		"APE with a header behind":         concat(data, ape(1<<31, true)),
		"APE, lyrics and ID3v1 behind":     concat(data, ape(1<<31, true), lyrics, id3v1),
		"ID3v2 and zeroes in front":        concat(id3(40), make([]byte, 500), data),
		"ID3v2 and APE in front":           concat(id3(40), ape(1<<31, true), data),
		"zeroes behind":                    concat(data, make([]byte, 700)),
		"ID3v2 behind":                     concat(data, id3(60)),
		"ID3v2 with a footer in front":     concat([]byte("ID3\x04\x00\x10\x00\x00\x00\x04abcd3DI\x04\x00\x10\x00\x00\x00\x04"), data),
		"a tag that is larger than it can": concat(data, []byte("APETAGEX\xD0\x07\x00\x00\xFF\xFF\xFF\x7F"), make([]byte, 4), []byte{0, 0, 0, 0x80}, make([]byte, 8)),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sound.Decode(tagged, nil)
			if name == "a tag that is larger than it can" {
				require.ErrorIs(t, err, errors.ErrMalformed)
				return
			}
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestMP3Streams(t *testing.T) {
	data, other, plain := file(t, "cbr.mp3"), file(t, "vbr.mp3"), file(t, "cbr.mp3")[infoFrame:]
	want, wantOther := decoded(t, data).Samples, decoded(t, other).Samples
	info := func(change func(frame []byte)) []byte {
		changed := append([]byte{}, data...)
		change(changed[:infoFrame])
		return changed
	}
	const flags, frames, size = 4 + 32 + 4, 4 + 32 + 8, 4 + 32 + 12
	count := binary.BigEndian.Uint32(data[frames:])
	vbri := append([]byte{}, data[:infoFrame]...)
	clear(vbri[4:])
	copy(vbri[36:], "VBRI\x00\x01\x00\x00\x00\x00")
	binary.BigEndian.PutUint32(vbri[46:], uint32(len(data)))
	binary.BigEndian.PutUint32(vbri[50:], count)
	total := int(count) * 1152
	cases := map[string]struct {
		file []byte
		want int // samples, −1 for malformed, −2 for unsupported
	}{
		"joined":                            {concat(data, other), len(want) + len(wantOther)},
		"joined with a tag between":         {concat(data, id3(30), other), len(want) + len(wantOther)},
		"a plain stream behind":             {concat(data, plain), len(want) + total},
		"fewer frames than it says":         {info(func(f []byte) { f[frames+3]++; f[size+2]++ }), -1},
		"fewer frames, but all bytes":       {info(func(f []byte) { f[frames+3]++ }), len(want)},
		"no count":                          {info(func(f []byte) { f[flags+3] = 0; copy(f[flags+4:], f[4+32+120:4+32+120+24]) }), len(want)},
		"an encoder that does not trim":     {info(func(f []byte) { copy(f[4+32+120:], "GOGO") }), total},
		"Fraunhofer's information":          {concat(vbri, plain), total},
		"Fraunhofer's, with more than that": {concat(vbri, plain[:len(plain)-infoFrame*2]), -1},
		"only an information frame":         {data[:infoFrame], -1},
		"a frame of another rate":           {concat(plain, file(t, "mono48.mp3")[192*2:]), -2},
		"junk between frames":               {concat(plain, []byte("junk"), plain), -1},
		"junk behind":                       {concat(plain, []byte("junk that is no tag")), -1},
		"only a tag":                        {id3(5), -1},
		"frames of free format, only one":   {file(t, "free.mp3")[:327], -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := sound.Decode(c.file, nil)
			switch c.want {
			case -1:
				require.ErrorIs(t, err, errors.ErrMalformed)
			case -2:
				require.ErrorIs(t, err, errors.ErrUnsupported)
			default:
				require.NoError(t, err)
				require.Len(t, got.Samples, c.want)
			}
		})
	}
	joined := decoded(t, concat(data, other)).Samples
	require.Equal(t, want, joined[:len(want)])
	require.Equal(t, wantOther, joined[len(want):])
}

// A stream that was cut in front begins with frames whose data is gone. They are silent, and all
// others as before.
func TestMP3WithoutItsReservoir(t *testing.T) {
	data := file(t, "cbr.mp3")[infoFrame:]
	want := decoded(t, data).Samples
	lengths := []int{}
	for rest := data; len(rest) > 0; {
		length := 417 + int(rest[2]>>1&1)
		lengths = append(lengths, length)
		rest = rest[length:]
	}
	const cut = 5
	at := 0
	for _, length := range lengths[:cut] {
		at += length
	}
	require.NotZero(t, data[at+4], "the frame needs the ones before")
	got := decoded(t, data[at:]).Samples
	require.Len(t, got, len(want)-cut*1152)
	for _, v := range got[:400] {
		require.Zero(t, v)
	}
	// Two frames later nothing of the gap is left.
	require.Greater(t, signalToNoise(want[(cut+3)*1152:], got[3*1152:]), 120.0)
}
