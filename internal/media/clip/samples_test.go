package clip_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// samples is a folder of clips whose INDEX.md says what each is for. Every implementation decodes
// the same.
var samples = filepath.Join("..", "..", "..", "testdata", "media", "video")

func sample(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(samples, name))
	require.NoError(t, err)
	return data
}

// sampleNames returns the names of the clips that match a pattern.
func sampleNames(t testing.TB, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(samples, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// goldenFrames reads frames that stand one below the other in a PPM.
func goldenFrames(t testing.TB, name string, count int) []raster.Image {
	data := sample(t, filepath.Join("golden", name+".ppm"))
	var width, height int
	_, err := fmt.Fscanf(bytes.NewReader(data), "P6\n%d %d\n255\n", &width, &height)
	require.NoError(t, err, name)
	require.Zero(t, height%count, name)
	data = data[len(data)-3*width*height:]
	frames := make([]raster.Image, count)
	size := len(data) / count
	for i := range frames {
		frames[i] = raster.Image{Width: width, Height: height / count, RGB: data[i*size : (i+1)*size]}
	}
	return frames
}

// likeness returns the peak signal-to-noise ratio of two pictures of one size, in decibels.
func likeness(t testing.TB, a, b *raster.Image) float64 {
	require.Equal(t, [2]int{a.Width, a.Height}, [2]int{b.Width, b.Height})
	require.Len(t, b.RGB, len(a.RGB))
	sum := 0.0
	for i := range a.RGB {
		difference := float64(a.RGB[i]) - float64(b.RGB[i])
		sum += difference * difference
	}
	return 10 * math.Log10(255*255*float64(len(a.RGB))/sum)
}

// distance returns the largest difference of two pictures of one size.
func distance(a, b *raster.Image) (largest int) {
	for i := range a.RGB {
		difference := int(a.RGB[i]) - int(b.RGB[i])
		largest = max(largest, difference, -difference)
	}
	return largest
}

// goClips are those that Go decodes.
var goClips = []string{"mjpeg.mp4", "mjpeg.webm", "mjpeg-nodht.mp4", "mjpeg-nodht.webm", "vp8-keys.webm"}

// twins are clips that hold the stream of another, whose golden they share.
var twins = map[string]string{
	"fragmented.mp4": "h264.mp4", "indexed.mp4": "h264.mp4", "rotated-0.mp4": "h264.mp4", "h264.webm": "h264.mp4",
	"mjpeg.webm": "mjpeg.mp4", "mjpeg-nodht.mp4": "mjpeg.mp4", "mjpeg-nodht.webm": "mjpeg.mp4", "unsized.webm": "piped.webm",
}

// requireFFmpeg skips on machines without FFmpeg.
func requireFFmpeg(t testing.TB) {
	if err := clip.FFmpeg(); err != nil {
		t.Skipf("needs FFmpeg's libraries (Debian 12: libavcodec59 libavutil57): %v", err)
	}
}
