package clip_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// like is how near to FFmpeg's frames ours have to be, in decibels. Neighbours are farther from
// each other.
const like = 40

// decoder returns frames, as [clip.Frames] does, if its requirements are installed.
func decoder(t testing.TB, name string) func([]byte, int, *clip.Limits) ([]raster.Image, error) {
	if slices.Contains(goClips, name) {
		return clip.FramesWithoutFFmpeg
	}
	requireFFmpeg(t)
	return clip.Frames
}

func requireGolden(t *testing.T, name, golden string, count, distinct int) {
	frames, err := decoder(t, name)(sample(t, name), count, nil)
	require.NoError(t, err)
	require.Len(t, frames, count)
	want := goldenFrames(t, golden, distinct)
	// The inverse transform of JPEG is Go's, not FFmpeg's: those frames are like the golden's, all
	// others as good as equal.
	near := func(a, b *raster.Image) bool { return distance(a, b) <= 2 }
	if golden == "mjpeg.mp4" {
		near = func(a, b *raster.Image) bool { return likeness(t, a, b) > like }
	}
	for j := range frames {
		own := j * distinct / count
		require.Greater(t, likeness(t, &want[own], &frames[j]), float64(like), "frame %d", j)
		for other := range want {
			if len(frames[j].RGB) > 3 {
				require.Equal(t, other == own, near(&want[other], &frames[j]), "frame %d and %d of the golden", j, other)
			}
		}
		require.True(t, near(&want[own], &frames[j]))
	}
}

// The frames of every clip are those of the ffmpeg program, in the colours of the page.
func TestFramesGoldens(t *testing.T) {
	for _, name := range slices.Concat(sampleNames(t, "golden/*.ppm"), []string{
		"fragmented.mp4", "indexed.mp4", "rotated-0.mp4", "h264.webm", "mjpeg.webm", "unsized.webm",
		"mjpeg-nodht.mp4", "mjpeg-nodht.webm",
	}) {
		name = string(bytes.TrimSuffix([]byte(name), []byte(".ppm")))
		t.Run(name, func(t *testing.T) {
			golden := name
			if twin, ok := twins[name]; ok {
				golden = twin
			}
			distinct := 4
			if name == "two.mp4" {
				distinct = 2 // each is taken twice
			}
			requireGolden(t, name, golden, 4, distinct)
		})
	}
}

// A fault that was found: Motion JPEG without Huffman tables. The sum is of what djpeg -dct int
// makes of frames 1, 3, 6 and 8 of 10.
func TestFramesWithoutTables(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("testdata", "nodht.mkv"))
	require.NoError(t, err)
	frames, err := clip.FramesWithoutFFmpeg(file, 4, nil)
	require.NoError(t, err)
	sum := sha256.New()
	for i := range frames {
		sum.Write(frames[i].RGB)
	}
	require.Equal(t, "0bdc16cb58c295b1fe6d578b3b9c7bcb5dc7c98343c0186e6feb9b4b5ec58864", fmt.Sprintf("%x", sum.Sum(nil)))
}

// turned returns a picture turned a quarter to the right.
func turned(im *raster.Image) *raster.Image {
	out := &raster.Image{Width: im.Height, Height: im.Width}
	for y := range out.Height {
		for x := range out.Width {
			from := ((im.Height-1-x)*im.Width + y) * 3
			out.RGB = append(out.RGB, im.RGB[from:from+3]...)
		}
	}
	return out
}

// A turned clip is its twin that is not, turned afterwards.
func TestFramesTurned(t *testing.T) {
	requireFFmpeg(t)
	want, err := clip.Frames(sample(t, "rotated-0.mp4"), 3, nil)
	require.NoError(t, err)
	for _, names := range [][]string{{"rotated-90.mp4", "rotated-movie.mp4"}, {"rotated-180.mp4", "rotated-both.mp4"}, {"rotated-270.mp4"}} {
		for j := range want {
			want[j] = *turned(&want[j])
		}
		for _, name := range names {
			frames, err := clip.Frames(sample(t, name), 3, nil)
			require.NoError(t, err, name)
			require.Equal(t, want, frames, name)
		}
	}
}

// Clips in other containers have bit-identical frames.
func TestFramesTwins(t *testing.T) {
	for name, twin := range twins {
		t.Run(name, func(t *testing.T) {
			take := decoder(t, name)
			want, err := take(sample(t, twin), 7, nil)
			require.NoError(t, err)
			frames, err := take(sample(t, name), 7, nil)
			require.NoError(t, err)
			require.Equal(t, want, frames)
		})
	}
}

// If more frames are requested than there are, each is returned several times. The frames do not
// depend on how much is decoded before them.
func TestFramesOfAnyCount(t *testing.T) {
	for _, name := range []string{"h264.mp4", "vp8-hidden.webm", "hevc.mp4", "av1.webm", "vp8-keys.webm", "mjpeg.mp4"} {
		t.Run(name, func(t *testing.T) {
			take := decoder(t, name)
			all, err := take(sample(t, name), 20, nil)
			require.NoError(t, err)
			for count := 1; count <= 20; count++ {
				some, err := take(sample(t, name), count, nil)
				require.NoError(t, err, count)
				for j := range some {
					require.Equal(t, all[(2*j+1)*20/(2*count)], some[j], "frame %d of %d", j, count)
				}
			}
			more, err := take(sample(t, name), 60, nil)
			require.NoError(t, err)
			for j := range more {
				require.Same(t, &more[j/3*3].RGB[0], &more[j].RGB[0], "the pixels of frame %d", j)
				require.Equal(t, all[j/3], more[j])
			}
		})
	}
}

