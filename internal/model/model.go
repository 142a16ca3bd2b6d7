package model

import (
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Options are the options of loading. The zero value keeps the kinds of the file.
type Options struct {
	// Kind is what matrices are converted to: [abi.ScalarUnknown] keeps each as it is,
	// [abi.ScalarF32] widens, [abi.ScalarBF16] rounds, [abi.ScalarI8] rounds the matrices of
	// layers, and their activations, to bytes. Others are [errors.ErrUnsupported].
	Kind abi.Scalar
	// Progress receives the bytes done and the checkpoint's total: first 0, at last the total, and
	// sometimes between. If it returns false before the last report, the load is cancelled. It may
	// be nil.
	Progress func(done, total uint64) bool
}

// Model is a loaded checkpoint. It never changes, and any number of goroutines may use it, each
// with a [Scratch] of its own.
type Model struct {
	config      Config
	description Description

	bytes       table
	grams       table
	gramRows    buckets
	trunk       *trunk.Trunk // nil without layers
	norm        []float32
	projection  *kernel.Packed
	empty       []float32
	lexical     table
	lexicalRows buckets
	head        table
	headEmpty   []float32

	imagePatches, audioPatches *kernel.Packed
	imagePositions, videoTimes table

	// stateless models have layers that no embedding depends on: the projection takes the mean of
	// the inputs alone. Their layers serve states and choices.
	stateless bool
}

// Description is a model's geometry.
type Description struct {
	// Parameters is the number of elements of all tensors in use, without scales.
	Parameters uint64
	// WeightsBytes is the memory of weights: packed copies, and tables used in place.
	WeightsBytes uint64
	// EmbeddingColumns and StateColumns are the widths of an embedding and of a state.
	EmbeddingColumns, StateColumns uint32
	// Context is the number of tokens of the longest item.
	Context uint32
	Layers  uint32
	Heads   uint32
	// QuestionTypes is 0 without the byte decoder.
	QuestionTypes uint32
	// SampleRate is the rate that recordings are resampled to, in Hz, 0 without audio.
	SampleRate uint32
	// Modalities is a mask of 1 << [abi.Modality].
	Modalities  uint32
	ByteDecoder bool
	// Kind is the kind of packed matrices: [abi.ScalarI8] if those of layers are, [abi.ScalarBF16]
	// if all are, else [abi.ScalarF32].
	Kind abi.Scalar
}

// Parse loads a model. The checkpoint is read in place: it must stay unchanged, and mapped, while
// the model is in use. options may be nil.
//
// A file that the format does not allow is [errors.ErrMalformed], and the error names the tensor or
// the member of the configuration at fault. A later version of the format, or a kind that no model
// is loaded to, is [errors.ErrUnsupported]; a load that Progress stopped is [errors.ErrCancelled].
func Parse(checkpoint []byte, options *Options) (*Model, error) {
	if options == nil {
		options = &Options{}
	}
	switch options.Kind {
	case abi.ScalarUnknown, abi.ScalarF32, abi.ScalarBF16, abi.ScalarI8:
	default:
		return nil, fmt.Errorf("a model can be loaded as f32, bf16 or i8, not %v: %w", options.Kind, errors.ErrUnsupported)
	}
	l := &loader{kind: options.Kind, progress: options.Progress, total: uint64(len(checkpoint)), narrow: true}
	if l.report(0); l.err != nil {
		return nil, l.err
	}
	container, config, err := openCheckpoint(checkpoint)
	if err != nil {
		return nil, err
	}
	l.container = container
	l.advance(container.bodyStart)
	m := &Model{config: *config}
	m.load(l)
	if l.err != nil {
		return nil, l.err
	}
	m.describe(l)
	if l.progress != nil {
		l.progress(l.total, l.total)
	}
	return m, nil
}

// openCheckpoint reads everything before the tensors.
func openCheckpoint(checkpoint []byte) (*Container, *Config, error) {
	container, err := ReadContainer(checkpoint)
	if err != nil {
		return nil, nil, err
	}
	text, found := container.Metadata[configName]
	if !found {
		return nil, nil, malformed("the file is not a model: %s lacks %q", metadataName, configName)
	}
	config, err := ParseConfig(text)
	if err != nil {
		return nil, nil, err
	}
	return container, config, nil
}

func (m *Model) load(l *loader) {
	c := &m.config
	m.bytes = l.table("bytes", 256, c.Width)
	if c.Grams != nil {
		m.grams, m.gramRows = l.table("grams", c.Grams.Buckets, c.Width), bucketsOf(c.Grams.Buckets)
	}
	if c.Layers > 0 {
		m.loadTrunk(l)
		m.norm = l.vector("norm", c.Width)
	}
	m.projection = l.packed("projection", c.Columns, c.PooledColumns())
	m.stateless = l.err == nil && c.Layers > 0 && c.Skip && m.projection.Ignores(c.Width)
	m.empty = l.unitVector("empty", c.EmbeddingColumns())
	if c.Lexical != nil {
		m.lexical, m.lexicalRows = l.positiveWeights("lexical", c.Lexical.Buckets), bucketsOf(c.Lexical.Buckets)
	}
	if c.Decoder != nil {
		m.head = l.table("decoder.head", 256, c.Width)
		// The head is used row by row, but in products, so its kind counts.
		l.narrow = l.narrow && m.head.dtype == BF16
		m.headEmpty = l.vector("decoder.empty", c.Width)
	}
	m.loadPatches(l)
}

// loadTrunk takes the tensors of the layers.
func (m *Model) loadTrunk(l *loader) {
	c := &m.config
	var layers []trunk.Layer
	for i := range c.Layers {
		prefix := fmt.Sprintf("layers.%d.", i)
		attention, feedforward := prefix+"attention.", prefix+"feedforward."
		layers = append(layers, trunk.Layer{
			AttentionNorm:   trunk.Norm{Gain: l.vector(attention+"norm", c.Width)},
			Query:           l.layered(attention+"query", c.Width, c.Width),
			Key:             l.layered(attention+"key", c.Width, c.Width),
			Value:           l.layered(attention+"value", c.Width, c.Width),
			Output:          l.layered(attention+"output", c.Width, c.Width),
			FeedforwardNorm: trunk.Norm{Gain: l.vector(feedforward+"norm", c.Width)},
			Up:              l.layered(feedforward+"up", c.Hidden, c.Width),
			Down:            l.layered(feedforward+"down", c.Width, c.Hidden),
			RotaryBase:      c.RotaryBase,
		})
	}
	if l.err == nil {
		m.trunk, l.err = trunk.New(&trunk.Config{
			Width: c.Width, Heads: c.Heads, Hidden: c.Hidden,
			Norm: trunk.RMSNorm, Epsilon: c.NormEpsilon, Activation: trunk.SiLU,
		}, layers)
	}
}

func (m *Model) describe(l *loader) {
	c := &m.config
	d := &m.description
	*d = Description{
		Parameters:       l.parameters,
		EmbeddingColumns: uint32(c.EmbeddingColumns()),
		StateColumns:     uint32(c.Width),
		Context:          uint32(c.Context),
		Layers:           uint32(c.Layers),
		Heads:            uint32(c.Heads),
		Kind:             abi.ScalarF32,
	}
	switch {
	case l.kind == abi.ScalarI8 && c.Layers > 0:
		d.Kind = abi.ScalarI8
	case l.narrow:
		d.Kind = abi.ScalarBF16
	}
	if c.Decoder != nil {
		d.ByteDecoder = true
		d.QuestionTypes = uint32(len(c.Decoder.QuestionTypes))
	}
	if c.Audio != nil {
		d.SampleRate = uint32(c.Audio.Rate)
	}
	for _, name := range c.Modalities {
		for _, modality := range abi.ModalityValues() {
			if name == modality.String() {
				d.Modalities |= 1 << modality
			}
		}
	}
	d.WeightsBytes = m.weightsBytes()
}

func (m *Model) weightsBytes() uint64 {
	bytes := m.bytes.size() + m.grams.size() + m.lexical.size() + m.head.size() + m.projection.Bytes()
	bytes += 4 * (len(m.norm) + len(m.empty) + len(m.headEmpty))
	if m.trunk != nil {
		bytes += m.trunk.Size()
	}
	return uint64(bytes + m.patchesBytes())
}

// Config returns the model's architecture. Nothing that it points to may be changed.
func (m *Model) Config() Config { return m.config }

// Describe returns the model's geometry.
func (m *Model) Describe() Description { return m.description }
