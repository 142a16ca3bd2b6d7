package uform_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

func sampleFile(t testing.TB, path ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"..", "testdata", "media"}, path...)...))
	require.NoError(t, err)
	return content
}

func sampleFiles(t testing.TB, folder string, names ...string) (files [][]byte) {
	t.Helper()
	for _, name := range names {
		files = append(files, sampleFile(t, folder, name))
	}
	return append(files, nil)
}

// pictures are decoded by the standard library.
func pictures(t testing.TB, names ...string) (decoded []image.Image) {
	t.Helper()
	for _, name := range names {
		picture, _, err := image.Decode(bytes.NewReader(sampleFile(t, "images", name)))
		require.NoError(t, err)
		decoded = append(decoded, picture)
	}
	return decoded
}

// sine is a recording of one tone.
func sine(rate, count int) []float32 {
	samples := make([]float32, count)
	for i := range samples {
		samples[i] = float32(math.Sin(2 * math.Pi * 440 * float64(i) / float64(rate)))
	}
	return samples
}

// mediaWay runs one verb of media on one receiver.
type mediaWay = func(ctx context.Context, f fixture, options *uform.EncodeOptions) (uform.Encoded, error)

// mediaVerb is one verb with items that the example model takes, the last of them empty.
type mediaVerb struct {
	count  int
	tokens []int // of each item, nil if only decoding shows it
	// bare, on and deferred are its receivers.
	bare, on, deferred mediaWay
}

func waited[C interface {
	Wait(context.Context) (uform.Encoded, error)
}](call C, err error) (uform.Encoded, error) {
	if err != nil {
		return uform.Encoded{}, err
	}
	return call.Wait(background)
}

