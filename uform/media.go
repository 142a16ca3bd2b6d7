package uform

import (
	"context"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// fileInputs are whole files, as a tape of bytes.
type fileInputs struct {
	asked
	files Tape
}

// fileVerb is a verb that encodes files. place fills in the arguments but for what all such verbs have alike.
func fileVerb[A any](name, what string, entry func(*abi.Library) func(*A), place func(*box[A, fileInputs], frame)) *verb[A, fileInputs, Encoded] {
	return &verb[A, fileInputs, Encoded]{
		name:   name,
		entry:  entry,
		extent: func(in *fileInputs) (items, bytes int) { return in.files.Len(), in.files.size() },
		check: func(_ *Model, in *fileInputs) error {
			if err := in.asked.check(name); err != nil {
				return err
			}
			return in.files.check(name, what)
		},
		overlaps: func(in *fileInputs, into *lending.Arena) bool { return into.Holds(in.files.within()) },
		own:      func(in *fileInputs) { in.files = in.files.clone() },
		place:    place,
		result: func(b *box[A, fileInputs], _ *Model, lease lending.Lease) (Encoded, error) {
			return b.encoded(name, b.inputs.asked, b.inputs.files.Len(), arena.Unknown, lease)
		},
	}
}

var imageEncode = fileVerb("encode images", "images",
	func(table *abi.Library) func(*abi.ImageEncode) { return table.ImageEncode },
	func(b *box[abi.ImageEncode, fileInputs], f frame) {
		b.arguments = abi.ImageEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.files.Len()), Images: b.inputs.files.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

var videoEncode = fileVerb("encode videos", "videos",
	func(table *abi.Library) func(*abi.VideoEncode) { return table.VideoEncode },
	func(b *box[abi.VideoEncode, fileInputs], f frame) {
		b.arguments = abi.VideoEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.files.Len()), Videos: b.inputs.files.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

var audioEncode = fileVerb("encode recordings", "recordings",
	func(table *abi.Library) func(*abi.AudioEncode) { return table.AudioEncode },
	func(b *box[abi.AudioEncode, fileInputs], f frame) {
		b.arguments = abi.AudioEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.files.Len()), Recordings: b.inputs.files.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

// ImageEncode encodes JPEG, PNG and WebP files, told apart by their content, on the calling goroutine's thread. Orientation is
// applied, alpha composed on the model's background. A file that does not decode, or ends early, is [ErrMalformed] and names
// the item; a model without images is [ErrUnsupported]. It calls uform_image_encode.
func (m *Model) ImageEncode(ctx context.Context, images Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeFiles(ctx, imageEncode, m.here(), images, into, options)
}

// ImageEncode is [Model.ImageEncode] on the executor. It is [ErrContended] while another call holds the executor.
func (on On) ImageEncode(ctx context.Context, images Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeFiles(ctx, imageEncode, on.receiver, images, into, options)
}

// ImageEncode is [Model.ImageEncode], submitted to the executor. The files are copied.
func (d Deferred) ImageEncode(ctx context.Context, images Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitFiles(ctx, imageEncode, d.receiver, images, into, options)
}

// VideoEncode encodes MP4 and WebM files by frames that are sampled evenly over their time, on the calling goroutine's thread. A codec
// that nothing on this machine decodes is [ErrUnsupported] and says what to install; a file that does not decode, or ends early, is
// [ErrMalformed]. Both name the item. It calls uform_video_encode.
func (m *Model) VideoEncode(ctx context.Context, videos Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeFiles(ctx, videoEncode, m.here(), videos, into, options)
}

// VideoEncode is [Model.VideoEncode] on the executor. It is [ErrContended] while another call holds the executor.
func (on On) VideoEncode(ctx context.Context, videos Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeFiles(ctx, videoEncode, on.receiver, videos, into, options)
}

// VideoEncode is [Model.VideoEncode], submitted to the executor. The files are copied.
func (d Deferred) VideoEncode(ctx context.Context, videos Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitFiles(ctx, videoEncode, d.receiver, videos, into, options)
}

// AudioEncode encodes WAV, FLAC, MP3 and Ogg files, mixed down to one channel and resampled to the model's rate, on the calling
// goroutine's thread. A file that does not decode, or ends early, is [ErrMalformed] and names the item. It calls
// uform_audio_encode.
func (m *Model) AudioEncode(ctx context.Context, recordings Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeFiles(ctx, audioEncode, m.here(), recordings, into, options)
}

// AudioEncode is [Model.AudioEncode] on the executor. It is [ErrContended] while another call holds the executor.
func (on On) AudioEncode(ctx context.Context, recordings Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeFiles(ctx, audioEncode, on.receiver, recordings, into, options)
}

// AudioEncode is [Model.AudioEncode], submitted to the executor. The files are copied.
func (d Deferred) AudioEncode(ctx context.Context, recordings Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitFiles(ctx, audioEncode, d.receiver, recordings, into, options)
}

func encodeFiles[A any](ctx context.Context, v *verb[A, fileInputs, Encoded], on receiver, files Tape, into *Arena, options *EncodeOptions) (Encoded, error) {
	a, progress := options.asked()
	return v.block(ctx, on, into, progress, fileInputs{a, files})
}

func submitFiles[A any](ctx context.Context, v *verb[A, fileInputs, Encoded], on receiver, files Tape, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	a, progress := options.asked()
	return v.submit(ctx, on, into, progress, fileInputs{a, files})
}
