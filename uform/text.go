package uform

import (
	"context"
	stderrors "errors"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// TextOptions say how texts are encoded. The zero value asks for embeddings in f32.
type TextOptions struct {
	// Outputs are what is asked for.
	Outputs Outputs
	// Scalar is the kind of every output: [F32], [F16], [BF16], or [I8] for embeddings alone.
	Scalar Scalar
	// Whole refuses a text longer than the model's context, with [ErrInvalidArgument] and its item,
	// instead of encoding its head.
	Whole bool
	// Prompt names what stands before each text, of the [ModelDescription]'s Prompts: "query" and
	// "passage" are common. Where it is empty, the model's own default stands there, if it has one.
	// A prompt that the model does not have is [ErrInvalidArgument], and the error lists those that
	// it has; on a shared library, which has none, it is [ErrUnsupported].
	Prompt string
	// NoPrompt leaves the model's default prompt out.
	NoPrompt bool
	// Progress receives reports of the call in texts.
	Progress Handler
}

const encodingTexts = "encode texts"

type textInputs struct {
	asked
	texts     Tape
	extension abi.TextExtension
}

// extends reports whether a call needs more than the C interface has.
func (m *Model) extends(in *textInputs) bool {
	return !m.bytewise() || in.extension.TextPrompt != abi.TextPrompt{}
}

var errNoPrompts = stderrors.New("a shared library has no prompts: open the library with OpenOptions.Embedded, or set UFORM_LIBRARY=embedded")

type textEncodeBox = box[abi.TextEncode, textInputs]

var textEncode = &verb[abi.TextEncode, textInputs, Encoded]{
	name:   encodingTexts,
	entry:  func(table *abi.Library) func(*abi.TextEncode) { return table.TextEncode },
	extent: func(in *textInputs) (items, bytes int) { return in.texts.Len(), in.texts.size() },
	check: func(m *Model, in *textInputs) error {
		if err := in.asked.check(encodingTexts); err != nil {
			return err
		}
		if err := in.texts.check(encodingTexts, "texts"); err != nil {
			return err
		}
		if in.extension.Prompt != "" && m.library.table.TextEncodeWith == nil {
			return errors.New(encodingTexts, errors.ErrUnsupported, errors.NoItem, errNoPrompts)
		}
		if !in.extension.Whole || !m.bytewise() {
			return nil // the library counts the tokens
		}
		for i := range in.texts.Len() {
			if length := in.texts.Offsets[i+1] - in.texts.Offsets[i]; length > int64(m.description.Context) {
				err := fmt.Errorf("the text has %d bytes, the model's context %d: split it, or unset Whole", length, m.description.Context)
				return errors.New(encodingTexts, errors.ErrInvalidArgument, i, err)
			}
		}
		return nil
	},
	overlaps: func(in *textInputs, into *lending.Arena) bool { return into.Holds(in.texts.within()) },
	own:      func(in *textInputs) { in.texts = in.texts.clone() },
	place: func(b *textEncodeBox, f frame) {
		b.arguments = abi.TextEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.texts.Len()), Texts: b.inputs.texts.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	},
	enter: func(m *Model, b *textEncodeBox) {
		table := m.library.table
		if table.TextEncodeWith != nil && m.extends(&b.inputs) {
			table.TextEncodeWith(&b.arguments, &b.inputs.extension)
			return
		}
		table.TextEncode(&b.arguments)
	},
	result: func(b *textEncodeBox, m *Model, lease lending.Lease) (Encoded, error) {
		if !m.bytewise() {
			encoded, err := b.encoded(encodingTexts, b.inputs.asked, b.inputs.texts.Len(), arena.Unknown, lease)
			for _, cut := range b.inputs.extension.Cut {
				encoded.Cut = append(encoded.Cut, Cut(cut))
			}
			return encoded, err
		}
		texts, context := b.inputs.texts, m.description.Context
		encoded, err := b.encoded(encodingTexts, b.inputs.asked, texts.Len(), texts.tokens(context), lease)
		encoded.Cut = texts.cut(context)
		return encoded, err
	},
}

// TextEncode encodes texts in UTF-8 on the calling goroutine's thread. A token is a byte, or one of
// the tokenizer's for the model of a folder, which counts those that it puts around a text and
// those of the prompt. A text longer than the model's context is cut to its head, which the result
// reports. An empty text has no states and gets the model's embedding of nothing, or of the tokens
// that the tokenizer puts around it.
//
// Embeddings have unit length, except of a folder whose model does not normalize them; in [I8] they
// are always of unit length.
//
// A text that is not UTF-8 is [ErrMalformed] and names the item; all of it is checked, the part
// that is cut too. It calls uform_text_encode.
func (m *Model) TextEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (Encoded, error) {
	return m.here().textEncode(ctx, texts, into, options)
}

// TextEncode is [Model.TextEncode] on the executor. It is [ErrContended] while another call holds
// the executor.
func (on On) TextEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (Encoded, error) {
	return on.receiver.textEncode(ctx, texts, into, options)
}

// TextEncode is [Model.TextEncode], submitted to the executor. The texts are copied. A call that is
// refused at once, as one that finds the executor or the arena taken, is an error here.
func (d Deferred) TextEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (*deferred.Call[Encoded], error) {
	inputs, progress := options.inputs(texts)
	return textEncode.submit(ctx, d.receiver, into, progress, inputs)
}

func (r receiver) textEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (Encoded, error) {
	inputs, progress := options.inputs(texts)
	return textEncode.block(ctx, r, into, progress, inputs)
}

func (o *TextOptions) inputs(texts Tape) (textInputs, Handler) {
	if o == nil {
		return textInputs{texts: texts, asked: asked{outputs: Embeddings}}, nil
	}
	a, progress := (&EncodeOptions{Outputs: o.Outputs, Scalar: o.Scalar, Progress: o.Progress}).asked()
	extension := abi.TextExtension{TextPrompt: abi.TextPrompt{Prompt: o.Prompt, NoPrompt: o.NoPrompt}, Whole: o.Whole}
	return textInputs{texts: texts, asked: a, extension: extension}, progress
}

// cut lists the items that are longer than context.
func (t Tape) cut(context int) (cut []Cut) {
	for i := range t.Len() {
		if lost := t.Offsets[i+1] - t.Offsets[i] - int64(context); lost > 0 {
			cut = append(cut, Cut{Item: i, Bytes: int(lost)})
		}
	}
	return cut
}
