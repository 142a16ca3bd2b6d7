package clip_test

import (
	"fmt"
	"hash/adler32"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// The samples of every clip are those that ffprobe finds.
func TestDemuxGoldens(t *testing.T) {
	for _, golden := range sampleNames(t, "golden/*.csv") {
		name := strings.TrimSuffix(golden, ".csv")
		if name == "mpeg2.mp4" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			track, err := clip.Demux(sample(t, name), nil)
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(sample(t, "golden/"+golden))), "\n")
			require.Len(t, track.Samples, len(lines))
			unit := int64(1)
			if strings.HasSuffix(name, ".webm") {
				unit = int64(time.Millisecond)
			}
			for i, line := range lines {
				var start, duration int64
				var size int
				var flags string
				var sum uint32
				_, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%d %d %d %s adler32:%x", &start, &duration, &size, &flags, &sum)
				require.NoError(t, err, line)
				s := track.Samples[i]
				require.Equal(t, start*unit, s.Start, "sample %d", i)
				if name != "unequal.mp4" { // where FFmpeg guesses
					require.Equal(t, duration*unit, s.Duration, "sample %d", i)
				}
				require.Len(t, s.Data, size, "sample %d", i)
				require.Equal(t, flags[0] == 'K', s.Key, "sample %d", i)
				require.Equal(t, sum, adler32.Checksum(s.Data), "sample %d", i)
			}
		})
	}
}

// Nobody knew how long these would be when they were written, and still all of them is there.
func TestDemuxPiped(t *testing.T) {
	for _, name := range []string{"piped.webm", "unsized.webm"} {
		track, err := clip.Demux(sample(t, name), nil)
		require.NoError(t, err)
		require.Equal(t, 2*time.Second, time.Duration(track.Length), name)
		require.Equal(t, 20, track.Shown, name)
	}
}

func TestDemuxLengths(t *testing.T) {
	for name, want := range map[string]struct {
		length int64
		shown  int
	}{
		"h264.mp4": {20480, 20}, "fragmented.mp4": {20480, 20}, "indexed.mp4": {20480, 20}, "edited.mp4": {14336, 14},
		"unequal.mp4": {29 * 8192, 8}, "two.mp4": {2048, 2}, "vp8-hidden.webm": {2e9, 20}, "h264.webm": {2e9, 20},
	} {
		track, err := clip.Demux(sample(t, name), nil)
		require.NoError(t, err, name)
		require.Equal(t, want.length, track.Length, name)
		require.Equal(t, want.shown, track.Shown, name)
	}
}

func TestDemuxColours(t *testing.T) {
	for name, want := range map[string][2]int{"h264.mp4": {2, 0}, "bt709.mp4": {1, 1}, "vp8.webm": {2, 0}} {
		track, err := clip.Demux(sample(t, name), nil)
		require.NoError(t, err, name)
		require.Equal(t, want, [2]int{track.Matrix, track.Level}, name)
	}
}

// pieces are the offsets where a file that was written in pieces may end undetected: after an mdat,
// or after an element of a cluster of unknown size.
func pieces(t *testing.T, name string) []int {
	data := sample(t, name)
	var ends []int
	switch name {
	case "fragmented.mp4", "indexed.mp4":
		for at := 0; at < len(data); {
			size := int(data[at])<<24 | int(data[at+1])<<16 | int(data[at+2])<<8 | int(data[at+3])
			if kind := string(data[at+4 : at+8]); kind != "ftyp" && kind != "moof" {
				ends = append(ends, at+size)
			}
			at += size
		}
	case "piped.webm", "unsized.webm":
		ends = clip.Ends(data)
	}
	return ends
}

// A file that was cut anywhere is an error. If a cut cannot be detected, the file is the clip up to
// there.
func TestFramesCut(t *testing.T) {
	for _, name := range slices.Concat(sampleNames(t, "*.mp4"), sampleNames(t, "*.webm")) {
		if name == "mpeg2.mp4" || name == "sound.mp4" || name == "sound.webm" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := sample(t, name)
			whole, err := clip.Demux(data, nil)
			require.NoError(t, err)
			ends := pieces(t, name)
			traceless := 0
			for cut := range data {
				_, err := clip.FramesWithoutFFmpeg(data[:cut], 2, nil)
				if slices.Contains(ends, cut) {
					part, err := clip.Demux(data[:cut], nil)
					if err == nil {
						traceless++
						require.LessOrEqual(t, len(part.Samples), len(whole.Samples))
						require.Equal(t, whole.Samples[:len(part.Samples)], part.Samples)
						if name == "indexed.mp4" { // whose index tells
							require.Len(t, part.Samples, len(whole.Samples), "cut at %d", cut)
						}
					}
					continue
				}
				require.ErrorIs(t, err, errors.ErrMalformed, "cut at %d of %d", cut, len(data))
			}
			require.Equal(t, len(ends) > 0, traceless > 0)
		})
	}
}
