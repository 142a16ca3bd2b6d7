package uform

import (
	"context"
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Samples is a batch of mono recordings, full scale from −1 to 1, end to end, and one more offset than recordings; offsets count
// samples. [Recordings] makes it from slices. Goroutines may share Samples that none of them changes.
type Samples struct {
	Data    []float32
	Offsets []int64
	// Rate is the rate that all of them share, in Hz; 0 means the model's.
	Rate int
}

// Recordings is a batch of recordings at a rate, copied.
func Recordings(rate int, recordings ...[]float32) Samples {
	s := Samples{Offsets: []int64{0}, Rate: rate}
	for _, recording := range recordings {
		s.Data = append(s.Data, recording...)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
	return s
}

// Len is the number of recordings.
func (s Samples) Len() int { return max(len(s.Offsets)-1, 0) }

type sampleInputs struct {
	asked
	samples Samples
}

type samplesBox = box[abi.AudioEncodeSamples, sampleInputs]

const encodingSamples = "encode samples"

var audioEncodeSamples = &verb[abi.AudioEncodeSamples, sampleInputs, Encoded]{
	name:  encodingSamples,
	entry: func(table *abi.Library) func(*abi.AudioEncodeSamples) { return table.AudioEncodeSamples },
	extent: func(in *sampleInputs) (items, bytes int) {
		return in.samples.Len(), 4 * spanned(in.samples.Offsets, len(in.samples.Data))
	},
	check: func(_ *Model, in *sampleInputs) error {
		if in.samples.Rate < 0 || in.samples.Rate > math.MaxInt32 {
			return errors.New(encodingSamples, errors.ErrInvalidArgument, errors.NoItem, errRate)
		}
		if err := in.asked.check(encodingSamples); err != nil {
			return err
		}
		return checkOffsets(encodingSamples, "samples", in.samples.Offsets, len(in.samples.Data))
	},
	overlaps: func(in *sampleInputs, into *lending.Arena) bool {
		return into.Holds(abi.BytesOf(within(in.samples.Data, in.samples.Offsets)))
	},
	own: func(in *sampleInputs) {
		in.samples.Data = slices.Clone(within(in.samples.Data, in.samples.Offsets))
		in.samples.Offsets = rebased(in.samples.Offsets)
	},
	place: func(b *samplesBox, f frame) {
		b.arguments = abi.AudioEncodeSamples{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.samples.Len()), SampleRate: uint32(b.inputs.samples.Rate),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		if b.inputs.samples.Len() > 0 {
			b.arguments.Samples = abi.Tape(b.inputs.samples.Data, abi.Offsets(b.inputs.samples.Offsets))
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	},
	result: func(b *samplesBox, _ *Model, lease lending.Lease) (Encoded, error) {
		return b.encoded(encodingSamples, b.inputs.asked, b.inputs.samples.Len(), arena.Unknown, lease)
	},
}

// AudioEncodeSamples encodes decoded recordings, resampled to the model's rate where theirs differs, on the calling goroutine's
// thread. A sample that is NaN, or of a magnitude above 2^32, is [ErrMalformed] and names the item. It calls uform_audio_encode_samples.
func (m *Model) AudioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (Encoded, error) {
	return m.here().audioEncodeSamples(ctx, samples, into, options)
}

// AudioEncodeSamples is [Model.AudioEncodeSamples] on the executor. It is [ErrContended] while another call holds the executor.
func (on On) AudioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (Encoded, error) {
	return on.receiver.audioEncodeSamples(ctx, samples, into, options)
}

// AudioEncodeSamples is [Model.AudioEncodeSamples], submitted to the executor. The samples are copied.
func (d Deferred) AudioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	a, progress := options.asked()
	return audioEncodeSamples.submit(ctx, d.receiver, into, progress, sampleInputs{a, samples})
}

func (r receiver) audioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (Encoded, error) {
	a, progress := options.asked()
	return audioEncodeSamples.block(ctx, r, into, progress, sampleInputs{a, samples})
}
