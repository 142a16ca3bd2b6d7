package uform_test

import (
	"context"
	"encoding/binary"
	stderrors "errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// fuzzed is a model and an arena that a fuzz target uses again and again.
func fuzzed(f *testing.F) (*uform.Model, *uform.Arena) {
	f.Helper()
	library := uform.OpenTable(engine.NewWith(&engine.Options{PoisonRewound: true}))
	model, err := mini.Load(background, library, nil)
	require.NoError(f, err)
	arena, err := library.NewArena(nil)
	require.NoError(f, err)
	f.Cleanup(func() {
		require.NoError(f, arena.Close())
		require.NoError(f, model.Close())
	})
	return model, arena
}

// answered requires that a verb returns rows of unit length, or refuses the item for a permitted
// reason.
func answered(t *testing.T, encoded uform.Encoded, err error, allowed ...error) {
	t.Helper()
	if err != nil {
		var failure *uform.Error
		require.ErrorAs(t, err, &failure)
		require.Zero(t, failure.Item)
		for _, status := range allowed {
			if stderrors.Is(err, status) {
				return
			}
		}
		require.NoError(t, err)
	}
	row, err := encoded.Embeddings.AppendTo(nil, 0)
	require.NoError(t, err)
	require.InDelta(t, 1, length(row), 1e-4)
}

// fuzzFiles feeds a verb of files with mutations of the small samples of a folder.
func fuzzFiles(f *testing.F, folder string, encode func(*uform.Model, context.Context, uform.Tape, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error)) {
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "media", folder, "*.*"))
	require.NoError(f, err)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(f, err)
		if len(content) < 1<<13 {
			f.Add(content)
		}
	}
	model, arena := fuzzed(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		encoded, err := encode(model, background, uform.Bytes([][]byte{file}), arena, nil)
		answered(t, encoded, err, uform.ErrMalformed, uform.ErrUnsupported)
	})
}

func FuzzImageEncode(f *testing.F) { fuzzFiles(f, "images", (*uform.Model).ImageEncode) }
func FuzzVideoEncode(f *testing.F) { fuzzFiles(f, "video", (*uform.Model).VideoEncode) }
func FuzzAudioEncode(f *testing.F) { fuzzFiles(f, "audio", (*uform.Model).AudioEncode) }

func FuzzImageEncodePixels(f *testing.F) {
	f.Add([]byte("twelve bytes"), uint32(2), uint32(2))
	f.Add([]byte{}, uint32(0), uint32(7))
	f.Add([]byte("abc"), uint32(1<<31), uint32(1<<31))
	model, arena := fuzzed(f)
	f.Fuzz(func(t *testing.T, rgb []byte, height, width uint32) {
		pixels := uform.Pixels{Tape: uform.Bytes([][]byte{rgb}), Heights: []uint32{height}, Widths: []uint32{width}}
		encoded, err := model.ImageEncodePixels(background, pixels, arena, nil)
		answered(t, encoded, err, uform.ErrShapeMismatch)
	})
}

func FuzzAudioEncodeSamples(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x3f\x00\x00\x00\xbf"), uint32(44100))
	f.Add([]byte("\x00\x00\xc0\x7f"), uint32(0)) // a NaN
	f.Add([]byte("\xff\xff\x7f\x7f\xff\xff\x7f\xff"), uint32(1))
	model, arena := fuzzed(f)
	f.Fuzz(func(t *testing.T, memory []byte, rate uint32) {
		samples := make([]float32, len(memory)/4)
		for i := range samples {
			samples[i] = math.Float32frombits(binary.LittleEndian.Uint32(memory[4*i:]))
		}
		encoded, err := model.AudioEncodeSamples(background, uform.Recordings(int(rate%(1<<31)), samples), arena, nil)
		answered(t, encoded, err, uform.ErrMalformed, uform.ErrUnsupported, uform.ErrInvalidArgument)
	})
}
