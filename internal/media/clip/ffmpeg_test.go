package clip_test

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/platform"
)

func TestSearchFFmpeg(t *testing.T) {
	empty, full := t.TempDir(), t.TempDir()
	err := clip.SearchFFmpeg([]string{empty, full})
	if !platform.Native {
		require.ErrorIs(t, err, errors.ErrUnsupported)
		return
	}
	if bits.UintSize == 32 {
		require.ErrorContains(t, err, "only asked on systems of 64 bits")
		return
	}
	require.ErrorContains(t, err, "install FFmpeg's shared libraries (Debian: ffmpeg)")
	require.ErrorContains(t, err, clip.LibraryFile("avcodec", 62)+" to "+clip.LibraryFile("avcodec", 58))
	require.ErrorContains(t, err, empty+", "+full)
	for name, version := range clip.FFmpegVersions() {
		require.NoError(t, os.WriteFile(filepath.Join(full, clip.LibraryFile(name, version)), nil, 0o600))
	}
	err = clip.SearchFFmpeg([]string{empty, full})
	require.ErrorContains(t, err, "FFmpeg 8 in "+full+" is of no use")
	require.ErrorContains(t, err, "the file is empty")
	// What is there must be whole: with one library alone, nothing is.
	require.NoError(t, os.Remove(filepath.Join(full, clip.LibraryFile("avutil", clip.FFmpegVersions()["avutil"]))))
	require.ErrorContains(t, clip.SearchFFmpeg([]string{full}), "install")
}

// An FFmpeg whose structs are not as expected is not used.
func TestProveFFmpeg(t *testing.T) {
	requireFFmpeg(t)
	require.NoError(t, clip.ProveFFmpeg(""))
	require.ErrorContains(t, clip.ProveFFmpeg("packetAlloc"), "no memory")
	require.ErrorContains(t, clip.ProveFFmpeg("packetNew"), "its packets are laid out in an unknown way")
	require.ErrorContains(t, clip.ProveFFmpeg("packetNew, saying so"), "FFmpeg: Cannot allocate memory")
	require.ErrorContains(t, clip.ProveFFmpeg("frameGetBuffer"), "its frames are laid out in an unknown way")
	require.Error(t, clip.ProveFFmpeg("writeMemory"))
	require.ErrorContains(t, clip.ProveFFmpeg("readMemory"), "laid out in an unknown way")
}

// A library without what is called says all that it lacks.
func TestBindFFmpeg(t *testing.T) {
	requireFFmpeg(t)
	var found []string
	for _, place := range platform.Places() {
		paths, err := filepath.Glob(filepath.Join(place, "*avutil*"))
		require.NoError(t, err)
		// What developers install beside it, libavutil.a, is not loaded by anybody.
		found = append(found, slices.DeleteFunc(paths, func(path string) bool { return filepath.Ext(path) == ".a" })...)
	}
	require.NotEmpty(t, found)
	err := clip.BindFFmpeg(found[0])
	require.ErrorContains(t, err, "it lacks")
	require.ErrorContains(t, err, "avcodec_open2")
	require.ErrorContains(t, err, "av_new_packet")
	require.NotContains(t, err.Error(), "av_frame_alloc")
}

// spoiled is a file in which a sample is something else.
func spoiled(t *testing.T, file []byte, sample int) []byte {
	track, err := clip.Demux(file, nil)
	require.NoError(t, err)
	data := track.Samples[sample].Data
	at := bytes.Index(file, data)
	require.Positive(t, at)
	file = bytes.Clone(file)
	for i := at + 5 + len(data)/8; i < at+len(data); i++ {
		file[i] ^= byte(i) | 1
	}
	return file
}

// A frame that is damaged is an error, and not a guess at a picture, if it is needed. That goes for
// codecs that notice: to H.265 and the VPs, anything is a picture.
func TestFramesDamaged(t *testing.T) {
	requireFFmpeg(t)
	// The eleventh frame is needed, and the last key before it. The next key is not.
	for name, keys := range map[string][2]int{"h264.mp4": {8, 16}, "mjpeg.mp4": {10, 11}} {
		file := sample(t, name)
		whole, err := clip.Frames(file, 1, nil)
		require.NoError(t, err)
		_, err = clip.Frames(spoiled(t, file, keys[0]), 1, nil)
		require.ErrorIs(t, err, errors.ErrMalformed, name)
		require.ErrorContains(t, err, "sample", name)
		frames, err := clip.Frames(spoiled(t, file, keys[1]), 1, nil)
		require.NoError(t, err, name)
		require.Equal(t, whole, frames, name)
	}
}

// Where a file marks a key that is none, more is decoded.
func TestFramesFalseKey(t *testing.T) {
	requireFFmpeg(t)
	file := sample(t, "rotated-0.mp4")
	want, err := clip.Frames(file, 1, nil)
	require.NoError(t, err)
	at := bytes.Index(file, []byte("stss"))
	require.Positive(t, at)
	for i, key := range []uint32{1, 9, 17} {
		require.Equal(t, key, binary.BigEndian.Uint32(file[at+12+4*i:]))
	}
	binary.BigEndian.PutUint32(file[at+16:], 11) // which is shown before the eleventh frame
	frames, err := clip.Frames(file, 1, nil)
	require.NoError(t, err)
	require.Equal(t, want, frames)
}

// What a file claims of its size is not believed: the decoder is told the limit, too.
func TestLimitsOfTheStream(t *testing.T) {
	requireFFmpeg(t)
	for _, name := range []string{"h264.mp4", "hevc.mp4"} {
		file := sample(t, name)
		entry := max(bytes.Index(file, []byte("avc1\x00\x00\x00\x00\x00\x00")), bytes.Index(file, []byte("hvc1\x00\x00\x00\x00\x00\x00")))
		require.Positive(t, entry)
		size := file[entry+4+24:]
		require.Equal(t, u16(64, 48), size[:4])
		copy(size, u16(8, 8))
		_, err := clip.Frames(file, 1, nil)
		require.NoError(t, err, name)
		_, err = clip.Frames(file, 1, &clip.Limits{Pixels: 64*48 - 1})
		require.ErrorIs(t, err, errors.ErrMalformed, name)
	}
}
