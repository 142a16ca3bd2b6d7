package raster_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// photograph returns a picture of 1920×1080 pixels with detail everywhere, as the JPEG of a camera
// holds it.
func photograph(b *testing.B) []byte {
	picture := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	state := uint32(1)
	for i := range picture.Pix {
		state = state*1664525 + 1013904223
		x, y := i/4%1920, i/4/1920
		picture.Pix[i] = byte((x*(1+i%4)+y*2)/16) + byte(state>>28)
		if i%4 == 3 {
			picture.Pix[i] = 255
		}
	}
	var file bytes.Buffer
	require.NoError(b, jpeg.Encode(&file, picture, &jpeg.Options{Quality: 85}))
	return file.Bytes()
}

func BenchmarkDecodeJPEG1080p(b *testing.B) {
	file := photograph(b)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := raster.Decode(file, nil, white)
		require.NoError(b, err)
	}
}

func BenchmarkResize1080p(b *testing.B) {
	picture, err := raster.Decode(photograph(b), nil, white)
	require.NoError(b, err)
	const side = 224
	var resizer raster.Resizer
	resized := make([]float32, side*side*3)
	b.SetBytes(int64(len(picture.RGB)))
	b.ReportAllocs()
	for b.Loop() {
		resizer.Resize(resized, picture, side)
	}
}

var white = [3]uint8{255, 255, 255}
