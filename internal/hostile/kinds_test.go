package hostile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/model/modeltest"
	"github.com/unum-cloud/uform-go/uform"
)

// target is the model and the arena that inputs are run on.
type target struct {
	library  *uform.Library
	model    *uform.Model
	executor *uform.Executor
	arena    *uform.Arena
}

// kind is a kind of input. To give it to another implementation, add its name.
type kind struct {
	name            string
	implementations []string
	// mebibytes bounds the memory of the process that takes all inputs, in RAM and at its peak.
	mebibytes int
	mutator   func(t *testing.T, random *rand.Rand) *mutator
	// take runs the verbs on one input, and returns their errors.
	take func(t *testing.T, on target, data []byte) error
	// crafted are inputs that random mutation would not find; nil for none.
	crafted func() [][]byte
	// also is one more status that bad input of this kind causes, nil for none.
	also error
}

var (
	background = context.Background()
	both       = []string{"engine", "native"}
)

// kinds are all kinds of input that may come from outside the program.
var kinds = []kind{
	{"checkpoints", both, 1152, checkpoints, takeCheckpoint, craftedCheckpoints, nil},
	{"folders", []string{"engine"}, 1024, folders, takeFolder, craftedFolders, uform.ErrIO},
	{"images", both, 1024, files("images", sealPNG, "*.jpg", "*.png", "*.webp"), takeImage, nil, nil},
	{"videos", both, 2048, files("video", nil, "*.mp4", "*.webm"), takeVideo, nil, nil},
	{"recordings", both, 1280, files("audio", sealOgg, "*.wav", "*.flac", "*.mp3", "*.opus", "*.ogg"), takeRecording, nil, nil},
	{"tapes", both, 256, tapes, takeTape, nil, nil},
}

// checkpoints are of small models, so that a header is checked quickly.
func checkpoints(t *testing.T, random *rand.Rand) *mutator {
	m := &mutator{random: random, edit: editCheckpoint}
	for range 20 {
		checkpoint, err := modeltest.Checkpoint(random, modeltest.Config(random))
		require.NoError(t, err)
		m.samples = append(m.samples, checkpoint)
	}
	return m
}

func takeCheckpoint(t *testing.T, on target, data []byte) error {
	loaded, err := on.library.LoadBytes(background, data, nil)
	if err != nil {
		return err
	}
	defer loaded.Close()
	if _, err := loaded.Describe(background); err != nil {
		return err
	}
	texts := uform.Strings([]string{"a cat on a mat", "", "\x00 and more, so that there are some layers to go through"})
	_, err = loaded.TextEncode(background, texts, on.arena, &uform.TextOptions{Outputs: uform.Embeddings | uform.States})
	if err != nil {
		return err
	}
	pixels := uform.Pixels{Tape: uform.Bytes([][]byte{make([]byte, 3*5*4)}), Heights: []uint32{5}, Widths: []uint32{4}}
	_, saw := loaded.ImageEncodePixels(background, pixels, on.arena, nil)
	_, heard := loaded.AudioEncodeSamples(background, uform.Recordings(8000, make([]float32, 500)), on.arena, nil)
	_, chose := loaded.TextChoose(background, uform.Strings([]string{"a"}), uform.Strings([]string{"bc"}), on.arena, nil)
	for _, one := range []error{saw, heard, chose} { // a model need not serve them
		if one != nil && !errors.Is(one, uform.ErrUnsupported) {
			return one
		}
	}
	return nil
}

// files mutates the samples of a folder of testdata/media.
func files(folder string, seal func([]byte) []byte, patterns ...string) func(*testing.T, *rand.Rand) *mutator {
	return func(t *testing.T, random *rand.Rand) *mutator {
		m := &mutator{random: random, seal: seal}
		for _, pattern := range patterns {
			paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "media", folder, pattern))
			require.NoError(t, err)
			require.NotEmpty(t, paths, pattern)
			for _, path := range paths {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				m.samples = append(m.samples, data)
			}
		}
		return m
	}
}

func takeImage(_ *testing.T, on target, data []byte) error {
	_, err := on.model.On(on.executor).ImageEncode(background, uform.Bytes([][]byte{data}), on.arena, nil)
	return err
}

func takeVideo(_ *testing.T, on target, data []byte) error {
	_, err := on.model.On(on.executor).VideoEncode(background, uform.Bytes([][]byte{data}), on.arena, nil)
	return err
}

func takeRecording(_ *testing.T, on target, data []byte) error {
	_, err := on.model.On(on.executor).AudioEncode(background, uform.Bytes([][]byte{data}), on.arena, nil)
	return err
}

// tapes are inputs of a fixed form: a count of offsets, the offsets, and the data.
func tapes(_ *testing.T, random *rand.Rand) *mutator {
	m := &mutator{random: random}
	for range 20 {
		var tape uform.Tape
		for range random.IntN(9) {
			item := make([]byte, random.IntN(20))
			for i := range item {
				item[i] = byte(' ' + random.IntN(95))
			}
			tape.Append(item)
		}
		data := []byte{byte(len(tape.Offsets))}
		for _, offset := range tape.Offsets {
			data = binary.LittleEndian.AppendUint64(data, uint64(offset))
		}
		m.samples = append(m.samples, append(data, tape.Data...))
	}
	return m
}

// takeTape runs every verb of tapes on the same tape.
func takeTape(_ *testing.T, on target, data []byte) error {
	var tape uform.Tape
	if len(data) > 0 {
		count := int(data[0])
		for data = data[1:]; count > 0 && len(data) >= 8; count-- {
			tape.Offsets = append(tape.Offsets, int64(binary.LittleEndian.Uint64(data)))
			data = data[8:]
		}
	}
	tape.Data = data
	with := on.model.On(on.executor)
	_, err := with.TextEncode(background, tape, on.arena, nil)
	_, chose := with.TextChoose(background, tape, tape, on.arena, nil)
	_, saw := with.ImageEncode(background, tape, on.arena, nil)
	sides := make([]uint32, max(len(tape.Offsets)-1, 0))
	for i := range sides {
		sides[i] = uint32(i + len(data))
	}
	_, looked := with.ImageEncodePixels(background, uform.Pixels{Tape: tape, Heights: sides, Widths: sides}, on.arena, nil)
	_, heard := with.AudioEncodeSamples(background, uform.Samples{Data: make([]float32, len(data)), Offsets: tape.Offsets, Rate: 8000 * (len(data) % 4)}, on.arena, nil)
	for _, one := range []error{err, chose, saw, looked, heard} {
		if one != nil && !known(one) {
			return one
		}
	}
	return err
}

// known reports whether an error is of a kind that bad input causes.
func known(err error) bool {
	for _, status := range []error{uform.ErrMalformed, uform.ErrUnsupported, uform.ErrShapeMismatch, uform.ErrInvalidArgument} {
		if errors.Is(err, status) {
			return true
		}
	}
	return false
}
