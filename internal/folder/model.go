package folder

import (
	"fmt"
	"maps"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/tokenizer"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Options are the options of loading. The zero value keeps the kinds of the files.
type Options struct {
	// Kind is what matrices are converted to: [abi.ScalarUnknown] keeps F32 and BF16, and widens
	// F16; [abi.ScalarF32] widens, [abi.ScalarBF16] rounds, [abi.ScalarI8] rounds the matrices of
	// layers except those of values, and their activations, to bytes. Others are
	// [errors.ErrUnsupported]. Tables that are read row by row stay as they are.
	Kind abi.Scalar
	// Progress receives the bytes done and the total of all files of weights: first 0, at last the
	// total, and sometimes between, from any goroutine but never from two at once. If it returns
	// false before the last report, the load is cancelled. It may be nil.
	Progress func(done, total uint64) bool
}

// Model is a model that was made of a folder. It never changes, and any number of goroutines may
// use it, each with a [Scratch] of its own.
type Model struct {
	description model.Description
	details     Details

	tokens tokens
	// A text goes through one of the two, and then through pooling and steps.
	tower   *tower
	static  *static
	pooling *pooling
	steps   []step

	vision *vision // nil for a model of texts alone, which has one of the others
}

// Details are what a folder says of itself beyond its geometry.
type Details struct {
	// Architecture is the model_type of config.json, such as "bert", or how a folder is known that
	// has none: "static", "wordllama", "uform".
	Architecture string
	// Tokenizer is the kind of the tokenizer's model: "WordPiece", "BPE" or "Unigram"; empty for a
	// model of pictures alone.
	Tokenizer string
	// Prompts are the names that [Model.Tokenize] takes, sorted.
	Prompts []string
	// DefaultPrompt is the name of the prompt of texts that name none, empty for no prompt.
	DefaultPrompt string
}

// Open makes a model of a folder. The bytes that source maps are used in place where their kind
// allows. options may be nil.
//
// What becomes of the rows of a text's tokens is what modules.json says: pooling, projections,
// length. A folder without it, a bare encoder of the Transformers library, has no say in that: the
// embedding is the mean of its rows, not of unit length, as sentence-transformers makes it of the
// same folder; like there, the other files of sentence-transformers are left alone then. CLIP,
// SigLIP and UForm have pooling and projection of their own; embeddings of CLIP and SigLIP have
// unit length, so that those of texts and of pictures compare.
//
// An error names the file and what is wrong with it. It wraps [errors.ErrUnsupported] where the
// folder asks for what is not there, [errors.ErrMalformed] where a file is wrong, [errors.ErrIO]
// where one is absent or cannot be read, and [errors.ErrCancelled] where Progress ended the load.
func Open(source Source, options *Options) (*Model, error) {
	if options == nil {
		options = &Options{}
	}
	switch options.Kind {
	case abi.ScalarUnknown, abi.ScalarF32, abi.ScalarBF16, abi.ScalarI8:
	default:
		return nil, fmt.Errorf("a model can be loaded as f32, bf16 or i8, not %v: %w", options.Kind, errors.ErrUnsupported)
	}
	b := &builder{loader: &loader{kind: options.Kind, progress: options.Progress, letGo: func([]byte) {}}, model: &Model{}}
	if releaser, can := source.(Releaser); can {
		b.loader.letGo = releaser.LetGo
	}
	b.root = place{&recorded{source, &b.loader.bodies}, "."}
	if err := b.loader.guard(b.build); err != nil {
		return nil, err
	}
	return b.model, nil
}

// texts reports whether the model encodes texts.
func (m *Model) texts() bool { return m.tower != nil || m.static != nil }

// Describe returns the model's geometry. Context counts tokens, those around a text included.
func (m *Model) Describe() model.Description { return m.description }

// Details returns what the folder says of itself.
func (m *Model) Details() Details {
	details := m.details
	details.Prompts = slices.Clone(details.Prompts)
	return details
}

// builder makes a model.
type builder struct {
	root   place
	at     place // the files of the transformer
	loader *loader
	model  *Model
	// config is config.json of the transformer, nil where there is none.
	config  *object
	weights *weights

	// tokenizer is read while weights are, and then given to the functions of then, in order.
	tokenizer *pendingTokenizer
	then      []func(*tokenizer.Tokenizer) error

	listed bool // whether there is a modules.json

	width   int // of a row, after the layers
	columns int // of what the steps so far made
	context int
}

func (b *builder) build() error {
	b.at = b.root
	modules, err := readModules(b.root)
	if err != nil {
		return err
	}
	if b.listed = modules != nil; b.listed {
		if b.at, err = b.root.in(modules[0].path); err != nil {
			return err
		}
	}
	b.tokenizer = b.readTokenizer()
	defer b.tokenizer.close() // nothing reads the source once this function has returned
	if err := b.encoder(modules); err != nil {
		return err
	}
	if err := b.modules(modules); err != nil {
		return err
	}
	if err := b.load(); err != nil {
		return err
	}
	t, err := b.awaitTokenizer()
	if err != nil && (b.model.texts() || b.loader.err != nil) {
		return err
	}
	for _, take := range b.then {
		if err := take(t); err != nil {
			return err
		}
	}
	if b.listed {
		if err := b.prompts(); err != nil {
			return err
		}
	}
	if err := b.setApart(); err != nil {
		return err
	}
	if err := b.finishVision(); err != nil {
		return err
	}
	b.describe()
	if l := b.loader; l.progress != nil {
		l.progress(l.total, l.total)
	}
	return nil
}

// load reads the elements of all tensors.
func (b *builder) load() error {
	l := b.loader
	if l.err != nil {
		return l.err
	}
	for _, body := range l.bodies {
		l.total += uint64(len(body))
	}
	if l.report(0); l.err != nil {
		return l.err
	}
	if err := l.run(); err != nil {
		return err
	}
	if t := b.model.tower; t != nil {
		var err error
		if t.trunk, err = trunk.New(&t.config, t.layers); err != nil {
			return fmt.Errorf("%s: %w", b.weights.name, err)
		}
	}
	return nil
}

func (b *builder) describe() {
	m, l := b.model, b.loader
	m.description = model.Description{
		Parameters:       l.parameters,
		EmbeddingColumns: uint32(b.columns),
		StateColumns:     uint32(b.width),
		Context:          uint32(b.context),
		Kind:             abi.ScalarF32,
	}
	switch {
	case len(l.rounded) > 0:
		m.description.Kind = abi.ScalarI8
	case l.narrow:
		m.description.Kind = abi.ScalarBF16
	}
	bytes := l.bytes
	if m.tower != nil {
		m.description.Layers, m.description.Heads = uint32(len(m.tower.layers)), uint32(m.tower.config.Heads)
		bytes += packedBytes(m.tower.layers)
	}
	if v := m.vision; v != nil {
		m.description.Modalities |= 1 << abi.ModalityImage
		bytes += packedBytes(v.layers) + packedBytes([]trunk.Layer{v.pools}) + v.patches.Weight.Size()
		if v.projected {
			bytes += v.steps[0].packedBytes()
		}
	}
	for i := range m.steps {
		bytes += m.steps[i].packedBytes()
	}
	m.description.WeightsBytes = uint64(bytes)
	if m.texts() {
		m.description.Modalities |= 1 << abi.ModalityText
		m.details.Tokenizer = m.tokens.tokenizer.Kind()
	}
	m.details.Prompts = slices.Sorted(maps.Keys(m.tokens.prompts))
}
