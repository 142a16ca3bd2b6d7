package clip_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// The elements that the tests write.
var (
	ebml, segment, info, scale      = "\x1A\x45\xDF\xA3", "\x18\x53\x80\x67", "\x15\x49\xA9\x66", "\x2A\xD7\xB1"
	tracks, trackEntry, trackNumber = "\x16\x54\xAE\x6B", "\xAE", "\xD7"
	trackType, codecID, each        = "\x83", "\x86", "\x23\xE3\x83"
	encodings, video                = "\x6D\x80", "\xE0"
	colours, matrix, levels         = "\x55\xB0", "\x55\xB1", "\x55\xB9"
	projection, flat, yaw, roll     = "\x76\x70", "\x76\x71", "\x76\x73", "\x76\x75"
	cluster, timestamp, simple      = "\x1F\x43\xB6\x75", "\xE7", "\xA3"
	group, block, duration, refers  = "\xA0", "\xA1", "\x9B", "\xFB"
	cues, void                      = "\x1C\x53\xBB\x6B", "\xEC"
	width, height                   = "\xB0", "\xBA"
)

// sized returns an element.
func sized(id string, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat([]byte(id), u8(1, 0, 0, 0), u32(len(body)), body)
}

// unsized returns an element that ends where it ends.
func unsized(id string, parts ...[]byte) []byte {
	return slices.Concat([]byte(id), u8(0xFF), slices.Concat(parts...))
}

// frame returns a block of the video, or of another track, at a time after its cluster's.
func frame(track, at, flags int, data []byte) []byte {
	return slices.Concat(u8(0x80|track), u16(at), u8(flags), data)
}

// entries returns a list of tracks: one of sound with number 1, one of Motion JPEG with number 2,
// with parts of its own.
func entries(parts ...[]byte) []byte {
	return sized(tracks, sized(trackEntry, sized(trackNumber, u8(1)), sized(trackType, u8(2)), sized(codecID, []byte("A_OPUS"))),
		sized(trackEntry, sized(trackNumber, u8(2)), sized(trackType, u8(1)), sized(codecID, []byte("V_MJPEG")), slices.Concat(parts...)),
		sized(trackEntry, sized(trackNumber, u8(3)), sized(trackType, u8(1)), sized(codecID, []byte("V_VP9"))))
}

func TestWebMBlocks(t *testing.T) {
	f := stills(t, 4)
	head := sized(ebml)
	plain := []int{10, 20, 30, 40}
	all := slices.Concat(sized(simple, frame(2, 0, 0x80, f[0])), sized(simple, frame(2, 10, 0x80, f[1])),
		sized(simple, frame(2, 20, 0x80, f[2])), sized(simple, frame(2, 30, 0x80, f[3])))
	for name, c := range map[string]struct {
		file []byte
		want []int
	}{
		"sized":              {slices.Concat(head, sized(segment, entries(), sized(cluster, sized(timestamp, u8(0)), all))), plain},
		"unsized":            {slices.Concat(head, unsized(segment, entries(), unsized(cluster, sized(timestamp, u8(0)), all))), plain},
		"an unsized cluster": {slices.Concat(head, sized(segment, entries(), unsized(cluster, all), sized(cues, u8(1, 2, 3)))), plain},
		"an unsized segment": {slices.Concat(head, unsized(segment, entries(), sized(cluster, all), sized(void, u8(0xE7, 0x81, 9)))), plain},
		"something behind":   {slices.Concat(head, sized(segment, entries(), sized(cluster, all)), u8(0xFF, 0, 1)), plain},
		"another behind":     {slices.Concat(head, unsized(segment, entries(), unsized(cluster, all)), head, unsized(segment, entries(), unsized(cluster, all))), plain},
		"two clusters": {slices.Concat(head, unsized(segment, entries(),
			unsized(cluster, sized(timestamp, u8(10)), sized(simple, frame(2, -10, 0x80, f[0])), sized(simple, frame(2, 0, 0x80, f[1]))),
			unsized(cluster, sized(timestamp, u16(300)), sized(simple, frame(2, -280, 0x80, f[2])), sized(simple, frame(2, -270, 0x80, f[3]))))), plain},
		"other tracks": {slices.Concat(head, unsized(segment, entries(), unsized(cluster, sized(simple, frame(1, 0, 0x80, []byte("sound"))), all,
			sized(simple, frame(3, 99, 0x80, []byte("video")))))), plain},
		"in another order": {slices.Concat(head, unsized(segment, entries(), unsized(cluster, sized(simple, frame(2, 20, 0x80, f[2])), sized(simple, frame(2, 10, 0x80, f[1])),
			sized(simple, frame(2, 30, 0x80, f[3])), sized(simple, frame(2, 0, 0x80, f[0]))))), plain},
		"groups": {slices.Concat(head, unsized(segment, entries(), unsized(cluster,
			sized(group, sized(block, frame(2, 0, 0, f[0]))), sized(group, sized(refers, u8(1)), sized(block, frame(2, 10, 0, f[1]))),
			sized(group, sized(void)), sized(group, sized(block, frame(2, 20, 0, f[2])), sized(duration, u8(20)))))), []int{10, 20, 30, 30}},
		"nobody sees one": {slices.Concat(head, unsized(segment, entries(), unsized(cluster, sized(simple, frame(2, 0, 0x80, f[0])), sized(simple, frame(2, 10, 0x88, f[1])),
			sized(simple, frame(2, 20, 0x80, f[2]))))), []int{10, 10, 30, 30}},
		"a last one that is long": {slices.Concat(head, sized(segment, entries(sized(each, u32(70e6))), sized(cluster, all))), []int{20, 40, 40, 40}},
		"in seconds":              {slices.Concat(head, sized(segment, sized(info, sized(scale, u32(1e9))), entries(), sized(cluster, all))), plain},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, numbers(t, c.file, 4)) })
	}
}

