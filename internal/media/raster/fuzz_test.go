package raster_test

import (
	stderrors "errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// FuzzDecode checks, for any bytes, that they decode to a whole picture within the limits, which
// bytes after them do not change, or are refused with a known status.
func FuzzDecode(f *testing.F) {
	for _, name := range append(pictures(f), "arithmetic.jpg") {
		f.Add(sample(f, name))
	}
	limits := &raster.Limits{Pixels: 1 << 14}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := raster.Decode(data, limits, background)
		if err != nil {
			require.Nil(t, im)
			require.True(t, stderrors.Is(err, errors.ErrMalformed) != stderrors.Is(err, errors.ErrUnsupported), "%v", err)
			require.NotContains(t, err.Error(), "panicked")
			return
		}
		require.Positive(t, im.Width)
		require.Positive(t, im.Height)
		require.LessOrEqual(t, im.Width*im.Height, limits.Pixels)
		require.Len(t, im.RGB, im.Width*im.Height*3)
		again, err := raster.Decode(append(data[:len(data):len(data)], 0xFF, 0xD9, 0), limits, background)
		require.NoError(t, err)
		require.Equal(t, im, again)
		for _, v := range raster.Resize(im, 3) {
			require.True(t, v >= 0 && v <= 255)
		}
	})
}

// FuzzEXIF checks, for any segment body, that the orientation is one of eight or none, and that
// bytes after it do not change it.
func FuzzEXIF(f *testing.F) {
	for _, name := range sampleNames(f, "oriented-*.jpg") {
		file := sample(f, name)
		at := segments(f, file, 0xE1)[0]
		f.Add(file[at+4 : at+2+int(file[at+2])<<8+int(file[at+3])])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		orientation := raster.ExifOrientation(body)
		require.GreaterOrEqual(t, orientation, 0)
		require.LessOrEqual(t, orientation, 8)
		if orientation > 0 {
			require.Equal(t, orientation, raster.ExifOrientation(append(body[:len(body):len(body)], 1, 2, 3)))
		}
	})
}
