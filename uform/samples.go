package uform

import (
	"context"
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
)

// Samples is a batch of mono recordings, full scale from −1 to 1, end to end, and one more offset
// than recordings; offsets count samples. [Recordings] makes it from slices. Goroutines may share
// Samples that none of them changes.
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

func (s Samples) size() int { return 4 * spanned(s.Offsets, len(s.Data)) }

// check refuses a rate that the library has no number for, and offsets that are wrong.
func (s Samples) check(verb, what string) error {
	if s.Rate < 0 || s.Rate > math.MaxInt32 {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errRate)
	}
	return checkOffsets(verb, what, s.Offsets, len(s.Data))
}

func (s Samples) within() []byte { return abi.BytesOf(within(s.Data, s.Offsets)) }

func (s Samples) clone() Samples {
	return Samples{Data: slices.Clone(within(s.Data, s.Offsets)), Offsets: rebased(s.Offsets), Rate: s.Rate}
}

var audioEncodeSamples = encodeVerb("encode samples", "samples",
	func(table *abi.Library) func(*abi.AudioEncodeSamples) { return table.AudioEncodeSamples },
	func(b *box[abi.AudioEncodeSamples, encodeInputs[Samples]], f frame) {
		samples := &b.inputs.items
		b.arguments = abi.AudioEncodeSamples{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(samples.Len()), SampleRate: uint32(samples.Rate),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		if samples.Len() > 0 {
			b.arguments.Samples = abi.Tape(samples.Data, abi.Offsets(samples.Offsets))
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

// AudioEncodeSamples encodes decoded recordings, resampled to the model's rate where theirs
// differs, on the calling goroutine's thread. A sample that is NaN, or of a magnitude above 2^32,
// is [ErrMalformed] and names the item. It calls uform_audio_encode_samples.
func (m *Model) AudioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, audioEncodeSamples, m.here(), samples, into, options)
}

// AudioEncodeSamples is [Model.AudioEncodeSamples] on the executor. It is [ErrContended] while
// another call holds the executor.
func (on On) AudioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, audioEncodeSamples, on.receiver, samples, into, options)
}

// AudioEncodeSamples is [Model.AudioEncodeSamples], submitted to the executor. The samples are
// copied.
func (d Deferred) AudioEncodeSamples(ctx context.Context, samples Samples, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitItems(ctx, audioEncodeSamples, d.receiver, samples, into, options)
}
