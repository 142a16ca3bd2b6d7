package uform_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Readers are read to the end, also a byte at a time. The error of a reader is returned with its
// item.
func TestReaders(t *testing.T) {
	tape, err := uform.Readers(strings.NewReader("one"), iotest.OneByteReader(strings.NewReader("three")), new(bytes.Buffer))
	require.NoError(t, err)
	require.Equal(t, uform.Strings([]string{"one", "three", ""}), tape)
	_, err = uform.Readers(strings.NewReader("one"), iotest.ErrReader(io.ErrUnexpectedEOF))
	require.ErrorIs(t, err, uform.ErrIO)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	var failure *uform.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 1, failure.Item)

	missing := filepath.Join(t.TempDir(), "none")
	_, err = uform.Files(missing)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A program that reads files from outside limits the memory that they may take.
func TestLimits(t *testing.T) {
	files := map[string]uform.Tape{}
	for folder, names := range map[string][]string{
		"images": {"dot.png", "baseline.jpg"}, "video": {"mjpeg.mp4"}, "audio": {"u8.wav", "stereo.flac"},
	} {
		var contents [][]byte
		for _, name := range names {
			contents = append(contents, sampleFile(t, folder, name))
		}
		files[folder] = uform.Bytes(contents)
	}
	for _, c := range []struct {
		name, folder string
		limits       uform.Limits
		status       error
		item         int
	}{
		{"pixels", "images", uform.Limits{ImagePixels: 1}, uform.ErrMalformed, 1},
		{"pixels of a frame", "video", uform.Limits{FramePixels: 1}, uform.ErrMalformed, 0},
		{"frames", "video", uform.Limits{Frames: 4}, uform.ErrMalformed, 0},
		{"memory of frames", "video", uform.Limits{FrameBytes: 100}, uform.ErrMalformed, 0},
		{"samples", "audio", uform.Limits{Samples: 1600}, uform.ErrUnsupported, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			library, err := uform.Open(&uform.OpenOptions{Embedded: true, Limits: c.limits})
			require.NoError(t, err)
			again, err := uform.Open(&uform.OpenOptions{Embedded: true, Limits: c.limits})
			require.NoError(t, err)
			require.Same(t, library.Table(), again.Table(), "the same limits are the same instance")
			model, err := mini.Load(background, library, nil)
			require.NoError(t, err)
			arena, err := library.NewArena(nil)
			require.NoError(t, err)
			defer func() {
				require.NoError(t, arena.Close())
				require.NoError(t, model.Close())
			}()
			encode := map[string]func() (uform.Encoded, error){
				"images": func() (uform.Encoded, error) { return model.ImageEncode(background, files["images"], arena, nil) },
				"video":  func() (uform.Encoded, error) { return model.VideoEncode(background, files["video"], arena, nil) },
				"audio":  func() (uform.Encoded, error) { return model.AudioEncode(background, files["audio"], arena, nil) },
			}[c.folder]
			_, err = encode()
			require.ErrorIs(t, err, c.status)
			var failure *uform.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.item, failure.Item)
		})
	}
}

// Limits that a library does not know are refused, not ignored.
func TestLimitsAreTheEngines(t *testing.T) {
	_, err := uform.Open(&uform.OpenOptions{Path: loadertest.Need(t), Limits: uform.Limits{Samples: 1}})
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "set Embedded")
	_, err = uform.Open(&uform.OpenOptions{Embedded: true, Limits: uform.Limits{Frames: -1}})
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	require.ErrorContains(t, err, "the limit Frames is -1")
}
