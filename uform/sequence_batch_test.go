package uform_test

import (
	"context"
	stderrors "errors"
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
)

// batch is what an encoding verb of a sequence takes: items of one kind, by their names.
type batch struct {
	kind  string
	names []string
}

// materials are the items that there are of a kind. The name of a text is the text; an item without
// a name is the empty one.
var materials = map[string][]string{
	"text":    {"", "a", "cat", "Katze", "a longer text about cats"},
	"image":   {"", "dot.png", "small.jpg", "dot-lossless.webp"},
	"pixels":  {"", "wide", "tall"},
	"audio":   {"", "u8.wav", "mono.flac"},
	"samples": {"", "low", "high"},
}

// encoder is a receiver that blocks.
type encoder interface {
	TextEncode(context.Context, uform.Tape, *uform.Arena, *uform.TextOptions) (uform.Encoded, error)
	ImageEncode(context.Context, uform.Tape, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error)
	ImageEncodePixels(context.Context, uform.Pixels, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error)
	AudioEncode(context.Context, uform.Tape, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error)
	AudioEncodeSamples(context.Context, uform.Samples, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error)
}

// encode runs the batch's verb.
func (b batch) encode(on encoder, into *uform.Arena, progress uform.Handler) (uform.Encoded, error) {
	options := &uform.EncodeOptions{Progress: progress}
	switch b.kind {
	case "image":
		return on.ImageEncode(background, b.files("images"), into, options)
	case "audio":
		return on.AudioEncode(background, b.files("audio"), into, options)
	case "pixels":
		return on.ImageEncodePixels(background, b.pixels(), into, options)
	case "samples":
		return on.AudioEncodeSamples(background, b.samples(), into, options)
	}
	return on.TextEncode(background, uform.Strings(b.names), into, &uform.TextOptions{Progress: progress})
}

// submit submits the batch's verb.
func (b batch) submit(on uform.Deferred, into *uform.Arena) (*deferred.Call[uform.Encoded], error) {
	switch b.kind {
	case "image":
		return on.ImageEncode(background, b.files("images"), into, nil)
	case "audio":
		return on.AudioEncode(background, b.files("audio"), into, nil)
	case "pixels":
		return on.ImageEncodePixels(background, b.pixels(), into, nil)
	case "samples":
		return on.AudioEncodeSamples(background, b.samples(), into, nil)
	}
	return on.TextEncode(background, uform.Strings(b.names), into, nil)
}

// contents are the files that sequences read, each read once.
var contents = map[string][]byte{}

func (b batch) files(folder string) uform.Tape {
	files := make([][]byte, len(b.names))
	for i, name := range b.names {
		files[i] = contents[folder+"/"+name]
	}
	return uform.Bytes(files)
}

func (b batch) pixels() uform.Pixels {
	var images []image.Image
	for _, name := range b.names {
		size := map[string]image.Rectangle{"wide": image.Rect(0, 0, 9, 2), "tall": image.Rect(0, 0, 3, 17)}[name]
		picture := image.NewRGBA(size)
		for i := range size.Dx() * size.Dy() {
			picture.Set(i%size.Dx(), i/size.Dx(), color.RGBA{uint8(7 * i), uint8(31 * i), uint8(len(name)), 255})
		}
		images = append(images, picture)
	}
	return uform.Images(images...)
}

func (b batch) samples() uform.Samples {
	recordings := make([][]float32, len(b.names))
	for i, name := range b.names {
		switch name {
		case "low":
			recordings[i] = sine(8000, 100)
		case "high":
			recordings[i] = sine(44100, 2000)
		}
	}
	return uform.Recordings(8000, recordings...)
}

// drawBatch draws items that the library serves, mostly texts.
func (m *machine) drawBatch(t *rapid.T) batch {
	kind := "text"
	if rapid.Bool().Draw(t, "media") {
		kind = rapid.SampledFrom(m.kinds).Draw(t, "kind")
	}
	return batch{kind, rapid.SliceOfN(rapid.SampledFrom(materials[kind]), 0, 4).Draw(t, "items")}
}

// known returns a library's vectors for each material, and the kinds that it serves.
func known(t *testing.T, library *uform.Library, model *uform.Model) (vectors map[string][]float32, kinds []string) {
	t.Helper()
	for folder, kind := range map[string]string{"images": "image", "audio": "audio"} {
		for _, name := range materials[kind][1:] {
			contents[folder+"/"+name] = sampleFile(t, folder, name)
		}
	}
	arena, err := library.NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	vectors = map[string][]float32{}
	for kind, names := range materials {
		encoded, err := batch{kind, names}.encode(model, arena, nil)
		if stderrors.Is(err, uform.ErrUnsupported) {
			t.Logf("no %s: %v", kind, err)
			continue
		}
		require.NoError(t, err)
		kinds = append(kinds, kind)
		for i, row := range encoded.Embeddings.All() {
			vectors[kind+"/"+names[i]] = append([]float32(nil), row...)
		}
	}
	require.Contains(t, kinds, "text")
	slices.Sort(kinds) // draws must not depend on the order of a map
	return vectors, kinds
}

// vector returns the vector of item i of a batch.
func (m *machine) vector(b batch, i int) []float32 { return m.vectors[b.kind+"/"+b.names[i]] }
