package uform_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// Faults of others with media, by their numbers in the contract's list, on both implementations.
// Bug 16, one picture with two vectors, is TestMediaAgree.

// eachMedia runs a test on the engine, and on the C library where it reads files.
func eachMedia(t *testing.T, test func(t *testing.T, f fixture)) {
	t.Run("engine", func(t *testing.T) { test(t, newFixture(t, &uform.ExecutorOptions{Threads: 2})) })
	t.Run("native", func(t *testing.T) { test(t, mediaPair(t).native) })
}

// rowsOf returns the embeddings of files, which have to be encoded.
func rowsOf(t testing.TB, f fixture, folder string, files ...[]byte) [][]float32 {
	t.Helper()
	encoded, err := fileVerbs[folder](f, uform.Bytes(files), nil)
	require.NoError(t, err)
	copied, err := encoded.Copy()
	require.NoError(t, err)
	return copied.Embeddings
}

// rowOfPixels returns the embedding of a golden picture.
func rowOfPixels(t *testing.T, f fixture, name string) []float32 {
	t.Helper()
	content := sampleFile(t, "images", "golden", name)
	var width, height, most int
	_, err := fmt.Sscanf(string(content[:20]), "P6\n%d %d\n%d", &width, &height, &most)
	require.NoError(t, err)
	pixels := uform.Pixels{
		Tape: uform.Bytes([][]byte{content[len(content)-width*height*3:]}), Heights: []uint32{uint32(height)}, Widths: []uint32{uint32(width)},
	}
	encoded, err := f.model.On(f.executor).ImageEncodePixels(background, pixels, f.arena, nil)
	require.NoError(t, err)
	copied, err := encoded.Copy()
	require.NoError(t, err)
	return copied.Embeddings[0]
}

func TestBug5MediaInBatches(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		for folder := range fileVerbs {
			var files [][]byte
			for _, name := range sampleNames(t, folder) {
				content := sampleFile(t, folder, name)
				if _, err := fileVerbs[folder](f, uform.Bytes([][]byte{content}), nil); err == nil {
					files = append(files, content)
				}
			}
			for i, row := range rowsOf(t, f, folder, files...) {
				alike(t, rowsOf(t, f, folder, files[i])[0], row, 1e-9, fmt.Sprintf("%s %d", folder, i))
			}
		}
	})
}

func TestBug6EightOrientationsOfOnePhotograph(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		var files [][]byte
		for orientation := range 8 {
			files = append(files, sampleFile(t, "images", fmt.Sprintf("oriented-%d.jpg", orientation+1)))
		}
		rows := rowsOf(t, f, "images", files...)
		for i, row := range rows {
			alike(t, rows[0], row, 1e-3, fmt.Sprint("orientation ", i+1))
		}
	})
}

func TestBug7InksAndTheirTwinOfLight(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		twin := rowOfPixels(t, f, "twin.ppm")
		for _, name := range []string{"cmyk.jpg", "cmyk-plain.jpg", "ycck.jpg", "ycck-2x2.jpg"} {
			// For an inverted picture the difference is 0.8.
			alike(t, twin, rowsOf(t, f, "images", sampleFile(t, "images", name))[0], 0.02, name)
		}
	})
}

func TestBug8AnimatedWebPShowsItsFirstFrame(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		alike(t, rowOfPixels(t, f, "animated.webp.ppm"), rowsOf(t, f, "images", sampleFile(t, "images", "animated.webp"))[0], 1e-3, "animated.webp")
	})
}

func TestBug9FLACBehindATag(t *testing.T) {
	tag := append([]byte("ID3\x04\x00\x00\x00\x00\x02\x00"), make([]byte, 256)...)
	eachMedia(t, func(t *testing.T, f fixture) {
		content := sampleFile(t, "audio", "stereo24.flac")
		rows := rowsOf(t, f, "audio", content, slices.Concat(tag, content))
		require.Equal(t, rows[0], rows[1])
	})
}

