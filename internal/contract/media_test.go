package contract_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// mediaSeat is a seat with a model of every modality.
func (u *user) mediaSeat() seat {
	u.Helper()
	executor := u.executor()
	model, err := mini.Load(background, u.library, &uform.LoadOptions{Executor: executor})
	require.NoError(u, err)
	u.Cleanup(func() { model.Close() })
	return seat{executor, model, u.arena(executor)}
}

// medium are sample files of testdata/media.
func (u *user) medium(folder string, names ...string) uform.Tape {
	u.Helper()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join("..", "..", "testdata", "media", folder, name)
	}
	files, err := uform.Files(paths...)
	require.NoError(u, err)
	return files
}

// cosine returns the cosine of two rows of unit length.
func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// rows returns the embeddings of a call that has to succeed.
func (u *user) rows(encoded uform.Encoded, err error) [][]float32 {
	u.Helper()
	require.NoError(u, err)
	rows := slices.Collect(slices.Chunk(u.floats(encoded.Embeddings), encoded.Embeddings.Columns()))
	for _, row := range rows {
		require.InDelta(u, 1, cosine(row, row), 1e-5)
	}
	return rows
}

// refusedAt requires a status with the item at fault.
func (u *user) refusedAt(err error, status error, item int) {
	u.Helper()
	require.ErrorIs(u, err, status)
	var failure *uform.Error
	require.ErrorAs(u, err, &failure)
	require.Equal(u, item, failure.Item)
}

// filesUnread reports whether the library was built without FFmpeg, and requires that it says so.
func (u *user) filesUnread(encode func() (uform.Encoded, error)) bool {
	u.Helper()
	if u.name == embedded || loadertest.FFmpeg() {
		return false
	}
	_, err := encode()
	u.refusedAt(err, uform.ErrUnsupported, -1)
	u.Log("the C library was built without FFmpeg")
	return true
}

func imageFiles(u *user) {
	at := u.mediaSeat()
	on := at.model.On(at.executor)
	if u.filesUnread(func() (uform.Encoded, error) {
		return on.ImageEncode(background, u.medium("images", "rgb.jpg"), at.arena, nil)
	}) {
		return
	}
	vectors := u.rows(on.ImageEncode(background, u.medium("images", "rgb.jpg", "rgb-8.png", "lossless.webp", "cmyk.jpg"), at.arena, nil))
	require.Greater(u, cosine(vectors[0], vectors[3]), 0.99, "the same picture in four inks")

	turned := u.rows(on.ImageEncode(background,
		u.medium("images", "oriented-1.jpg", "oriented-3.jpg", "oriented-6.jpg", "oriented-8.jpg"), at.arena, nil))
	for _, vector := range turned[1:] {
		require.Greater(u, cosine(turned[0], vector), 0.999)
	}
	broken := u.medium("images", "rgb.jpg", "rgb-8.png")
	broken.Append(broken.Data[:broken.Offsets[1]/2])
	_, err := on.ImageEncode(background, broken, at.arena, nil)
	u.refusedAt(err, uform.ErrMalformed, 2)
	require.Equal(u, vectors, u.rows(on.ImageEncode(background,
		u.medium("images", "rgb.jpg", "rgb-8.png", "lossless.webp", "cmyk.jpg"), at.arena, nil)), "everything stays usable")
	pictures := u.medium("images", "rgb.jpg", "gray-16.png")
	u.promised(2, func(o *uform.EncodeOptions) (uform.Encoded, error) {
		return on.ImageEncode(background, pictures, at.arena, o)
	})
}

func pixelShapes(u *user) {
	at := u.mediaSeat()
	on := at.model.On(at.executor)
	pixels := uform.Pixels{Tape: uform.Bytes([][]byte{make([]byte, 12), make([]byte, 18)}), Heights: []uint32{2, 3}, Widths: []uint32{2, 2}}
	require.Len(u, u.rows(on.ImageEncodePixels(background, pixels, at.arena, nil)), 2)
	pixels.Widths[1] = 3
	_, err := on.ImageEncodePixels(background, pixels, at.arena, nil)
	u.refusedAt(err, uform.ErrShapeMismatch, 1)
	pixels.Widths[1] = 2
	u.promised(2, func(o *uform.EncodeOptions) (uform.Encoded, error) {
		return on.ImageEncodePixels(background, pixels, at.arena, o)
	})
}