// The end of the last frame, from the best to the worst that a file says of it.
func TestWebMLength(t *testing.T) {
	blocks := slices.Concat(sized(simple, frame(2, 5, 0x80, nil)), sized(simple, frame(2, 5, 0x80, []byte("1"))), sized(simple, frame(2, 15, 0x80, []byte("2"))))
	last := sized(group, sized(block, frame(2, 27, 0, []byte("3"))), sized(duration, u8(8)))
	bare := sized(simple, frame(2, 27, 0x80, []byte("3")))
	for name, c := range map[string]struct {
		tracks, blocks []byte
		want           int64
	}{
		"its duration":         {entries(sized(each, u32(7e6))), slices.Concat(blocks, last), 30e6},
		"the track's":          {entries(sized(each, u32(7e6))), slices.Concat(blocks, bare), 29e6},
		"that before it":       {entries(), slices.Concat(blocks, bare), 34e6},
		"none":                 {entries(), sized(simple, frame(2, 5, 0x80, []byte("1"))), 0},
		"a duration of none":   {entries(sized(each, u32(0))), slices.Concat(blocks, bare), 34e6},
		"a duration of an age": {entries(sized(each, u64(-1))), slices.Concat(blocks, bare), 34e6},
	} {
		track, err := clip.Demux(slices.Concat(sized(ebml), unsized(segment, c.tracks, unsized(cluster, c.blocks))), nil)
		require.NoError(t, err, name)
		require.Equal(t, c.want, track.Length, name)
	}
}

func TestWebMTrack(t *testing.T) {
	float := func(v float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(v)) }
	narrow := func(v float32) []byte { return binary.BigEndian.AppendUint32(nil, math.Float32bits(v)) }
	read := func(parts ...[]byte) *clip.Track {
		file := slices.Concat(sized(ebml), unsized(segment, entries(parts...), unsized(cluster, sized(simple, frame(2, 0, 0x80, still(t, 9))))))
		track, err := clip.Demux(file, nil)
		require.NoError(t, err)
		return track
	}
	for _, c := range []struct {
		parts []byte
		turns int
	}{
		{sized(roll, float(90)), 3}, {sized(roll, narrow(-90)), 1}, {sized(roll, float(180)), 2}, {sized(roll, float(-180)), 2},
		{sized(roll, float(0)), 0}, {sized(roll, float(45)), 0}, {sized(roll, float(math.NaN())), 0}, {sized(roll, float(math.Inf(1))), 0},
		{sized(roll, float(1e300)), 0}, {sized(roll, u8(9)), 0}, {nil, 0},
		{slices.Concat(sized(flat, u8(0)), sized(yaw, float(0)), sized(roll, float(90))), 3},
		{slices.Concat(sized(flat, u8(1)), sized(roll, float(90))), 0},     // a sphere
		{slices.Concat(sized(yaw, float(180)), sized(roll, float(90))), 0}, // mirrored
	} {
		require.Equal(t, c.turns, read(sized(video, sized(projection, c.parts))).Turns, "% x", c.parts)
	}
	track := read(sized(video, sized(colours, sized(matrix, u8(9)), sized(levels, u8(2)))))
	require.Equal(t, [2]int{9, 2}, [2]int{track.Matrix, track.Level})
	track = read(sized(video, sized(colours, sized(levels, u8(3))))) // by the transfer function
	require.Equal(t, [2]int{2, 0}, [2]int{track.Matrix, track.Level})
}

