package clip_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
)

func u8(values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = append(b, byte(v))
	}
	return b
}

func u16(values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func u32(values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func u64(values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func box(kind string, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat(u32(8+len(body)), []byte(kind), body)
}

// unit is where a matrix of MP4 has a one.
const unit = 1 << 16

// film is an MP4 of stills that a test may spoil, before it is put together: 10 units each of 100 a
// second.
type film struct {
	// media comes after the header of 24 bytes that ftyp and mdat have.
	media []byte
	// boxes replace those that are usual. An empty one leaves out.
	boxes map[string][]byte
	// after comes after the moov.
	behind []byte
}

const filmMedia = 24

func newFilm(frames [][]byte) *film {
	f := &film{media: bytes.Join(frames, nil), boxes: map[string][]byte{}}
	sizes, offsets, at := []byte{}, []byte{}, filmMedia
	for _, frame := range frames {
		sizes = append(sizes, u32(len(frame))...)
		offsets = append(offsets, u32(at)...)
		at += len(frame)
	}
	n := len(frames)
	f.boxes["stsd"] = box("stsd", u32(0, 1), entry("jpeg"))
	f.boxes["stsz"] = box("stsz", u32(0, 0, n), sizes)
	f.boxes["stsc"] = box("stsc", u32(0, 1, 1, 1, 1))
	f.boxes["stco"] = box("stco", u32(0, n), offsets)
	f.boxes["stts"] = box("stts", u32(0, 1, n, 10))
	f.boxes["tkhd"] = header("tkhd", unit, 0, 0, unit)
	f.boxes["mdhd"] = box("mdhd", u32(0, 0, 0, 100, 10*n, 0))
	f.boxes["mvhd"] = box("mvhd", u32(0, 0, 0, 1000))
	return f
}

// entry returns the description of samples of some codec, with boxes of its own.
func entry(kind string, parts ...[]byte) []byte {
	return box(kind, make([]byte, 24), u16(8, 8), make([]byte, 50), slices.Concat(parts...))
}

// header returns a tkhd with a matrix.
func header(kind string, a, b, c, d int) []byte {
	return box(kind, u32(0, 0, 0, 1, 0, 0), make([]byte, 16), u32(a, b, 0, c, d, 0, 0, 0, 1<<30), u32(8<<16, 8<<16))
}

func (f *film) file() []byte {
	part := func(kinds ...string) []byte {
		var parts []byte
		for _, kind := range kinds {
			parts = append(parts, f.boxes[kind]...)
		}
		return parts
	}
	media := box("mdia", part("mdhd"), box("hdlr", u32(0, 0), []byte("vide"), u32(0, 0, 0, 0)),
		box("minf", box("stbl", part("stsd", "stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss"))))
	return slices.Concat(box("ftyp", []byte("isom\x00\x00\x00\x00")), box("mdat", f.media),
		box("moov", part("mvhd"), box("trak", part("tkhd", "edts"), media), part("mvex")), f.behind)
}

// edits returns an edit list of lengths, starts and rates.
func edits(numbers ...int) []byte {
	return box("edts", box("elst", u32(0, len(numbers)/3), u32(numbers...)))
}

// All ways to write a table.
func TestMP4Tables(t *testing.T) {
	frames := stills(t, 6)
	size := func(i int) int { return len(frames[i]) }
	plain := []int{10, 20, 30, 40, 50, 60}
	for name, c := range map[string]struct {
		spoil func(f *film)
		want  []int
	}{
		"as it is": {func(*film) {}, plain},
		"wide offsets": {func(f *film) {
			f.boxes["stco"] = nil
			at, offsets := filmMedia, []byte{}
			for i := range frames {
				offsets = append(offsets, u64(at)...)
				at += size(i)
			}
			f.boxes["co64"] = box("co64", u32(0, 6), offsets)
		}, plain},
		"chunks of several": {func(f *film) {
			f.boxes["stsc"] = box("stsc", u32(0, 3, 1, 1, 1, 2, 2, 1, 4, 1, 1))
			at := func(i int) int { return filmMedia + len(bytes.Join(frames[:i], nil)) }
			f.boxes["stco"] = box("stco", u32(0, 4, at(0), at(1), at(3), at(5)))
		}, plain},
		"sizes of 16 bits": {func(f *film) {
			f.boxes["stsz"] = nil
			f.boxes["stz2"] = box("stz2", u32(0), u8(0, 0, 0, 16), u32(6), u16(size(0), size(1), size(2), size(3), size(4), size(5)))
		}, plain},
		"equal sizes": {func(f *film) {
			f.boxes["stsz"] = box("stsz", u32(0, size(0), 6))
			for i := range frames {
				require.Equal(t, size(0), size(i))
			}
		}, plain},
		"unequal times":          {func(f *film) { f.boxes["stts"] = box("stts", u32(0, 3, 1, 30, 4, 1, 1, 26)) }, []int{10, 10, 10, 60, 60, 60}},
		"shown in another order": {func(f *film) { f.boxes["ctts"] = box("ctts", u32(0, 4, 1, 10, 1, 30, 2, 0, 2, 10)) }, []int{10, 30, 40, 20, 50, 60}},
		"shown earlier":          {func(f *film) { f.boxes["ctts"] = box("ctts", u32(1<<24, 2, 5, 0, 1, -60)) }, []int{60, 10, 20, 30, 40, 50}},
		"a time scale in a wide header": {func(f *film) {
			f.boxes["mdhd"] = box("mdhd", u32(1<<24), u64(0, 0), u32(100), u64(60), u32(0))
		}, plain},
		"a wide track header": {func(f *film) {
			f.boxes["tkhd"] = box("tkhd", u32(1<<24), u64(0, 0), u32(1, 0), u64(0), make([]byte, 16), u32(unit, 0, 0, 0, unit, 0, 0, 0, 0))
		}, plain},
		"a box of wide size":  {func(f *film) { f.behind = slices.Concat(u32(1), []byte("free"), u64(16+5), make([]byte, 5)) }, plain},
		"a box up to the end": {func(f *film) { f.behind = slices.Concat(u32(0), []byte("free"), make([]byte, 5)) }, plain},
		"two movies":          {func(f *film) { f.behind = box("moov", box("trak")) }, plain},
		"zeroes behind a box": {func(f *film) {
			f.boxes["mvhd"] = append(f.boxes["mvhd"], box("udta", u32(0))...)
			f.boxes["edts"] = box("edts", u32(0))
		}, plain},
		"nothing for a while":   {func(f *film) { f.boxes["edts"] = edits(500, -1, unit, 600, 0, unit) }, plain},
		"all of it":             {func(f *film) { f.boxes["edts"] = edits(0, 0, unit) }, plain},
		"rounded down":          {func(f *film) { f.boxes["mvhd"] = box("mvhd", u32(0, 0, 0, 7)); f.boxes["edts"] = edits(4, 0, unit) }, plain},
		"from the third on":     {func(f *film) { f.boxes["edts"] = edits(400, 20, unit) }, []int{30, 40, 40, 50, 60, 60}},
		"up to the fourth":      {func(f *film) { f.boxes["edts"] = edits(400, 0, unit) }, []int{10, 20, 20, 30, 40, 40}},
		"from within the third": {func(f *film) { f.boxes["edts"] = edits(0, 27, unit) }, []int{30, 40, 50, 50, 60, 60}},
		"up to within":          {func(f *film) { f.boxes["edts"] = edits(120, 0, unit) }, []int{10, 10, 10, 10, 10, 20}},
		"a wide edit list": {func(f *film) {
			f.boxes["edts"] = box("edts", box("elst", u32(1<<24, 2), u64(1, -1), u32(unit), u64(600, 0), u32(unit)))
		}, plain},
		"a dropped frame": {func(f *film) {
			f.boxes["stsz"] = box("stsz", u32(0, 0, 6, size(0), size(1), 0, size(3), size(4), size(5)))
		}, []int{10, 20, 20, 40, 50, 60}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFilm(frames)
			c.spoil(f)
			require.Equal(t, c.want, numbers(t, f.file(), 6))
		})
	}
}

func TestMP4Turns(t *testing.T) {
	for _, c := range []struct{ a, b, c, d, turns int }{
		{unit, 0, 0, unit, 0}, {0, unit, -unit, 0, 1}, {-unit, 0, 0, -unit, 2}, {0, -unit, unit, 0, 3},
		{0, 2 * unit, -2 * unit, 0, 1},          // larger, too
		{-unit, 0, 0, unit, 0},                  // mirrored
		{0, unit, unit, 0, 0},                   // mirrored and turned
		{46341, 46341, -46341, 46341, 0},        // by half a quarter
		{0, 0, 0, 0, 0},                         // to nothing
		{unit, 1, 0, unit, 0}, {0, 1, -1, 0, 1}, // hardly
	} {
		f := newFilm(stills(t, 1))
		f.boxes["tkhd"] = header("tkhd", c.a, c.b, c.c, c.d)
		track, err := clip.Demux(f.file(), nil)
		require.NoError(t, err)
		require.Equal(t, c.turns, track.Turns, "%v", c)
		// The same in the movie's header, and a quarter to the right in the track's after it.
		f.boxes["tkhd"], f.boxes["mvhd"] = header("tkhd", unit, 0, 0, unit), movieHeader(c.a, c.b, c.c, c.d)
		track, err = clip.Demux(f.file(), nil)
		require.NoError(t, err)
		require.Equal(t, c.turns, track.Turns, "%v in mvhd", c)
		f.boxes["tkhd"] = header("tkhd", 0, unit, -unit, 0)
		track, err = clip.Demux(f.file(), nil)
		require.NoError(t, err)
		both := 0
		if c.turns > 0 || c.a == unit && c.b == 0 {
			both = (c.turns + 1) % 4
		}
		require.Equal(t, both, track.Turns, "%v in mvhd, a quarter in tkhd", c)
	}
	// Matrices that mirror twice turn, and a header without one is none.
	f := newFilm(stills(t, 1))
	f.boxes["tkhd"], f.boxes["mvhd"] = header("tkhd", -unit, 0, 0, unit), movieHeader(unit, 0, 0, -unit)
	track, err := clip.Demux(f.file(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, track.Turns)
}

// movieHeader returns a mvhd with a matrix.
func movieHeader(a, b, c, d int) []byte {
	return box("mvhd", u32(0, 0, 0, 1000, 0), make([]byte, 16), u32(a, b, 0, c, d, 0, 0, 0, 1<<30), make([]byte, 28))
}

func TestMP4Descriptions(t *testing.T) {
	esds := func(object int) []byte {
		specific := slices.Concat(u8(5, 2), []byte("VO"))
		config := slices.Concat(u8(4, 0x80, 0x80, 0x80, 13+len(specific), object), make([]byte, 12), specific)
		return box("esds", u32(0), u8(3, 6+len(config)), u16(1), u8(0x40, 2, 'u', 'r'), config)
	}
	for name, c := range map[string]struct {
		entry []byte
		codec string
	}{
		"jpeg": {entry("jpeg"), "Motion JPEG"}, "avc3": {entry("avc3", box("avcC", u8(1))), "H.264"}, "hev1": {entry("hev1"), "H.265"},
		"av01": {entry("av01"), "AV1"}, "vp08": {entry("vp08"), "VP8"}, "vp09": {entry("vp09"), "VP9"},
		"mp4v of JPEG": {entry("mp4v", esds(0x6C)), "Motion JPEG"}, "mp4v of MPEG-4": {entry("mp4v", esds(0x20)), "MPEG-4"},
	} {
		f := newFilm(stills(t, 1))
		f.boxes["stsd"] = box("stsd", u32(0, 1), c.entry)
		track, err := clip.Demux(f.file(), nil)
		require.NoError(t, err, name)
		require.Equal(t, c.codec, track.Codec, name)
	}
	for name, c := range map[string]struct {
		stsd  []byte
		words string
	}{
		"an unknown codec": {box("stsd", u32(0, 1), entry("xvid")), `"xvid"`},
		"encrypted":        {box("stsd", u32(0, 1), entry("encv")), "encrypted"},
		"MPEG-1":           {box("stsd", u32(0, 1), entry("mp4v", esds(0x6A))), "MPEG-1"},
		"MPEG-2":           {box("stsd", u32(0, 1), entry("mp4v", esds(0x61))), "MPEG-2"},
		"another object":   {box("stsd", u32(0, 1), entry("mp4v", esds(0xA3))), "0xa3"},
	} {
		f := newFilm(stills(t, 1))
		f.boxes["stsd"] = c.stsd
		_, err := clip.Demux(f.file(), nil)
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
		require.ErrorContains(t, err, c.words, name)
	}
	for colr, want := range map[string][2]int{
		"nclx\x00\x01\x00\x01\x00\x09\x80": {9, 2}, "nclx\x00\x01\x00\x01\x00\x01\x00": {1, 1}, "nclc\x00\x01\x00\x01\x00\x06": {6, 0},
		"prof\x00\x01\x00\x01\x00\x06\x00": {2, 0}, "nclx\x00\x01": {2, 0},
	} {
		f := newFilm(stills(t, 1))
		f.boxes["stsd"] = box("stsd", u32(0, 1), entry("jpeg", box("colr", []byte(colr))))
		track, err := clip.Demux(f.file(), nil)
		require.NoError(t, err)
		require.Equal(t, want, [2]int{track.Matrix, track.Level}, "%q", colr)
	}
}

func TestMP4Refused(t *testing.T) {
	const most = -1 // of 32 bits
	two := box("stsd", u32(0, 2), entry("jpeg"), entry("jpeg"))
	for name, c := range map[string]struct {
		spoil func(f *film)
		want  errors.Status
		words string
	}{
		"no media":                  {func(f *film) { f.media = nil }, errors.ErrMalformed, "ends early"},
		"a sample behind the end":   {func(f *film) { f.boxes["stco"] = box("stco", u32(0, 3, filmMedia, filmMedia, most)) }, errors.ErrMalformed, "ends early"},
		"a sample too long":         {func(f *film) { f.boxes["stsz"] = box("stsz", u32(0, 0, 3, 1, 1, most)) }, errors.ErrMalformed, "ends early"},
		"samples of most bytes":     {func(f *film) { f.boxes["stsz"] = box("stsz", u32(0, most, 3)) }, errors.ErrMalformed, "ends early"},
		"most samples":              {func(f *film) { f.boxes["stsz"] = box("stsz", u32(0, 1, most)) }, errors.ErrMalformed, "over 262144 frames"},
		"sizes of fewer":            {func(f *film) { f.boxes["stsz"] = box("stsz", u32(0, 0, 4, 1, 1, 1)) }, errors.ErrMalformed, "4 sample sizes is cut off"},
		"sizes of 5 bits":           {func(f *film) { f.boxes["stsz"] = nil; f.boxes["stz2"] = box("stz2", u32(0, 5, 3), u64(0)) }, errors.ErrMalformed, "3 sample sizes is cut off"},
		"no sizes":                  {func(f *film) { f.boxes["stsz"] = nil }, errors.ErrMalformed, "no frame"},
		"places of fewer":           {func(f *film) { f.boxes["stco"] = box("stco", u32(0, 2, filmMedia, filmMedia)) }, errors.ErrMalformed, "offsets for 2"},
		"no places":                 {func(f *film) { f.boxes["stco"] = nil }, errors.ErrMalformed, "offsets for 0"},
		"no chunks":                 {func(f *film) { f.boxes["stsc"] = nil }, errors.ErrMalformed, "offsets for 0"},
		"times of fewer":            {func(f *film) { f.boxes["stts"] = box("stts", u32(0, 1, 2, 10)) }, errors.ErrMalformed, "times for 2"},
		"times of most, none there": {func(f *film) { f.boxes["stts"] = box("stts", u32(0, most)) }, errors.ErrMalformed, "times for 0"},
		"offsets of fewer":          {func(f *film) { f.boxes["ctts"] = box("ctts", u32(0, 1, 2, 10)) }, errors.ErrMalformed, "presentation offsets for 2"},
		"two descriptions":          {func(f *film) { f.boxes["stsd"] = two; f.boxes["stsc"] = box("stsc", u32(0, 2, 1, 1, 1, 3, 1, 2)) }, errors.ErrUnsupported, "on the way"},
		"no such description":       {func(f *film) { f.boxes["stsc"] = box("stsc", u32(0, 1, 1, 1, 3)) }, errors.ErrMalformed, "description 3 of 1"},
		"half a description":        {func(f *film) { f.boxes["stsd"] = box("stsd", u32(0, 1), box("jpeg", u32(0))) }, errors.ErrMalformed, "cut off"},
		"half an elementary stream": {func(f *film) { f.boxes["stsd"] = box("stsd", u32(0, 1), entry("mp4v", box("esds", u32(0), u8(3, 5)))) }, errors.ErrMalformed, "cut off"},
		"half a track header":       {func(f *film) { f.boxes["tkhd"] = box("tkhd", u32(0, 0, 0, 1)) }, errors.ErrMalformed, "track header"},
		"no time scale":             {func(f *film) { f.boxes["mdhd"] = nil }, errors.ErrMalformed, "no time scale"},
		"two parts":                 {func(f *film) { f.boxes["edts"] = edits(100, 0, unit, 100, 20, unit) }, errors.ErrUnsupported, "several parts"},
		"slower":                    {func(f *film) { f.boxes["edts"] = edits(100, 0, unit/2) }, errors.ErrUnsupported, "another speed"},
		"a part that is not there":  {func(f *film) { f.boxes["edts"] = edits(100, 100, unit) }, errors.ErrMalformed, "shows none"},
		"a part before all":         {func(f *film) { f.boxes["edts"] = edits(100, -2, unit) }, errors.ErrMalformed, "begins at -2"},
		"half an edit list":         {func(f *film) { f.boxes["edts"] = box("edts", box("elst", u32(0, 1, 100))) }, errors.ErrMalformed, "edit list is cut off"},
		"a box in none that large":  {func(f *film) { f.boxes["mvhd"] = slices.Concat(u32(9999), []byte("mvhd")) }, errors.ErrMalformed, "in a parent with"},
		"a box of nothing":          {func(f *film) { f.boxes["mvhd"] = slices.Concat(u32(7), []byte("mvhd")) }, errors.ErrMalformed, "of 7 bytes"},
		"a frame that is none":      {func(f *film) { f.boxes["stco"] = box("stco", u32(0, 3, 9, 9, 9)) }, errors.ErrMalformed, "does not begin with a JPEG marker"},
		"a frame that is cut":       {func(f *film) { f.boxes["stsz"] = box("stsz", u32(0, 0, 3, 99, 99, 99)) }, errors.ErrMalformed, "sample 0 of 3"},
		"half an index":             {func(f *film) { f.behind = box("sidx", u32(0, 1)) }, errors.ErrMalformed, "ends early"},
		"an index of more":          {func(f *film) { f.behind = box("sidx", u32(0, 1, 100, 0, 0), u16(0, 1), u32(1, 0, 0)) }, errors.ErrMalformed, "ends early"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFilm(stills(t, 3))
			c.spoil(f)
			_, err := clip.FramesWithoutFFmpeg(f.file(), 3, nil)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.words)
		})
	}
	_, err := clip.Frames(box("ftyp", []byte("isom")), 1, nil)
	require.ErrorIs(t, err, errors.ErrMalformed)
	require.ErrorContains(t, err, "no movie header")
	_, err = clip.Frames(slices.Concat(box("ftyp", []byte("isom")), box("moov")), 1, nil)
	require.ErrorContains(t, err, "no video track")
}

// Sizes of few bits are those of small samples.
func TestMP4CompactSizes(t *testing.T) {
	for bits, table := range map[int][]byte{4: u8(0x1F, 0x02, 0x70), 8: u8(1, 15, 0, 2, 7), 16: u16(1, 15, 0, 2, 7)} {
		f := newFilm(stills(t, 5))
		f.boxes["stsz"] = nil
		f.boxes["stz2"] = box("stz2", u32(0, bits, 5), table)
		track, err := clip.Demux(f.file(), nil)
		require.NoError(t, err, bits)
		for i, size := range []int{1, 15, 0, 2, 7} {
			require.Len(t, track.Samples[i].Data, size, "%d bits, sample %d", bits, i)
			require.Equal(t, size == 0, track.Samples[i].Hidden)
		}
	}
}
