package faults_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// blocking is a receiver whose verbs return when they are final.
type blocking interface {
	TextEncode(ctx context.Context, texts uform.Tape, into *uform.Arena, options *uform.TextOptions) (uform.Encoded, error)
	TextChoose(ctx context.Context, texts, choices uform.Tape, into *uform.Arena, options *uform.ChooseOptions) (uform.Chosen, error)
	ImageEncode(ctx context.Context, images uform.Tape, into *uform.Arena, options *uform.EncodeOptions) (uform.Encoded, error)
	ImageEncodePixels(ctx context.Context, pixels uform.Pixels, into *uform.Arena, options *uform.EncodeOptions) (uform.Encoded, error)
	VideoEncode(ctx context.Context, videos uform.Tape, into *uform.Arena, options *uform.EncodeOptions) (uform.Encoded, error)
	AudioEncode(ctx context.Context, recordings uform.Tape, into *uform.Arena, options *uform.EncodeOptions) (uform.Encoded, error)
	AudioEncodeSamples(ctx context.Context, samples uform.Samples, into *uform.Arena, options *uform.EncodeOptions) (uform.Encoded, error)
	Describe(ctx context.Context) (uform.ModelDescription, error)
}

// waiting is a deferred receiver whose calls are waited for at once.
type waiting struct{ uform.Deferred }

func waited[Result any, Call interface {
	Wait(context.Context) (Result, error)
}](call Call, err error) (result Result, _ error) {
	if err != nil {
		return result, err
	}
	return call.Wait(context.Background())
}

func (w waiting) TextEncode(ctx context.Context, texts uform.Tape, into *uform.Arena, o *uform.TextOptions) (uform.Encoded, error) {
	return waited[uform.Encoded](w.Deferred.TextEncode(ctx, texts, into, o))
}

func (w waiting) TextChoose(ctx context.Context, texts, choices uform.Tape, into *uform.Arena, o *uform.ChooseOptions) (uform.Chosen, error) {
	return waited[uform.Chosen](w.Deferred.TextChoose(ctx, texts, choices, into, o))
}

func (w waiting) ImageEncode(ctx context.Context, images uform.Tape, into *uform.Arena, o *uform.EncodeOptions) (uform.Encoded, error) {
	return waited[uform.Encoded](w.Deferred.ImageEncode(ctx, images, into, o))
}

func (w waiting) ImageEncodePixels(ctx context.Context, pixels uform.Pixels, into *uform.Arena, o *uform.EncodeOptions) (uform.Encoded, error) {
	return waited[uform.Encoded](w.Deferred.ImageEncodePixels(ctx, pixels, into, o))
}

func (w waiting) VideoEncode(ctx context.Context, videos uform.Tape, into *uform.Arena, o *uform.EncodeOptions) (uform.Encoded, error) {
	return waited[uform.Encoded](w.Deferred.VideoEncode(ctx, videos, into, o))
}

func (w waiting) AudioEncode(ctx context.Context, recordings uform.Tape, into *uform.Arena, o *uform.EncodeOptions) (uform.Encoded, error) {
	return waited[uform.Encoded](w.Deferred.AudioEncode(ctx, recordings, into, o))
}

func (w waiting) AudioEncodeSamples(ctx context.Context, samples uform.Samples, into *uform.Arena, o *uform.EncodeOptions) (uform.Encoded, error) {
	return waited[uform.Encoded](w.Deferred.AudioEncodeSamples(ctx, samples, into, o))
}

func (w waiting) Describe(ctx context.Context) (uform.ModelDescription, error) {
	return waited[uform.ModelDescription](w.Deferred.Describe(ctx))
}

// receivers are the three receivers.
var receivers = map[string]func(*uform.Model, *uform.Executor) blocking{
	"bare":     func(model *uform.Model, _ *uform.Executor) blocking { return model },
	"on":       func(model *uform.Model, executor *uform.Executor) blocking { return model.On(executor) },
	"deferred": func(model *uform.Model, executor *uform.Executor) blocking { return waiting{model.Deferred(executor)} },
}

// answer is a copy of all outputs of a call.
type answer struct {
	Embeddings    [][]float32
	States        [][][]float32
	Probabilities [][]float32
	Described     uform.ModelDescription
}

// verb is one verb with inputs of its own.
type verb struct {
	name string
	run  func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error)
}

