package uform

import (
	"context"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// ModelDescription is the geometry and the placement of a model.
type ModelDescription struct {
	// Architecture is "uform" for UForm's own checkpoints, and for the model of a folder what its
	// config.json calls it, such as "bert".
	Architecture string
	// Tokenizer is what makes tokens of texts: "bytes" for UForm's own checkpoints, and for the
	// model of a folder its tokenizer's kind: "WordPiece", "BPE" or "Unigram".
	Tokenizer string
	// Prompts are the names of the prompts that a folder has, sorted. DefaultPrompt is the name of
	// the one that stands before texts unless a call says otherwise, empty for none.
	Prompts       []string
	DefaultPrompt string
	// Parameters counts the weights, WeightsBytes the memory that they and their packed copies
	// take.
	Parameters, WeightsBytes uint64
	// EmbeddingColumns and StateColumns are the scalars of an embedding and of a state. In folders
	// with two towers StateColumns is of texts: states of images are as wide as their own tower,
	// which is what Encoded.States.Rows().Columns returns.
	EmbeddingColumns, StateColumns int
	// Context is the longest item in tokens. In texts a token is a byte where Tokenizer is "bytes".
	Context int
	// Layers and Heads are the trunk's; both may be zero.
	Layers, Heads int
	// ByteDecoder reports whether the model can score choices, QuestionTypes for how many types it
	// is calibrated.
	ByteDecoder   bool
	QuestionTypes int
	// SampleRate is what recordings are resampled to, in Hz; zero without audio.
	SampleRate int
	// Modalities are what the model can encode.
	Modalities []Modality
	// Scalar is the kind that the weights are packed to.
	Scalar Scalar
	// Residency and Device are where the weights live; the device is -1 for host pages.
	Residency Residency
	Device    int
}

type describeInputs struct{ description abi.ModelDescription }

type describeBox = box[abi.ModelDescribe, describeInputs]

var describe = &verb[abi.ModelDescribe, describeInputs, ModelDescription]{
	name:   "describe model",
	entry:  func(table *abi.Library) func(*abi.ModelDescribe) { return table.ModelDescribe },
	extent: func(*describeInputs) (items, bytes int) { return 0, 0 },
	check:  func(*Model, *describeInputs) error { return nil },
	own:    func(*describeInputs) {},
	place: func(b *describeBox, f frame) {
		b.arguments = abi.ModelDescribe{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion,
			Description: &b.inputs.description,
		}
	},
	result: func(b *describeBox, m *Model, _ lending.Lease) (ModelDescription, error) {
		d := b.inputs.description
		described := ModelDescription{
			Architecture: m.details.Architecture, Tokenizer: m.details.Tokenizer,
			Prompts: slices.Clone(m.details.Prompts), DefaultPrompt: m.details.DefaultPrompt,
			Parameters: d.Parameters, WeightsBytes: d.WeightsBytes,
			EmbeddingColumns: int(d.EmbeddingColumns), StateColumns: int(d.StateColumns), Context: int(d.Context),
			Layers: int(d.Layers), Heads: int(d.Heads), ByteDecoder: d.ByteDecoder != 0, QuestionTypes: int(d.QuestionTypes),
			SampleRate: int(d.SampleRate), Scalar: d.Scalar, Residency: d.Residency, Device: int(d.Device),
		}
		for _, modality := range []Modality{Text, Image, Video, Audio} {
			if d.Modalities>>modality&1 != 0 {
				described.Modalities = append(described.Modalities, modality)
			}
		}
		return described, nil
	},
}

// Describe returns the model's geometry and placement. It calls uform_model_describe, on the
// calling goroutine's thread.
func (m *Model) Describe(ctx context.Context) (ModelDescription, error) {
	return describe.block(ctx, m.here(), nil, nil, describeInputs{})
}

// Describe returns the model's geometry and placement. It calls uform_model_describe, on the
// executor.
func (on On) Describe(ctx context.Context) (ModelDescription, error) {
	return describe.block(ctx, on.receiver, nil, nil, describeInputs{})
}

// Describe returns the model's geometry and placement. It calls uform_model_describe, deferred.
func (d Deferred) Describe(ctx context.Context) (*deferred.Call[ModelDescription], error) {
	return describe.submit(ctx, d.receiver, nil, nil, describeInputs{})
}
