package uform

import (
	"context"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// batch is the items of a verb that encodes.
type batch[Items any] interface {
	// Len is the number of items, size that of their bytes.
	Len() int
	size() int
	// check refuses items whose memory ends before they do.
	check(verb, what string) error
	// within is the memory of the items.
	within() []byte
	clone() Items
}

type encodeInputs[Items any] struct {
	asked
	items Items
}

type fileInputs = encodeInputs[Tape]

// encodeVerb is a verb that encodes what the library decodes, or what was decoded before. what
// names the items.
func encodeVerb[A any, I batch[I]](name, what string, entry func(*abi.Library) func(*A), place func(*box[A, encodeInputs[I]], frame)) *verb[A, encodeInputs[I], Encoded] {
	return &verb[A, encodeInputs[I], Encoded]{
		name:   name,
		entry:  entry,
		extent: func(in *encodeInputs[I]) (items, bytes int) { return in.items.Len(), in.items.size() },
		check: func(_ *Model, in *encodeInputs[I]) error {
			if err := in.asked.check(name); err != nil {
				return err
			}
			return in.items.check(name, what)
		},
		overlaps: func(in *encodeInputs[I], into *lending.Arena) bool { return into.Holds(in.items.within()) },
		own:      func(in *encodeInputs[I]) { in.items = in.items.clone() },
		place:    place,
		result: func(b *box[A, encodeInputs[I]], _ *Model, lease lending.Lease) (Encoded, error) {
			return b.encoded(name, b.inputs.asked, b.inputs.items.Len(), arena.Unknown, lease)
		},
	}
}

var imageEncode = encodeVerb("encode images", "images",
	func(table *abi.Library) func(*abi.ImageEncode) { return table.ImageEncode },
	func(b *box[abi.ImageEncode, fileInputs], f frame) {
		b.arguments = abi.ImageEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.items.Len()), Images: b.inputs.items.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

var videoEncode = encodeVerb("encode videos", "videos",
	func(table *abi.Library) func(*abi.VideoEncode) { return table.VideoEncode },
	func(b *box[abi.VideoEncode, fileInputs], f frame) {
		b.arguments = abi.VideoEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.items.Len()), Videos: b.inputs.items.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

var audioEncode = encodeVerb("encode recordings", "recordings",
	func(table *abi.Library) func(*abi.AudioEncode) { return table.AudioEncode },
	func(b *box[abi.AudioEncode, fileInputs], f frame) {
		b.arguments = abi.AudioEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.items.Len()), Recordings: b.inputs.items.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

// ImageEncode encodes JPEG, PNG and WebP files, told apart by their content, on the calling
// goroutine's thread. Orientation is applied, alpha composed on the model's background, which is
// white for the model of a folder: that prepares pictures as its preprocessor_config.json says. A
// file that does not decode, or ends early, is [ErrMalformed] and names the item; a model without
// images is [ErrUnsupported]. It calls uform_image_encode.
func (m *Model) ImageEncode(ctx context.Context, images Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, imageEncode, m.here(), images, into, options)
}

// ImageEncode is [Model.ImageEncode] on the executor. It is [ErrContended] while another call holds
// the executor.
func (on On) ImageEncode(ctx context.Context, images Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, imageEncode, on.receiver, images, into, options)
}

// ImageEncode is [Model.ImageEncode], submitted to the executor. The files are copied.
func (d Deferred) ImageEncode(ctx context.Context, images Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitItems(ctx, imageEncode, d.receiver, images, into, options)
}

// VideoEncode encodes MP4 and WebM files by frames that are sampled evenly over their time, on the
// calling goroutine's thread. A codec that nothing on this machine decodes is [ErrUnsupported] and
// says what to install; a file that does not decode, or ends early, is [ErrMalformed]. Both name
// the item. It calls uform_video_encode.
func (m *Model) VideoEncode(ctx context.Context, videos Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, videoEncode, m.here(), videos, into, options)
}

// VideoEncode is [Model.VideoEncode] on the executor. It is [ErrContended] while another call holds
// the executor.
func (on On) VideoEncode(ctx context.Context, videos Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, videoEncode, on.receiver, videos, into, options)
}

// VideoEncode is [Model.VideoEncode], submitted to the executor. The files are copied.
func (d Deferred) VideoEncode(ctx context.Context, videos Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitItems(ctx, videoEncode, d.receiver, videos, into, options)
}

// AudioEncode encodes WAV, FLAC, MP3 and Ogg files, mixed down to one channel and resampled to the
// model's rate, on the calling goroutine's thread. A file that does not decode, or ends early, is
// [ErrMalformed] and names the item. It calls uform_audio_encode.
func (m *Model) AudioEncode(ctx context.Context, recordings Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, audioEncode, m.here(), recordings, into, options)
}

// AudioEncode is [Model.AudioEncode] on the executor. It is [ErrContended] while another call holds
// the executor.
func (on On) AudioEncode(ctx context.Context, recordings Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, audioEncode, on.receiver, recordings, into, options)
}

// AudioEncode is [Model.AudioEncode], submitted to the executor. The files are copied.
func (d Deferred) AudioEncode(ctx context.Context, recordings Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitItems(ctx, audioEncode, d.receiver, recordings, into, options)
}

func encodeItems[A, I any](ctx context.Context, v *verb[A, encodeInputs[I], Encoded], on receiver, items I, into *Arena, options *EncodeOptions) (Encoded, error) {
	a, progress := options.asked()
	return v.block(ctx, on, into, progress, encodeInputs[I]{a, items})
}

func submitItems[A, I any](ctx context.Context, v *verb[A, encodeInputs[I], Encoded], on receiver, items I, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	a, progress := options.asked()
	return v.submit(ctx, on, into, progress, encodeInputs[I]{a, items})
}
