package sound_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// chunk is a RIFF chunk that says it has size bytes, with the padding that body needs.
func chunk(name string, size int, body []byte) []byte {
	out := append([]byte(name), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[4:], uint32(size))
	out = append(out, body...)
	if len(body)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

func whole(name string, body []byte) []byte { return chunk(name, len(body), body) }

// riff is a WAV file of chunks.
func riff(chunks ...[]byte) []byte {
	return whole("RIFF", append([]byte("WAVE"), concat(chunks...)...))
}

// format is a fmt chunk.
func format(code, channels, rate, frame, bits int) []byte {
	body := binary.LittleEndian.AppendUint16(nil, uint16(code))
	body = binary.LittleEndian.AppendUint16(body, uint16(channels))
	body = binary.LittleEndian.AppendUint32(body, uint32(rate))
	body = binary.LittleEndian.AppendUint32(body, uint32(rate*frame))
	body = binary.LittleEndian.AppendUint16(body, uint16(frame))
	body = binary.LittleEndian.AppendUint16(body, uint16(bits))
	return whole("fmt ", body)
}

var mono16 = format(1, 1, 8000, 2, 16)

func TestWAVChunks(t *testing.T) {
	sound16 := []byte{0, 0x40, 0, 0xC0, 0, 0x20} // 0.5, −0.5, 0.25
	data := whole("data", sound16)
	odd := whole("note", []byte("abc"))
	trailing := whole("LIST", []byte("INFO"))
	ds64 := func(size, dataSize uint64) []byte {
		body := binary.LittleEndian.AppendUint64(nil, size)
		body = binary.LittleEndian.AppendUint64(body, dataSize)
		return whole("ds64", append(body, make([]byte, 12)...))
	}
	rf64 := func(parts ...[]byte) []byte { return chunk("RF64", -1, append([]byte("WAVE"), concat(parts...)...)) }
	sized := func(size int, file []byte) []byte {
		file = append([]byte{}, file...)
		binary.LittleEndian.PutUint32(file[4:], uint32(size))
		return file
	}
	plain := riff(mono16, data)
	cases := map[string]struct {
		file []byte
		want []float32 // nil where it ends early
	}{
		"plain":                      {plain, []float32{0.5, -0.5, 0.25}},
		"odd chunks between":         {riff(odd, mono16, odd, data, odd, trailing), []float32{0.5, -0.5, 0.25}},
		"no sound":                   {riff(mono16, whole("data", nil)), []float32{}},
		"no sound, then a chunk":     {riff(mono16, whole("data", nil), trailing), []float32{}},
		"never finished":             {sized(0, riff(mono16, chunk("data", 0, sound16))), []float32{0.5, -0.5, 0.25}},
		"sizes of an empty file":     {sized(36, riff(mono16, chunk("data", 0, sound16))), []float32{0.5, -0.5, 0.25}},
		"streamed by FFmpeg":         {sized(-1, riff(mono16, chunk("data", -1, sound16))), []float32{0.5, -0.5, 0.25}},
		"streamed by sox":            {sized(0x7FFFF024, riff(mono16, chunk("data", 0x7FFFF000, sound16))), []float32{0.5, -0.5, 0.25}},
		"junk behind the end":        {concat(plain, []byte("TAG and so on")), []float32{0.5, -0.5, 0.25}},
		"RF64":                       {rf64(ds64(74, 6), mono16, chunk("data", -1, sound16)), []float32{0.5, -0.5, 0.25}},
		"RF64 with a chunk behind":   {rf64(ds64(86, 6), mono16, chunk("data", -1, sound16), trailing), []float32{0.5, -0.5, 0.25}},
		"RF64 never finished":        {rf64(ds64(0, 0), mono16, chunk("data", -1, sound16)), []float32{0.5, -0.5, 0.25}},
		"RF64 sized in its chunk":    {rf64(ds64(74, 6), mono16, data), []float32{0.5, -0.5, 0.25}},
		"cut sound":                  {riff(mono16, chunk("data", 8, sound16)), nil},
		"cut RF64":                   {rf64(ds64(76, 8), mono16, chunk("data", -1, sound16)), nil},
		"cut in a sample":            {riff(mono16, whole("data", sound16[:5])), nil},
		"cut in a streamed sample":   {sized(-1, riff(mono16, chunk("data", -1, sound16)))[:49], nil},
		"cut behind the sound":       {sized(60, plain), nil},
		"cut in a chunk behind":      {riff(mono16, data, chunk("LIST", 900, []byte("INFO"))), nil},
		"cut in a header behind":     {sized(46, concat(plain, []byte("LIS"))), nil},
		"RF64 longer than any file":  {rf64(ds64(math.MaxInt64, 6), mono16, chunk("data", -1, sound16)), nil},
		"RF64 sound longer than any": {rf64(ds64(74, math.MaxInt64), mono16, chunk("data", -1, sound16)), nil},
		"only a header":              {riff(), nil},
		"no data":                    {riff(mono16, trailing), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.want == nil {
				_, err := sound.Decode(c.file, nil)
				require.ErrorIs(t, err, errors.ErrMalformed)
				require.ErrorContains(t, err, "ends early")
				return
			}
			got := decoded(t, c.file)
			require.Equal(t, 8000, got.Rate)
			require.Equal(t, c.want, append([]float32{}, got.Samples...))
		})
	}
}