func TestWebMRefused(t *testing.T) {
	file := func(parts ...[]byte) []byte { return slices.Concat(sized(ebml), unsized(segment, parts...)) }
	one := unsized(cluster, sized(simple, frame(2, 0, 0x80, []byte("1"))))
	for name, c := range map[string]struct {
		file  []byte
		want  errors.Status
		words string
	}{
		"no segment":                           {sized(ebml), errors.ErrMalformed, "no video track"},
		"no tracks":                            {file(one), errors.ErrMalformed, "no video track"},
		"no track of video":                    {file(sized(tracks, sized(trackEntry, sized(trackNumber, u8(2)), sized(trackType, u8(2)))), one), errors.ErrMalformed, "no video track"},
		"no frame":                             {file(entries()), errors.ErrMalformed, "no frame"},
		"an unknown codec":                     {file(sized(tracks, sized(trackEntry, sized(trackType, u8(1)), sized(codecID, []byte("V_THEORA")))), one), errors.ErrUnsupported, `"V_THEORA"`},
		"encrypted":                            {file(entries(sized(encodings)), one), errors.ErrUnsupported, "encrypted"},
		"several frames in a block":            {file(entries(), unsized(cluster, sized(simple, frame(2, 0, 0x86, []byte("1"))))), errors.ErrUnsupported, "several frames"},
		"half a block":                         {file(entries(), unsized(cluster, sized(simple, u8(0x82, 0, 0)))), errors.ErrMalformed, "a block of 3 bytes"},
		"no block":                             {file(entries(), unsized(cluster, sized(simple))), errors.ErrMalformed, "a block of 0 bytes"},
		"unsized tracks":                       {file(unsized(tracks)), errors.ErrMalformed, "is longer than its parent"},
		"an unsized track":                     {file(sized(tracks, unsized(trackEntry))), errors.ErrMalformed, "is longer than its parent"},
		"a track too long":                     {file(sized(tracks, u8(0xAE, 0x85))), errors.ErrMalformed, "is longer than its parent"},
		"a block longer than its cluster":      {file(entries(), sized(cluster, u8(0xA3, 0x85)), sized(void, make([]byte, 9))), errors.ErrMalformed, "is longer than its parent"},
		"a segment that ends before its block": {slices.Concat(sized(ebml), sized(segment, entries(), unsized(cluster, u8(0xA3, 0x85))), make([]byte, 9)), errors.ErrMalformed, "is longer than its parent"},
		"half a head in a track":               {file(sized(tracks, u8(0xAE))), errors.ErrMalformed, "begins with"},
		"no element":                           {file(u8(0, 1, 2)), errors.ErrMalformed, "begins with"},
		"an element of no size":                {file(u8(0xA3, 0)), errors.ErrMalformed, "begins with"},
		"half a head":                          {file(u8(0x1F, 0x43)), errors.ErrMalformed, "ends early"},
		"half a size":                          {file(u8(0xA3, 0x40)), errors.ErrMalformed, "ends early"},
		"half a body":                          {file(entries(), u8(0xA3, 0x85, 1)), errors.ErrMalformed, "ends early"},
		"half a segment":                       {slices.Concat(sized(ebml), []byte(segment), u8(0x85)), errors.ErrMalformed, "ends early"},
		"half a cluster":                       {file(entries(), []byte(cluster), u8(0x85)), errors.ErrMalformed, "ends early"},
		"the end of time":                      {file(entries(), unsized(cluster, sized(timestamp, u64(-1)), sized(simple, frame(2, 0, 0x80, []byte("1"))))), errors.ErrMalformed, "a time of"},
		"long units":                           {file(sized(info, sized(scale, u64(-1))), entries(), unsized(cluster, sized(simple, frame(2, 1, 0x80, []byte("1"))))), errors.ErrMalformed, "a time of"},
		"a long frame":                         {file(entries(), unsized(cluster, sized(group, sized(block, frame(2, 1, 0, []byte("1"))), sized(duration, u64(-1))))), errors.ErrMalformed, "a time of"},
		"a frame that is none":                 {file(entries(), one), errors.ErrMalformed, "does not begin with a JPEG marker"},
		"a frame too large":                    {file(entries(sized(video, sized(width, u64(-1)), sized(height, u64(-1)))), one), errors.ErrMalformed, "frames too large"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clip.FramesWithoutFFmpeg(c.file, 1, nil)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.words)
		})
	}
}