func mediaVerbs(t testing.TB) map[string]mediaVerb {
	t.Helper()
	images := uform.Bytes(sampleFiles(t, "images", "baseline.jpg", "rgb-alpha-16.png", "lossless.webp", "progressive.jpg", "animated.webp"))
	videos := uform.Bytes(sampleFiles(t, "video", "mjpeg.mp4", "vp8-keys.webm"))
	recordings := uform.Bytes(sampleFiles(t, "audio", "s24.wav", "stereo.flac", "vbr.mp3", "silk8.opus", "stereo.ogg"))
	pixels := uform.Images(append(pictures(t, "baseline.jpg", "palette-8.png"), image.NewRGBA(image.Rectangle{}))...)
	samples := uform.Recordings(44100, sine(44100, 44100), sine(44100, 100), nil)
	return map[string]mediaVerb{
		"ImageEncode": {6, []int{16, 16, 16, 16, 16, 0},
			func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.ImageEncode(ctx, images, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.On(f.executor).ImageEncode(ctx, images, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return waited(f.model.Deferred(f.executor).ImageEncode(ctx, images, f.arena, o))
			}},
		"ImageEncodePixels": {3, []int{16, 16, 0},
			func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.ImageEncodePixels(ctx, pixels, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.On(f.executor).ImageEncodePixels(ctx, pixels, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return waited(f.model.Deferred(f.executor).ImageEncodePixels(ctx, pixels, f.arena, o))
			}},
		"VideoEncode": {3, []int{64, 64, 0},
			func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.VideoEncode(ctx, videos, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.On(f.executor).VideoEncode(ctx, videos, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return waited(f.model.Deferred(f.executor).VideoEncode(ctx, videos, f.arena, o))
			}},
		"AudioEncode": {6, nil,
			func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.AudioEncode(ctx, recordings, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.On(f.executor).AudioEncode(ctx, recordings, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return waited(f.model.Deferred(f.executor).AudioEncode(ctx, recordings, f.arena, o))
			}},
		// A second at the model's rate is 100 frames and one more, in patches of 8; 100 samples at
		// 44,100 Hz are one.
		"AudioEncodeSamples": {3, []int{13, 1, 0},
			func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.AudioEncodeSamples(ctx, samples, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return f.model.On(f.executor).AudioEncodeSamples(ctx, samples, f.arena, o)
			}, func(ctx context.Context, f fixture, o *uform.EncodeOptions) (uform.Encoded, error) {
				return waited(f.model.Deferred(f.executor).AudioEncodeSamples(ctx, samples, f.arena, o))
			}},
	}
}

// Every verb returns the same on every receiver.
func TestMediaOnEveryReceiver(t *testing.T) {
	for name, verb := range mediaVerbs(t) {
		t.Run(name, func(t *testing.T) {
			var first uform.Copied
			for _, options := range []*uform.ExecutorOptions{{Threads: 2}, heldOptions} {
				f := newFixture(t, options)
				for receiver, way := range map[string]mediaWay{"bare": verb.bare, "on": verb.on, "deferred": verb.deferred} {
					encoded, err := way(t.Context(), f, &uform.EncodeOptions{Outputs: uform.Embeddings | uform.States})
					require.NoError(t, err, receiver)
					copied, err := encoded.Copy()
					require.NoError(t, err)
					if first.Embeddings == nil {
						first = copied
					}
					require.Equal(t, first, copied, receiver)

					encoded, err = way(t.Context(), f, nil)
					require.NoError(t, err)
					rows, err := encoded.Embeddings.Copy()
					require.NoError(t, err)
					require.Equal(t, first.Embeddings, rows, receiver)
				}
			}
			require.Len(t, first.Embeddings, verb.count)
			require.Len(t, first.States, verb.count)
			for i, row := range first.Embeddings {
				require.InDelta(t, 1, length(row), 1e-5)
				if verb.tokens != nil {
					require.Len(t, first.States[i], verb.tokens[i])
				}
			}
			require.Empty(t, first.States[verb.count-1], "the last item is empty")
		})
	}
}

func length(row []float32) (sum float64) {
	for _, v := range row {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// A file decoded by the library has the vector of the same file decoded by the program.
func TestFilesAndPixelsAgree(t *testing.T) {
	f := newFixture(t, heldOptions)
	names := []string{"rgb-8.png", "palette-8.png", "gray-16.png", "rgb-alpha-8-interlaced.png"}
	encoded, err := f.model.ImageEncode(t.Context(), uform.Bytes(sampleFiles(t, "images", names...)[:len(names)]), f.arena, nil)
	require.NoError(t, err)
	files, err := encoded.Embeddings.Copy()
	require.NoError(t, err)
	encoded, err = f.model.ImageEncodePixels(t.Context(), uform.Images(pictures(t, names...)...), f.arena, nil)
	require.NoError(t, err)
	decoded, err := encoded.Embeddings.Copy()
	require.NoError(t, err)
	for i, row := range files {
		require.InDeltaSlice(t, row, decoded[i], 1e-6, names[i])
	}
}

// Samples of a file have the vector of the file.
func TestFilesAndSamplesAgree(t *testing.T) {
	f := newFixture(t, heldOptions)
	samples := sine(8000, 4000)
	file := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00\x40\x1f\x00\x00\x00\x7d\x00\x00\x04\x00\x20\x00data")
	file = binary.LittleEndian.AppendUint32(file, uint32(4*len(samples)))
	for _, v := range samples {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(v))
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	encoded, err := f.model.AudioEncode(t.Context(), uform.Bytes([][]byte{file}), f.arena, nil)
	require.NoError(t, err)
	fromFile, err := encoded.Embeddings.Copy()
	require.NoError(t, err)
	encoded, err = f.model.AudioEncodeSamples(t.Context(), uform.Recordings(8000, samples), f.arena, nil)
	require.NoError(t, err)
	fromSamples, err := encoded.Embeddings.Copy()
	require.NoError(t, err)
	require.Equal(t, fromFile, fromSamples)
}

func TestMediaErrorsNameTheItem(t *testing.T) {
	f := newFixture(t, heldOptions)
	bad := uform.Strings([]string{"", "no file of any kind"})
	encodeFiles := map[string]func(context.Context, uform.Tape, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error){
		"images": f.model.ImageEncode, "videos": f.model.VideoEncode, "recordings": f.model.AudioEncode,
	}
	for name, encode := range encodeFiles {
		_, err := encode(t.Context(), bad, f.arena, nil)
		require.ErrorIs(t, err, uform.ErrMalformed, name)
		require.ErrorContains(t, err, "item 1", name)
	}
	pixels := uform.Images(image.NewRGBA(image.Rect(0, 0, 4, 4)), image.NewRGBA(image.Rect(0, 0, 4, 4)))
	pixels.Heights[1] = 5
	_, err := f.model.ImageEncodePixels(t.Context(), pixels, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrShapeMismatch)
	require.ErrorContains(t, err, "item 1")
	_, err = f.model.AudioEncodeSamples(t.Context(), uform.Recordings(0, []float32{0}, []float32{float32(math.NaN())}), f.arena, nil)
	require.ErrorIs(t, err, uform.ErrMalformed)
	require.ErrorContains(t, err, "item 1")
}

func TestMediaAreCancelled(t *testing.T) {
	for name, verb := range mediaVerbs(t) {
		f := newFixture(t, heldOptions)
		for receiver, way := range map[string]mediaWay{"bare": verb.bare, "on": verb.on, "deferred": verb.deferred} {
			reason := fmt.Errorf("changed my mind")
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err := way(ctx, f, &uform.EncodeOptions{Progress: func(int, int) error { cancel(reason); return nil }})
			require.ErrorIs(t, err, uform.ErrCancelled, "%s on %s", name, receiver)
			cancel(nil)
		}
	}
}

// Many goroutines decode at once, each with its own arena, and all get the same as one alone.
func TestDecodingInterleaves(t *testing.T) {
	f := newFixture(t, heldOptions)
	verbs := mediaVerbs(t)
	want := map[string][][]float32{}
	for name, verb := range verbs {
		encoded, err := verb.bare(t.Context(), f, nil)
		require.NoError(t, err)
		want[name], err = encoded.Embeddings.Copy()
		require.NoError(t, err)
	}
	var group sync.WaitGroup
	for range 3 {
		for name, verb := range verbs {
			group.Go(func() {
				own := f
				var err error
				if own.arena, err = f.library.NewArena(nil); err != nil {
					t.Error(err)
					return
				}
				defer own.arena.Close()
				for range 2 {
					encoded, err := verb.bare(t.Context(), own, nil)
					if err != nil {
						t.Error(err)
						return
					}
					rows, err := encoded.Embeddings.Copy()
					if err != nil || fmt.Sprint(rows) != fmt.Sprint(want[name]) {
						t.Errorf("%s is not what it is alone: %v", name, err)
					}
				}
			})
		}
	}
	group.Wait()
}
