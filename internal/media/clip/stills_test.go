package clip_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// still returns a frame of Motion JPEG that is nothing but a number, up to 255.
func still(t testing.TB, number int) []byte {
	im := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range im.Pix {
		im.Pix[i] = uint8(number)
	}
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, im, &jpeg.Options{Quality: 100}))
	return file.Bytes()
}

// stills returns frames of the numbers from 10 on, in steps of 10.
func stills(t testing.TB, count int) [][]byte {
	frames := make([][]byte, count)
	for i := range frames {
		frames[i] = still(t, 10*(i+1))
	}
	return frames
}

// numbers returns those of the frames of a clip of stills.
func numbers(t testing.TB, data []byte, count int) []int {
	frames, err := clip.FramesWithoutFFmpeg(data, count, nil)
	require.NoError(t, err)
	var seen []int
	for _, im := range frames {
		seen = append(seen, int(im.RGB[0])/10*10)
	}
	return seen
}
