package clip_test

import (
	stderrors "errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// FuzzFrames checks, for any bytes and without FFmpeg, that they return as many frames as
// requested, within the limits, or an error of a known kind, and that what the demuxers find lies
// in the file.
func FuzzFrames(f *testing.F) {
	for _, name := range slices.Concat(sampleNames(f, "*.mp4"), sampleNames(f, "*.webm")) {
		f.Add(sample(f, name), uint8(4))
	}
	f.Add(newFilm(stills(f, 3)).file(), uint8(5))
	limits := &clip.Limits{Pixels: 1 << 13, Samples: 200, Bytes: 1 << 18}
	f.Fuzz(func(t *testing.T, data []byte, count uint8) {
		track, err := clip.Demux(data, limits)
		if err == nil {
			require.LessOrEqual(t, len(track.Samples), limits.Samples)
			require.GreaterOrEqual(t, track.Length, int64(0))
			require.Positive(t, track.Shown)
			for _, s := range track.Samples {
				require.LessOrEqual(t, len(s.Data), len(data))
			}
		} else {
			requireKnown(t, err)
		}
		frames, taken := clip.FramesWithoutFFmpeg(data, int(count), limits)
		if err != nil || count == 0 || int(count) > limits.Samples {
			require.Error(t, taken)
		}
		if taken != nil {
			require.Nil(t, frames)
			if count > 0 && int(count) <= limits.Samples {
				requireKnown(t, taken)
			}
			return
		}
		require.Len(t, frames, int(count))
		bytes := map[*byte]int{}
		for _, im := range frames {
			require.Positive(t, im.Width)
			require.Positive(t, im.Height)
			require.LessOrEqual(t, im.Width*im.Height, limits.Pixels)
			require.Len(t, im.RGB, im.Width*im.Height*3)
			bytes[&im.RGB[0]] = len(im.RGB)
		}
		sum := 0
		for _, size := range bytes {
			sum += size
		}
		require.LessOrEqual(t, sum, limits.Bytes)
	})
}

// requireKnown requires an error of one of the two kinds that a file may cause.
func requireKnown(t *testing.T, err error) {
	require.True(t, stderrors.Is(err, errors.ErrMalformed) != stderrors.Is(err, errors.ErrUnsupported), "%v", err)
}
