package engine_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// mediaVerb is one verb of media with valid items.
type mediaVerb struct {
	name  string
	items []string
	// tokens is how many tokens each item has in the model of seeing.
	tokens []uintptr
	call   func(w *world, e *media)
}

// media is one call of a verb of media, with all of its outputs. The fields that all verbs share
// are those of text_encode.
type media struct {
	encoding
	verb            *mediaVerb
	heights, widths []uint32
	rate            uint32
	reserved        uint32
}

// sample reads one of the test files.
func sample(t testing.TB, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"..", "testdata", "media"}, path...)...))
	require.NoError(t, err)
	return string(content)
}

// drawnPNG returns a picture of noise.
func drawnPNG(t testing.TB, seed uint64, width, height int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.SetNRGBA(x, y, color.NRGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255})
		}
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, picture))
	return file.String()
}

// tone returns samples of a rising sine, as the bytes of little-endian floats.
func tone(count int) string {
	var data []byte
	for i := range count {
		v := math.Sin(0.02*float64(i)+1e-5*float64(i)*float64(i)) * 0.7
		data = binary.NativeEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	return string(data)
}

// square returns the bytes of a picture, whose value is one above its side.
func square(side int) string {
	return string(bytes.Repeat([]byte{byte(side), byte(3 * side), byte(7 * side)}, side*side))
}

// samplesTape lays samples end to end, aligned for floats.
func samplesTape(items ...string) abi.TapeView {
	data, offsets := []float32{7}, []uintptr{1}
	for _, item := range items {
		for i := 0; i < len(item); i += 4 {
			data = append(data, math.Float32frombits(binary.NativeEndian.Uint32([]byte(item[i:]))))
		}
		offsets = append(offsets, uintptr(len(data)))
	}
	return abi.TapeView{Data: unsafe.Pointer(&data[0]), Offsets: &offsets[0]}
}

func mediaVerbs(t testing.TB) []*mediaVerb {
	t.Helper()
	seconds := func(name string) string { return sample(t, "audio", name) }
	return []*mediaVerb{
		{
			name: "image_encode",
			items: []string{
				sample(t, "images", "baseline.jpg"), "", sample(t, "images", "lossless-alpha.webp"), sample(t, "images", "dot.png"),
				sample(t, "images", "oriented-6.jpg"), drawnPNG(t, 1, 31, 17), drawnPNG(t, 2, 5, 70), "", drawnPNG(t, 3, 12, 12),
			},
			tokens: []uintptr{9, 0, 9, 9, 9, 9, 9, 0, 9},
			call: func(w *world, e *media) {
				w.ImageEncode(&abi.ImageEncode{
					Model: e.Model, Executor: e.Executor, Outcome: e.Outcome, Completion: e.Completion, Scalar: e.Scalar, Count: e.Count,
					Images: e.Texts, Progress: e.Progress, ProgressState: e.ProgressState, Arena: e.Arena,
					Embeddings: e.Embeddings, States: e.States,
				})
			},
		},
		{
			name:   "image_encode_pixels",
			items:  []string{square(5), "", square(12), square(40), square(1), square(13), square(2)},
			tokens: []uintptr{9, 0, 9, 9, 9, 9, 9},
			call: func(w *world, e *media) {
				arguments := abi.ImageEncodePixels{
					Model: e.Model, Executor: e.Executor, Outcome: e.Outcome, Completion: e.Completion, Scalar: e.Scalar, Count: e.Count,
					Pixels: e.Texts, Progress: e.Progress, ProgressState: e.ProgressState, Arena: e.Arena,
					Embeddings: e.Embeddings, States: e.States,
				}
				if len(e.heights) > 0 {
					arguments.Heights = &e.heights[0]
				}
				if len(e.widths) > 0 {
					arguments.Widths = &e.widths[0]
				}
				w.ImageEncodePixels(&arguments)
			},
		},
		{
			name: "video_encode",
			// The codecs that need no system library.
			items: []string{
				sample(t, "video", "mjpeg.mp4"), "", sample(t, "video", "vp8-keys.webm"), sample(t, "video", "mjpeg.webm"),
				sample(t, "video", "mjpeg.mp4"), "",
			},
			tokens: []uintptr{27, 0, 27, 27, 27, 0},
			call: func(w *world, e *media) {
				w.VideoEncode(&abi.VideoEncode{
					Model: e.Model, Executor: e.Executor, Outcome: e.Outcome, Completion: e.Completion, Scalar: e.Scalar, Count: e.Count,
					Videos: e.Texts, Progress: e.Progress, ProgressState: e.ProgressState, Arena: e.Arena,
					Embeddings: e.Embeddings, States: e.States,
				})
			},
		},
		{
			name: "audio_encode",
			items: []string{
				seconds("s16.wav"), "", seconds("mono.flac"), seconds("cbr.mp3"), seconds("silk8.opus"), seconds("mono.ogg"), "",
				seconds("mpeg25-8.mp3"), seconds("s16.wav"),
			},
			call: func(w *world, e *media) {
				w.AudioEncode(&abi.AudioEncode{
					Model: e.Model, Executor: e.Executor, Outcome: e.Outcome, Completion: e.Completion, Scalar: e.Scalar, Count: e.Count,
					Recordings: e.Texts, Progress: e.Progress, ProgressState: e.ProgressState, Arena: e.Arena,
					Embeddings: e.Embeddings, States: e.States,
				})
			},
		},
		{
			name:  "audio_encode_samples",
			items: []string{tone(8000), "", tone(1), tone(320), tone(321), tone(40000), tone(12345)},
			// A patch is four frames of 80 samples; the context is 96.
			tokens: []uintptr{25, 0, 1, 1, 2, 96, 39},
			call: func(w *world, e *media) {
				w.AudioEncodeSamples(&abi.AudioEncodeSamples{
					Model: e.Model, Executor: e.Executor, Outcome: e.Outcome, Completion: e.Completion, Scalar: e.Scalar, Count: e.Count,
					Samples: e.Texts, SampleRate: e.rate, Reserved: e.reserved, Progress: e.Progress, ProgressState: e.ProgressState,
					Arena: e.Arena, Embeddings: e.Embeddings, States: e.States,
				})
			},
		},
	}
}

// media requests both outputs of some items.
func (w *world) media(verb *mediaVerb, m abi.Model, arena abi.Arena, items ...string) *media {
	e := &media{encoding: *w.encoding(m, arena, items...), verb: verb}
	e.Outcome, e.Embeddings, e.States = &e.outcome, &e.embeddings, &e.states
	switch verb.name {
	case "image_encode_pixels":
		for _, item := range items {
			side := uint32(math.Sqrt(float64(len(item) / 3)))
			e.heights, e.widths = append(e.heights, side), append(e.widths, side)
		}
	case "audio_encode_samples":
		e.Texts = samplesTape(items...)
	}
	return e
}

// encodes runs a blocking call, or waits for a deferred one, and requires success.
func (w *world) encodes(e *media) *media {
	w.t.Helper()
	e.verb.call(w, e)
	w.OutcomeWait(&e.outcome)
	requireSuccess(w.t, &e.outcome)
	return e
}

// refuses is the same for a call that fails.
func (w *world) refuses(e *media, status abi.Status, item int) {
	w.t.Helper()
	e.verb.call(w, e)
	w.OutcomeWait(&e.outcome)
	requireFailure(w.t, &e.outcome, status, item)
	require.Zero(w.t, e.embeddings)
	require.Zero(w.t, e.states)
}

// rowsOf returns copies of the embeddings and states of a call, and the offsets of the states.
func (e *media) rowsOf() (embeddings, states []float32, rows []uintptr) {
	count := int(e.Count)
	if e.Embeddings != nil {
		embeddings = floats(e.embeddings, count)
	}
	if e.States != nil {
		rows = append(rows, offsets(e.states, count)...)
		states = floats(e.states.Rows, int(rows[count]))
	}
	return embeddings, states, rows
}
