package sound_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// chunk returns a RIFF chunk that says it has size bytes, with the padding that body needs.
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

// riff returns a WAV file of chunks.
func riff(chunks ...[]byte) []byte {
	return whole("RIFF", append([]byte("WAVE"), concat(chunks...)...))
}

// format returns a fmt chunk.
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
		"three bytes behind":         {sized(53-8, concat(plain, []byte("abc"))), []float32{0.5, -0.5, 0.25}},
		"seven bytes behind":         {sized(57-8, concat(plain, []byte("LIST\x04\x00\x00"))), []float32{0.5, -0.5, 0.25}},
		"half a frame behind":        {sized(51-8, concat(plain, []byte{0})), []float32{0.5, -0.5, 0.25}},
		"bytes behind a chunk":       {sized(64-8, concat(riff(mono16, data, trailing), []byte("ab"))), []float32{0.5, -0.5, 0.25}},
		"no padding at the end":      {riff(mono16, data, odd)[:61], []float32{0.5, -0.5, 0.25}},
		"padding not counted":        {sized(61-8, riff(mono16, data, odd))[:61], []float32{0.5, -0.5, 0.25}},
		"cut in bytes behind":        {sized(57-8, concat(plain, []byte("LIST\x04\x00"))), nil},
		"half a frame inside":        {riff(mono16, whole("data", append(sound16, 0))), nil},
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

// A writer into a pipe does not know the size for the header, and writes a placeholder that must
// not be read as a size. A size that a recorder could have meant is that of a file that was cut.
func TestWAVPlaceholders(t *testing.T) {
	sound16 := []byte{0, 0x40, 0, 0xC0, 0, 0x20}
	file := func(size, sound uint32) []byte {
		file := riff(mono16, chunk("data", int(sound), sound16))
		binary.LittleEndian.PutUint32(file[4:], size)
		return file
	}
	const right = 36 + 6
	for name, c := range map[string]struct {
		size, sound uint32
		cut         bool
	}{
		"FFmpeg":                 {0xFFFFFFFF, 0xFFFFFFFF, false},
		"sox":                    {0x7FFFF024, 0x7FFFF000, false},
		"LAME":                   {0x80000023, 0x7FFFFFFF, false},
		"flac, or nothing":       {0, 0, false},
		"less the header":        {0x7FFFFFFF, 0x7FFFFFFF - 36, false},
		"of 32 bits":             {0xFFFFFFFF, 0xFFFFFFFF - 36, false},
		"in whole frames":        {0xFFFFFFF0 + 36 - 1<<12, 0xFFFFFFF0 - 1<<12, false},
		"exactly a half":         {0x80000024, 0x80000000, false},
		"wrapped around":         {35, 0xFFFFFFFF, false},
		"of the sound alone":     {right, 0x7FFFFFFF, false},
		"of the file alone":      {0xFFFFFFFF, 6, false},
		"a guess, too long":      {0, 1000, false},
		"a guess of a few hours": {0x7FFFFFFF, 0x10000000, false},
		"cut":                    {36 + 8, 8, true},
		"cut of a gigabyte":      {36 + 1<<30, 1 << 30, true},
		"cut of three":           {36 + 3<<30, 3 << 30, true},
		"cut behind":             {right + 8, 6, true},
		"cut far behind":         {right + 1<<30, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sound.Decode(file(c.size, c.sound), nil)
			if c.cut {
				require.ErrorIs(t, err, errors.ErrMalformed)
				require.ErrorContains(t, err, "ends early")
				return
			}
			require.NoError(t, err)
			require.Equal(t, []float32{0.5, -0.5, 0.25}, got.Samples)
			if c.sound == 6 {
				return
			}
			_, err = sound.Decode(file(c.size, c.sound)[:right+7], nil)
			require.ErrorContains(t, err, "ends early", "half a sample at the end")
		})
	}
}