// Any goroutines may decode concurrently and repeatedly, whatever was decoded before.
func TestFramesInterleaved(t *testing.T) {
	names := slices.DeleteFunc(slices.Concat(sampleNames(t, "*.mp4"), sampleNames(t, "*.webm")), func(name string) bool {
		return name == "mpeg2.mp4" || name == "sound.mp4" || name == "sound.webm" || clip.FFmpeg() != nil && !slices.Contains(goClips, name)
	})
	files, want := map[string][]byte{}, map[string][]raster.Image{}
	for _, name := range names {
		frames, err := clip.Frames(sample(t, name), 3, nil)
		require.NoError(t, err, name)
		files[name], want[name] = sample(t, name), frames
	}
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := range 2 * len(names) {
				name := names[(i+worker*3)%len(names)]
				frames, err := clip.Frames(files[name], 3, nil)
				if err != nil || !slices.EqualFunc(want[name], frames, func(a, b raster.Image) bool {
					return a.Width == b.Width && a.Height == b.Height && bytes.Equal(a.RGB, b.RGB)
				}) {
					t.Errorf("%s decodes to something else the next time (%v)", name, err)
				}
			}
		})
	}
	wait.Wait()
	for name, file := range files {
		require.Equal(t, sample(t, name), file, "the file is left as it was")
	}
}

func TestSniff(t *testing.T) {
	for _, name := range sampleNames(t, "*.mp4") {
		format, known := clip.Sniff(sample(t, name)[:8])
		require.True(t, known)
		require.Equal(t, clip.MP4, format)
	}
	for _, name := range sampleNames(t, "*.webm") {
		format, known := clip.Sniff(sample(t, name)[:4])
		require.True(t, known)
		require.Equal(t, clip.WebM, format)
	}
	for _, other := range []string{"", "\x00\x00\x00\x18fty", "ftypisom", "\x1A\x45\xDF", "\x00\x00\x00\x18moov", "RIFF\x00\x00\x00\x00AVI "} {
		format, known := clip.Sniff([]byte(other))
		require.False(t, known, "%q", other)
		require.Zero(t, format)
		_, err := clip.Frames([]byte(other), 1, nil)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, "first bytes are not those of MP4 or WebM")
	}
	require.Equal(t, []string{"MP4", "WebM", "unknown format"}, []string{clip.MP4.String(), clip.WebM.String(), clip.Format(0).String()})
}

func TestFramesRefused(t *testing.T) {
	for _, name := range []string{"sound.mp4", "sound.webm"} {
		_, err := clip.Frames(sample(t, name), 1, nil)
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, "has no video track", name)
	}
	_, err := clip.Frames(sample(t, "mpeg2.mp4"), 1, nil)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "MPEG-2")
	for _, count := range []int{0, -1, clip.DefaultSamples + 1, math.MaxInt} {
		_, err := clip.Frames(sample(t, "mjpeg.mp4"), count, nil)
		require.ErrorIs(t, err, errors.ErrInvalidArgument)
	}
}

// Without FFmpeg, errors say what needs it and what to do; what does not need it decodes.
func TestFramesWithoutFFmpeg(t *testing.T) {
	for name, codec := range map[string]string{
		"h264.mp4": "H.264", "fragmented.mp4": "H.264", "h264.webm": "H.264", "hevc.mp4": "H.265", "mpeg4.mp4": "MPEG-4", "vp8.webm": "VP8",
		"vp9.webm": "VP9", "av1.webm": "AV1",
	} {
		_, err := clip.FramesWithoutFFmpeg(sample(t, name), 4, nil)
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
		require.NotErrorIs(t, err, errors.ErrMalformed, name)
		require.ErrorContains(t, err, "video is "+codec+", which is decoded by FFmpeg: none is here", name)
	}
	for _, name := range goClips {
		_, err := clip.FramesWithoutFFmpeg(sample(t, name), 4, nil)
		require.NoError(t, err, name)
	}
	// The last of 20 times is that of the last key, except for a frame: what matters is which
	// frames are needed.
	keys := sample(t, "vp8.webm")
	track, err := clip.Demux(keys, nil)
	require.NoError(t, err)
	require.True(t, track.Samples[16].Key && !track.Samples[17].Key)
	_, err = clip.FramesWithoutFFmpeg(keys, 1, nil) // the eleventh
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestLimits(t *testing.T) {
	const pixels, frames = 64 * 48, 20
	for name, limits := range map[string]clip.Limits{
		"frames too large":           {Pixels: pixels - 1},
		"over 19 frames":             {Samples: frames - 1},
		"the frames take over 36863": {Bytes: 3*4*pixels - 1},
	} {
		for _, clips := range []string{"mjpeg.mp4", "mjpeg.webm", "h264.mp4", "fragmented.mp4"} {
			take := decoder(t, clips)
			_, err := take(sample(t, clips), 4, &limits)
			require.ErrorIs(t, err, errors.ErrMalformed, clips)
			require.ErrorContains(t, err, name, clips)
			_, err = take(sample(t, clips), 4, &clip.Limits{Pixels: pixels, Samples: frames, Bytes: 3 * 4 * pixels})
			require.NoError(t, err, clips)
		}
	}
}
