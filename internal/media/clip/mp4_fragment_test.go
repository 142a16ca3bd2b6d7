package clip_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// newPieces returns a film without samples, to which fragments are added. Its track has the number
// 1, and there is another, 2.
func newPieces() *film {
	f := newFilm(nil)
	f.boxes["mvex"] = box("mvex", box("trex", u32(0, 1, 1, 10, 0, 0)), box("trex", u32(0, 2, 1, 10, 7, 0)))
	return f
}

// add adds a fragment whose media follow it. The parts get the length of the fragment, which is in
// some of them.
func (f *film) add(media []byte, parts func(length int) []byte) {
	length := len(box("moof", parts(0)))
	f.behind = slices.Concat(f.behind, box("moof", parts(length)), box("mdat", media))
}

// All ways to say where the samples of a fragment lie, and what they are.
func TestMP4Fragments(t *testing.T) {
	frames := stills(t, 6)
	size := len(frames[0])
	media := bytes.Join(frames, nil)
	const mdat = 8
	for name, add := range map[string]func(f *film){
		"from the fragment": func(f *film) {
			f.add(media, func(length int) []byte {
				return box("traf", box("tfhd", u32(0x020000, 1)), box("trun", u32(0x201, 6, length+mdat), u32(size, size, size, size, size, size)))
			})
		},
		"a size for all": func(f *film) {
			f.add(media, func(length int) []byte {
				return box("traf", box("tfhd", u32(0x020010, 1, size)), box("trun", u32(1, 6, length+mdat)))
			})
		},
		"from the file": func(f *film) {
			at := len(f.file())
			f.add(media, func(length int) []byte {
				return box("traf", box("tfhd", u32(0x11, 1), u64(at+length), u32(size)), box("trun", u32(1, 6, mdat)))
			})
		},
		"run after run": func(f *film) {
			f.add(media, func(length int) []byte {
				return box("traf", box("tfhd", u32(0x10, 1, size)), box("trun", u32(1, 2, length+mdat)), box("trun", u32(0, 1)), box("trun", u32(0, 3)))
			})
		},
		"behind another track": func(f *film) {
			f.add(append(make([]byte, 3*7+2), media...), func(length int) []byte {
				return slices.Concat(
					box("traf", box("tfhd", u32(0, 2)), box("trun", u32(1, 3, length+mdat)), box("trun", u32(0x200, 2, 0, 2))),
					box("traf", box("tfhd", u32(0x10, 1, size)), box("trun", u32(0, 6))))
			})
		},
		"in front of another track": func(f *film) {
			f.add(media, func(length int) []byte {
				return slices.Concat(
					box("traf", box("tfhd", u32(0x10, 1, size)), box("trun", u32(1, 6, length+mdat))),
					box("traf", box("tfhd", u32(0, 2)), box("trun", u32(0, -1))))
			})
		},
		"fragment after fragment": func(f *film) {
			for i := range 3 {
				f.add(media[2*i*size:2*(i+1)*size], func(length int) []byte {
					return box("traf", box("tfhd", u32(0x020010, 1, size)), box("trun", u32(1, 2, length+mdat)))
				})
			}
		},
		"at times of their own": func(f *film) {
			for i := range 3 {
				f.add(media[2*i*size:2*(i+1)*size], func(length int) []byte {
					return box("traf", box("tfhd", u32(0x020010, 1, size)), box("tfdt", u32(1<<24), u64(1<<30+20*i)), box("trun", u32(1, 2, length+mdat)))
				})
			}
		},
		"in another order": func(f *film) {
			for _, i := range []int{2, 0, 1} {
				f.add(media[2*i*size:2*(i+1)*size], func(length int) []byte {
					return box("traf", box("tfhd", u32(0x020010, 1, size)), box("tfdt", u32(0, 20*i)), box("trun", u32(1, 2, length+mdat)))
				})
			}
		},
		"with offsets": func(f *film) {
			f.add(slices.Concat(frames[0], frames[2], frames[1], frames[3], frames[4], frames[5]), func(length int) []byte {
				return box("traf", box("tfhd", u32(0x020010, 1, size)),
					box("trun", u32(1<<24|0x801, 6, length+mdat, 5, 15, -5, 5, 5, 5)))
			})
		},
		"an empty one": func(f *film) {
			f.add(nil, func(length int) []byte { return box("traf", box("tfhd", u32(0x030000, 1)), box("trun", u32(0, 99))) })
			f.add(media, func(length int) []byte {
				return box("traf", box("tfhd", u32(0x020018, 1, 7, size)), box("trun", u32(1, 6, length+mdat)))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newPieces()
			add(f)
			require.Equal(t, []int{10, 20, 30, 40, 50, 60}, numbers(t, f.file(), 6))
		})
	}
}

func TestMP4FragmentFlags(t *testing.T) {
	const noKey = 0x010000
	frames := stills(t, 4)
	size := len(frames[0])
	media := bytes.Join(frames, nil)
	for name, c := range map[string]struct {
		header, run func(length int) []byte
		keys        []bool
	}{
		"implied": {
			func(int) []byte { return u32(0x020030, 1, size, noKey) },
			func(length int) []byte { return u32(1, 4, length) }, []bool{false, false, false, false},
		},
		"but for the first": {
			func(int) []byte { return u32(0x020030, 1, size, noKey) },
			func(length int) []byte { return u32(5, 4, length, 0) }, []bool{true, false, false, false},
		},
		"each": {
			func(int) []byte { return u32(0x020010, 1, size) },
			func(length int) []byte { return u32(0x401, 4, length, 0, noKey, 0, noKey) }, []bool{true, false, true, false},
		},
	} {
		f := newPieces()
		f.boxes["stsd"] = box("stsd", u32(0, 1), entry("av01")) // of JPEG, all are keys
		f.add(media, func(length int) []byte {
			return box("traf", box("tfhd", c.header(length)), box("trun", c.run(length+8)))
		})
		track, err := clip.Demux(f.file(), nil)
		require.NoError(t, err, name)
		var keys []bool
		for _, s := range track.Samples {
			keys = append(keys, s.Key)
		}
		require.Equal(t, c.keys, keys, name)
	}
}

func TestMP4FragmentsRefused(t *testing.T) {
	const most = -1 // of 32 bits
	for name, c := range map[string]struct {
		traf  []byte
		want  errors.Status
		words string
	}{
		"behind the end":       {slices.Concat(box("tfhd", u32(0x020010, 1, 9)), box("trun", u32(1, 1, 1<<20))), errors.ErrMalformed, "ends early"},
		"before the beginning": {slices.Concat(box("tfhd", u32(0x020010, 1, 9)), box("trun", u32(1, 1, -1<<20))), errors.ErrMalformed, "ends early"},
		"of most bytes":        {slices.Concat(box("tfhd", u32(0x020010, 1, most)), box("trun", u32(0, 1))), errors.ErrMalformed, "ends early"},
		"most samples":         {slices.Concat(box("tfhd", u32(0x020010, 1, 0)), box("trun", u32(0, most))), errors.ErrMalformed, "over 262144 frames"},
		"fewer samples":        {slices.Concat(box("tfhd", u32(0x020000, 1)), box("trun", u32(0x200, 3, 1, 1))), errors.ErrMalformed, "3 samples, and has entries for 2"},
		"half a header":        {box("tfhd", u32(0x020010, 1)), errors.ErrMalformed, "header of a fragment"},
		"half a time":          {slices.Concat(box("tfhd", u32(0x020000, 1)), box("tfdt", u32(0))), errors.ErrMalformed, "a fragment begins"},
		"at the end of time":   {slices.Concat(box("tfhd", u32(0x020000, 1)), box("tfdt", u32(1<<24), u64(-1))), errors.ErrMalformed, "a fragment begins"},
		"other descriptions":   {slices.Concat(box("tfhd", u32(0x020012, 1, 2, 1)), box("trun", u32(1, 1, 0))), errors.ErrMalformed, "description 2 of 1"},
		"several descriptions": {slices.Concat(box("tfhd", u32(0x020012, 1, 1, 1)), box("trun", u32(1, 1, 0))), errors.ErrUnsupported, "on the way"},
	} {
		f := newPieces()
		if name == "several descriptions" {
			f.add([]byte("12"), func(int) []byte {
				return box("traf", box("tfhd", u32(0x020012, 1, 2, 1)), box("trun", u32(1, 1, 0)))
			})
		}
		f.add([]byte("123456789"), func(int) []byte { return box("traf", c.traf) })
		_, err := clip.Demux(f.file(), nil)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.words, name)
	}
}