// lyingFormat returns a fmt chunk, extensible or not, of any block align and bytes a second.
func lyingFormat(code, channels, frame, bits, bytes int, extensible bool) []byte {
	body := format(code, channels, 8000, frame, bits)[8:]
	binary.LittleEndian.PutUint32(body[8:], uint32(bytes))
	if extensible {
		binary.LittleEndian.PutUint16(body, 0xFFFE)
		body = append(body, 22, 0, byte(bits), 0, 4, 0, 0, 0, byte(code), byte(code>>8))
		body = append(body, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"...)
	}
	return whole("fmt ", body)
}

// The width of a sample is that of its bits, whatever the bytes of a frame and of a second say.
func TestWAVBlockAlign(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, coding := range []struct{ code, bits int }{{1, 8}, {1, 12}, {1, 16}, {1, 20}, {1, 24}, {1, 32}, {1, 64}, {3, 32}, {3, 64}, {6, 8}, {7, 8}} {
		width := (coding.bits + 7) / 8
		for _, channels := range []int{1, 2, 3} {
			samples := make([]byte, 0, 12*width*channels)
			for range 12 * channels {
				if coding.code == 3 {
					samples = append(samples, floatBytes(random.Float64(), width)...)
					continue
				}
				for range width {
					samples = append(samples, byte(1+random.IntN(255)))
				}
			}
			file := func(frame, bytes int, extensible bool) []byte {
				return riff(lyingFormat(coding.code, channels, frame, coding.bits, bytes, extensible), whole("data", samples))
			}
			want := decoded(t, file(width*channels, 8000*width*channels, false))
			require.Len(t, want.Samples, 12)
			for _, frame := range []int{0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24, 32, 0x8000, 0xFFFF} {
				for _, bytes := range []int{0, 1, 8000 * frame, -1} {
					for _, extensible := range []bool{false, true} {
						require.Equal(t, want, decoded(t, file(frame, bytes, extensible)),
							"coding %v, %d channels, %d bytes a frame, %d a second", coding, channels, frame, bytes)
					}
				}
			}
		}
	}
}

// Integers of 64 bits, as FFmpeg and sox have them, were noise where the bytes of a frame were 1, 2
// or 4.
func TestWAV64Bits(t *testing.T) {
	var samples []byte
	for _, v := range []int64{1 << 62, -1 << 62, math.MinInt64, math.MaxInt64, 1 << 40, 0} {
		samples = binary.LittleEndian.AppendUint64(samples, uint64(v))
	}
	for _, frame := range []int{8, 0, 1, 2, 4, 32} {
		file := riff(lyingFormat(1, 1, frame, 64, 64000, false), whole("data", samples))
		require.Equal(t, []float32{0.5, -0.5, -1, 1, 1.0 / (1 << 23), 0}, decoded(t, file).Samples, "%d bytes a frame", frame)
	}
}

func floatBytes(v float64, width int) []byte {
	if width == 4 {
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
}

// Samples in the upper bytes of four: an extensible header says so in its bits, others in the bytes
// of a frame alone.
func TestWAVContainers(t *testing.T) {
	padded := []byte{0, 1, 2, 0x40, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x80, 0, 0, 0, 0}
	want := []float32{float32(0x400201) / (1 << 23), -1.0 / (1 << 23), -1, 0}
	extensible := lyingFormat(1, 1, 4, 32, 32000, true)
	binary.LittleEndian.PutUint16(extensible[8+18:], 24)
	for name, header := range map[string][]byte{
		"24 bits":                     lyingFormat(1, 1, 4, 24, 32000, false),
		"20 bits":                     lyingFormat(1, 1, 4, 20, 0, false),
		"24 bits, extensible":         lyingFormat(1, 1, 4, 24, 32000, true),
		"24 bits of a container's 32": extensible,
	} {
		require.Equal(t, want, decoded(t, riff(header, whole("data", padded))).Samples, name)
	}
	silence := func(bytes int) int {
		return len(decoded(t, riff(lyingFormat(1, 1, 4, 24, 32000, false), whole("data", make([]byte, bytes)))).Samples)
	}
	require.Equal(t, 4, silence(16))
	require.Equal(t, 5, silence(15))
	require.Equal(t, 4, silence(12), "packed where it can be")
	// If the bits are no valid width, the bytes of a frame decide.
	for _, bits := range []int{0, 16, 24, 99} {
		require.Equal(t, []float32{0.5, 1}, decoded(t, riff(lyingFormat(3, 1, 4, bits, 0, false), whole("data", append(floatBytes(0.5, 4), floatBytes(1, 4)...)))).Samples)
	}
	_, err := sound.Decode(riff(lyingFormat(1, 2, 7, 0, 0, false), whole("data", padded)), nil)
	require.ErrorIs(t, err, errors.ErrMalformed)
	require.ErrorContains(t, err, "0 bits a sample and 7 bytes a frame of 2 channels")
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
		"integers of eight bytes":    {format(1, 1, 8000, 8, 64), nil},
		"integers of seven bytes":    {format(1, 1, 8000, 7, 56), errors.ErrUnsupported},
		"no channels":                {format(1, 0, 8000, 2, 16), errors.ErrMalformed},
		"no bytes and no bits":       {format(1, 1, 8000, 0, 0), errors.ErrMalformed},
		"no bytes":                   {format(1, 1, 8000, 0, 16), nil},
		"no bits":                    {format(1, 1, 8000, 2, 0), nil},
		"a frame of one and a half":  {format(1, 2, 8000, 3, 16), nil},
		"bits and bytes of nothing":  {format(3, 2, 8000, 6, 16), errors.ErrMalformed},
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

// A short file that promises much, or samples of very many channels, takes no more memory than it
// has bytes.
func TestWAVOfManyChannels(t *testing.T) {
	got := decoded(t, riff(format(1, 65535, 8000, 65535, 8), whole("data", make([]byte, 3*65535))))
	require.Equal(t, []float32{-1, -1, -1}, got.Samples)
}