func videoFiles(u *user) {
	at := u.mediaSeat()
	on := at.model.On(at.executor)
	if u.filesUnread(func() (uform.Encoded, error) {
		return on.VideoEncode(background, u.medium("video", "mjpeg.mp4"), at.arena, nil)
	}) {
		return
	}
	// Motion JPEG and VP8's key frames are decoded in Go; the others where FFmpeg's libraries are.
	require.Len(u, u.rows(on.VideoEncode(background, u.medium("video", "mjpeg.mp4", "vp8-keys.webm"), at.arena, nil)), 2)
	encoded, err := on.VideoEncode(background, u.medium("video", "h264.mp4", "vp9.webm"), at.arena, nil)
	if errors.Is(err, uform.ErrUnsupported) {
		u.Log("without FFmpeg: ", err)
	} else {
		require.Len(u, u.rows(encoded, err), 2)
	}
	broken := u.medium("video", "mjpeg.mp4")
	broken.Append(broken.Data[:len(broken.Data)/2])
	_, err = on.VideoEncode(background, broken, at.arena, nil)
	u.refusedAt(err, uform.ErrMalformed, 1)
	clip := u.medium("video", "mjpeg.mp4")
	u.promised(1, func(o *uform.EncodeOptions) (uform.Encoded, error) {
		return on.VideoEncode(background, clip, at.arena, o)
	})
}

func audioFiles(u *user) {
	at := u.mediaSeat()
	on := at.model.On(at.executor)
	if u.filesUnread(func() (uform.Encoded, error) {
		return on.AudioEncode(background, u.medium("audio", "stereo.wav"), at.arena, nil)
	}) {
		return
	}
	vectors := u.rows(on.AudioEncode(background,
		u.medium("audio", "stereo.wav", "stereo.flac", "cbr.mp3", "celt.opus", "stereo.ogg"), at.arena, nil))
	require.InDelta(u, 1, cosine(vectors[0], vectors[1]), 1e-5, "the same samples without loss")
	broken := u.medium("audio", "stereo.flac")
	broken.Append(broken.Data[:len(broken.Data)-100])
	_, err := on.AudioEncode(background, broken, at.arena, nil)
	u.refusedAt(err, uform.ErrMalformed, 1)
	recordings := u.medium("audio", "s24.wav", "mono.flac", "silk8.opus")
	u.promised(3, func(o *uform.EncodeOptions) (uform.Encoded, error) {
		return on.AudioEncode(background, recordings, at.arena, o)
	})
}

func sampleRates(u *user) {
	at := u.mediaSeat()
	on := at.model.On(at.executor)
	tone := func(rate int) []float32 {
		samples := make([]float32, rate)
		for i := range samples {
			samples[i] = float32(0.5 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
		}
		return samples
	}
	described, err := at.model.Describe(background)
	if u.onDevice {
		described, err = on.Describe(background)
	}
	require.NoError(u, err)
	want := u.rows(on.AudioEncodeSamples(background, uform.Recordings(0, tone(described.SampleRate)), at.arena, nil))
	for _, rate := range []int{described.SampleRate, 44100, 48000} {
		got := u.rows(on.AudioEncodeSamples(background, uform.Recordings(rate, tone(rate)), at.arena, nil))
		require.Greater(u, cosine(want[0], got[0]), 0.999, "%d Hz", rate)
	}
	_, err = on.AudioEncodeSamples(background, uform.Recordings(0, tone(100), []float32{0, float32(math.NaN())}), at.arena, nil)
	u.refusedAt(err, uform.ErrMalformed, 1)
	tones := uform.Recordings(44100, tone(3000), tone(1))
	u.promised(2, func(o *uform.EncodeOptions) (uform.Encoded, error) {
		return on.AudioEncodeSamples(background, tones, at.arena, o)
	})
}