func TestWAVFormats(t *testing.T) {
	extensible := func(code int, tail string) []byte {
		body := format(0xFFFE, 1, 8000, 2, 16)[8:]
		body = append(body, 22, 0, 16, 0, 4, 0, 0, 0, byte(code), byte(code>>8))
		return whole("fmt ", append(body, tail...))
	}
	const pcm = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"
	data := whole("data", make([]byte, 96))
	cases := map[string]struct {
		format []byte
		err    error
	}{
		"extensible":                 {extensible(1, pcm), nil},
		"twelve bits in two bytes":   {format(1, 1, 8000, 2, 12), nil},
		"three channels":             {format(1, 3, 8000, 6, 16), nil},
		"the highest rate":           {format(1, 1, sound.MaximumRate, 2, 16), nil},
		"an identifier of its own":   {extensible(1, pcm[:13]+"x"), errors.ErrUnsupported},
		"extensible ADPCM":           {extensible(2, pcm), errors.ErrUnsupported},
		"extensible without its end": {format(0xFFFE, 1, 8000, 2, 16), errors.ErrMalformed},
		"ADPCM":                      {format(2, 1, 8000, 256, 4), errors.ErrUnsupported},
		"MP3 in WAV":                 {format(0x55, 2, 44100, 2, 0), errors.ErrUnsupported},
		"floats of two bytes":        {format(3, 1, 8000, 2, 16), errors.ErrUnsupported},
		"integers of eight bytes":    {format(1, 1, 8000, 8, 64), errors.ErrUnsupported},
		"no channels":                {format(1, 0, 8000, 2, 16), errors.ErrMalformed},
		"no bytes":                   {format(1, 1, 8000, 0, 16), errors.ErrMalformed},
		"a frame of one and a half":  {format(1, 2, 8000, 3, 16), errors.ErrMalformed},
		"no rate":                    {format(1, 1, 0, 2, 16), errors.ErrMalformed},
		"too high a rate":            {format(1, 1, sound.MaximumRate+1, 2, 16), errors.ErrUnsupported},
		"short":                      {whole("fmt ", make([]byte, 14)), errors.ErrMalformed},
		"none":                       {nil, errors.ErrMalformed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := sound.Decode(riff(c.format, data), nil)
			if c.err == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, c.err)
		})
	}
}

func TestWAVSamples(t *testing.T) {
	floats := func(values ...float32) (out []byte) {
		for _, v := range values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		return out
	}
	cases := map[string]struct {
		format, sound []byte
		want          []float32
	}{
		"8 bits":  {format(1, 1, 8000, 1, 8), []byte{0, 128, 255, 64}, []float32{-1, 0, 127.0 / 128, -0.5}},
		"16 bits": {mono16, []byte{0, 0x80, 0xFF, 0x7F}, []float32{-1, 32767.0 / 32768}},
		"24 bits": {format(1, 1, 8000, 3, 24), []byte{0, 0, 0x80, 0, 0, 0x40, 1, 0, 0, 0xFF, 0xFF, 0xFF}, []float32{-1, 0.5, 1.0 / (1 << 23), -1.0 / (1 << 23)}},
		"32 bits": {format(1, 1, 8000, 4, 32), []byte{0, 0, 0, 0x80, 0, 0, 0, 0x20}, []float32{-1, 0.25}},
		"floats":  {format(3, 1, 8000, 4, 32), floats(1.5, -0.25), []float32{1.5, -0.25}},
		// The endpoints and the smallest steps of G.711, as 16 bits.
		"A-law":           {format(6, 1, 8000, 1, 8), []byte{0xD5, 0x55, 0xAA, 0x2A, 0xD4}, []float32{8.0 / 32768, -8.0 / 32768, 32256.0 / 32768, -32256.0 / 32768, 24.0 / 32768}},
		"mu-law":          {format(7, 1, 8000, 1, 8), []byte{0xFF, 0x7F, 0x80, 0x00, 0xFE}, []float32{0, 0, 32124.0 / 32768, -32124.0 / 32768, 8.0 / 32768}},
		"two channels":    {format(1, 2, 8000, 4, 16), []byte{0, 0x40, 0, 0x20, 0, 0x80, 0, 0x80}, []float32{0.375, -1}},
		"four channels":   {format(1, 4, 8000, 4, 8), []byte{128, 192, 64, 160}, []float32{0.0625}},
		"loud, two times": {format(3, 2, 8000, 8, 32), floats(1<<32, 1<<32), []float32{1 << 32}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, decoded(t, riff(c.format, whole("data", c.sound))).Samples)
		})
	}
	_, tooLoud := sound.Decode(riff(format(3, 1, 8000, 4, 32), whole("data", floats(math.MaxFloat32))), nil)
	require.ErrorIs(t, tooLoud, errors.ErrMalformed, "its power would be no number")
	for name, bad := range map[string]float32{"NaN": float32(math.NaN()), "infinite": float32(math.Inf(1))} {
		_, err := sound.Decode(riff(format(3, 1, 8000, 4, 32), whole("data", floats(0, bad))), nil)
		require.ErrorIs(t, err, errors.ErrMalformed, name)
		require.ErrorContains(t, err, "sample 1")
	}
	long := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300))
	_, err := sound.Decode(riff(format(3, 1, 8000, 8, 64), whole("data", long)), nil)
	require.ErrorIs(t, err, errors.ErrMalformed, "more than 32 bits can hold")
}

// A short file that promises much, or samples of very many channels, takes no more memory than it has bytes.
func TestWAVOfManyChannels(t *testing.T) {
	got := decoded(t, riff(format(1, 65535, 8000, 65535, 8), whole("data", make([]byte, 3*65535))))
	require.Equal(t, []float32{-1, -1, -1}, got.Samples)
}