func TestBug10PipedWebMIsReadToItsEnd(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		piped, unsized := sampleFile(t, "video", "piped.webm"), sampleFile(t, "video", "unsized.webm")
		if _, err := fileVerbs["video"](f, uform.Bytes([][]byte{piped}), nil); err != nil {
			// Without FFmpeg, only key frames of VP8 are decoded.
			requireRefused(t, err, uform.ErrUnsupported, 0)
			return
		}
		rows := rowsOf(t, f, "video", piped, unsized, sampleFile(t, "video", "vp8.webm"))
		alike(t, rows[0], rows[1], 1e-9, "clusters of unknown size")
		alike(t, rows[2], rows[0], 0.01, "the same picture from a seekable file")
		_, err := fileVerbs["video"](f, uform.Bytes([][]byte{piped, piped[:len(piped)-10]}), nil)
		requireRefused(t, err, uform.ErrMalformed, 1)
	})
}

func TestBug11WhatAnEncoderAddedIsNoSound(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		for _, name := range []string{"cbr.mp3", "vbr.mp3", "lavc.mp3", "tagged.mp3"} {
			golden := make([]int16, 15435)
			require.NoError(t, binary.Read(bytes.NewReader(sampleFile(t, "audio", "golden", name+".s16")), binary.LittleEndian, golden))
			samples := make([]float32, len(golden))
			for i, sample := range golden {
				samples[i] = float32(sample) / (1 << 15)
			}
			want, err := f.model.On(f.executor).AudioEncodeSamples(background, uform.Recordings(44100, samples), f.arena, everything)
			require.NoError(t, err)
			copied, err := want.Copy()
			require.NoError(t, err)
			encoded, err := fileVerbs["audio"](f, uform.Bytes([][]byte{sampleFile(t, "audio", name)}), everything)
			require.NoError(t, err)
			got, err := encoded.Copy()
			require.NoError(t, err)
			require.Len(t, got.States[0], len(copied.States[0]), name)
			alike(t, copied.Embeddings[0], got.Embeddings[0], 1e-3, name)
		}
	})
}

func TestBug18EverySampleTwiceFromManyGoroutines(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		names := map[string][]string{
			"images": {"baseline-2x2.jpg", "progressive.jpg", "cmyk.jpg", "rgb-16-interlaced.png", "lossy-alpha.webp", "lossless.webp", "animated.webp"},
			"audio":  {"list.wav", "stereo.flac", "vbr.mp3", "celt.opus", "stereo.ogg"},
			"video":  {"mjpeg.mp4", "vp8-keys.webm"},
		}
		want := map[string][]float32{}
		for folder, names := range names {
			for _, name := range names {
				want[name] = rowsOf(t, f, folder, sampleFile(t, folder, name))[0]
			}
		}
		var group sync.WaitGroup
		for worker := range 4 {
			own := f
			var err error
			own.executor, err = f.library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
			require.NoError(t, err)
			own.arena, err = f.library.NewArena(own.executor)
			require.NoError(t, err)
			group.Go(func() {
				for range 2 {
					for folder, names := range names {
						for i := range names {
							name := names[(i+worker)%len(names)]
							encoded, err := fileVerbs[folder](own, uform.Bytes([][]byte{sampleFile(t, folder, name)}), nil)
							if err != nil {
								t.Errorf("%s: %v", name, err)
								return
							}
							copied, err := encoded.Copy()
							if err != nil || !slices.Equal(want[name], copied.Embeddings[0]) {
								t.Errorf("%s differs: %v", name, err)
							}
						}
					}
				}
			})
			t.Cleanup(func() {
				require.NoError(t, own.arena.Close())
				require.NoError(t, own.executor.Close())
			})
		}
		group.Wait()
	})
}

// Samples far beyond full scale, as files of floats may have them, are sound up to 2^32; more would
// end as a vector of NaN. A fuzzer found it.
func TestLoudSamples(t *testing.T) {
	eachMedia(t, func(t *testing.T, f fixture) {
		for loudness, allowed := range map[float32]bool{1: true, 1 << 15: true, 1 << 32: true, 1<<32 + 1<<10: false, math.MaxFloat32: false} {
			recording := make([]float32, 3000)
			for i := range recording {
				recording[i] = loudness * float32(1-i%3)
			}
			encoded, err := f.model.On(f.executor).AudioEncodeSamples(background, uform.Recordings(44100, recording), f.arena, nil)
			if !allowed {
				require.ErrorIs(t, err, uform.ErrMalformed, loudness)
				continue
			}
			require.NoError(t, err)
			row, err := encoded.Embeddings.AppendTo(nil, 0)
			require.NoError(t, err)
			require.InDelta(t, 1, length(row), 1e-5, loudness)
		}
	})
}