func encoded(e uform.Encoded, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	copied, err := e.Copy()
	return answer{Embeddings: copied.Embeddings, States: copied.States}, err
}

var someTexts = []string{"a cat on a mat", "", "a dog in the fog", "as long as it takes to fill more than a few tokens"}

// verbs are those of inference, each with inputs that the example model takes.
func verbs(t testing.TB) []verb {
	t.Helper()
	files := func(folder string, names ...string) uform.Tape {
		paths := make([]string, len(names))
		for i, name := range names {
			paths[i] = filepath.Join("..", "..", "testdata", "media", folder, name)
		}
		tape, err := uform.Files(paths...)
		require.NoError(t, err)
		return tape
	}
	texts, choices := uform.Strings(someTexts), uform.Strings([]string{"yn", "abc", "xyz", "q"})
	many := make([]string, 70) // several slices
	for i := range many {
		many[i] = someTexts[i%len(someTexts)]
	}
	batch := uform.Strings(many)
	images := files("images", "baseline.jpg", "rgb-8.png", "lossless.webp")
	videos := files("video", "mjpeg.mp4", "vp8-keys.webm")
	recordings := files("audio", "s16.wav", "mono.flac", "cbr.mp3", "silk8.opus")
	pixels := uform.Pixels{Tape: uform.Bytes([][]byte{make([]byte, 3*40*30), make([]byte, 3)}), Heights: []uint32{30, 1}, Widths: []uint32{40, 1}}
	for i := range pixels.Data {
		pixels.Data[i] = byte(i * 7)
	}
	tone := make([]float32, 4000)
	for i := range tone {
		tone[i] = float32(math.Sin(float64(i) / 5))
	}
	samples := uform.Recordings(8000, tone, tone[:100])
	both := uform.Embeddings | uform.States
	return []verb{
		{"text_encode", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.TextEncode(ctx, texts, into, &uform.TextOptions{Outputs: both, Progress: progress}))
		}},
		{"text_encode of a batch", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.TextEncode(ctx, batch, into, &uform.TextOptions{Progress: progress}))
		}},
		{"text_choose", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			chosen, err := on.TextChoose(ctx, texts, choices, into, &uform.ChooseOptions{Progress: progress})
			if err != nil {
				return answer{}, err
			}
			copied, err := chosen.Copy()
			return answer{Probabilities: copied}, err
		}},
		{"image_encode", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.ImageEncode(ctx, images, into, &uform.EncodeOptions{Outputs: both, Progress: progress}))
		}},
		{"image_encode_pixels", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.ImageEncodePixels(ctx, pixels, into, &uform.EncodeOptions{Progress: progress}))
		}},
		{"video_encode", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.VideoEncode(ctx, videos, into, &uform.EncodeOptions{Progress: progress}))
		}},
		{"audio_encode", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.AudioEncode(ctx, recordings, into, &uform.EncodeOptions{Progress: progress}))
		}},
		{"audio_encode_samples", func(ctx context.Context, on blocking, into *uform.Arena, progress uform.Handler) (answer, error) {
			return encoded(on.AudioEncodeSamples(ctx, samples, into, &uform.EncodeOptions{Outputs: both, Progress: progress}))
		}},
		{"model_describe", func(ctx context.Context, on blocking, _ *uform.Arena, _ uform.Handler) (answer, error) {
			description, err := on.Describe(ctx)
			return answer{Described: description}, err
		}},
	}
}

// served returns the verbs that a model's library serves, with the result of each alone. The engine
// serves all of them.
func served(t testing.TB, model *uform.Model) ([]verb, map[string]answer) {
	t.Helper()
	arena, err := model.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	var all []verb
	alone := map[string]answer{}
	for _, v := range verbs(t) {
		got, err := v.run(context.Background(), model, arena, nil)
		if errors.Is(err, uform.ErrUnsupported) {
			require.Equal(t, "native", t.Name()[len(t.Name())-len("native"):], "the engine serves %s: %v", v.name, err)
			t.Logf("%s is left out: %v", v.name, err)
			continue
		}
		require.NoError(t, err, v.name)
		all = append(all, v)
		alone[v.name] = got
	}
	return all, alone
}

// long reports whether UFORM_LONG asks for the long form.
func long() bool { return os.Getenv("UFORM_LONG") != "" }
