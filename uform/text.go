package uform

import (
	"context"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
)

// Outputs are what an encoding verb leaves in the arena. The zero value asks for embeddings.
type Outputs uint8

const (
	// Embeddings are one row of unit length for each item.
	Embeddings Outputs = 1 << iota
	// States are one row for each token of each item.
	States
)

// TextOptions say how texts are encoded. The zero value asks for embeddings in f32.
type TextOptions struct {
	// Outputs are what is asked for.
	Outputs Outputs
	// Scalar is the kind of every output: [F32], [F16], [BF16], or [I8] for embeddings alone.
	Scalar Scalar
	// Whole refuses a text longer than the model's context, with [ErrInvalidArgument] and its item, instead of
	// encoding its head.
	Whole bool
	// Progress hears of the call in texts.
	Progress Handler
}

// Encoded is what an encoding verb answers: views of the arena, which hold until the next call with it.
type Encoded struct {
	// Embeddings has a row for each item, EmbeddingColumns wide.
	Embeddings Rows
	// States has a row for each token of each item, StateColumns wide.
	States RowsTape
	// Cut lists the items that were longer than the model's context.
	Cut []Cut
}

// Cut is an item that lost its tail to the model's context.
type Cut struct {
	// Item is its index, Bytes how many were lost.
	Item, Bytes int
}

type encodeInputs struct {
	items   Tape
	scalar  Scalar
	outputs Outputs
	whole   bool
}

type textEncodeBox = box[abi.TextEncode, encodeInputs]

var textEncode = verb[abi.TextEncode, encodeInputs, Encoded]{
	name:  "encode texts",
	entry: func(table *abi.Library) func(*abi.TextEncode) { return table.TextEncode },
	check: func(m *Model, in *encodeInputs) error {
		if err := in.items.check("encode texts", "texts"); err != nil {
			return err
		}
		if !in.whole {
			return nil
		}
		for i := range in.items.Len() {
			if length := in.items.Offsets[i+1] - in.items.Offsets[i]; length > int64(m.description.Context) {
				err := fmt.Errorf("the text has %d bytes, the model's context %d: split it, or unset Whole", length, m.description.Context)
				return errors.New("encode texts", errors.ErrInvalidArgument, i, err)
			}
		}
		return nil
	},
	overlaps: func(in *encodeInputs, into *Arena) bool { return into.Holds(in.items.Data) },
	own:      func(in *encodeInputs) { in.items = in.items.clone() },
	place: func(b *textEncodeBox, f frame) {
		b.arguments = abi.TextEncode{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.items.Len()), Texts: b.inputs.items.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.outputs)
	},
	result: func(b *textEncodeBox, m *Model, lease arena.Lease) (Encoded, error) {
		encoded, err := b.encoded("encode texts", b.inputs.outputs, b.inputs.items.Len(), b.inputs.items.tokens(m.description.Context), lease)
		encoded.Cut = b.inputs.items.cut(m.description.Context)
		return encoded, err
	},
}

// TextEncode encodes texts in UTF-8, a token a byte, on the calling goroutine's thread. A text longer than the model's context is
// cut to its head, which the result tells; an empty one has no states and gets the model's embedding of nothing.
//
// A text that is not UTF-8 is [ErrMalformed] and names the item; all of it is checked, the part that is cut too. It calls uform_text_encode.
func (m *Model) TextEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (Encoded, error) {
	return m.here().textEncode(ctx, texts, into, options)
}

// TextEncode is [Model.TextEncode] on the executor. It is [ErrContended] while another call holds the executor.
func (on On) TextEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (Encoded, error) {
	return on.receiver.textEncode(ctx, texts, into, options)
}

// TextEncode is [Model.TextEncode], submitted to the executor. The texts are copied. A call that is refused at once, as one that finds
// the executor or the arena taken, is an error here.
func (d Deferred) TextEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (*deferred.Call[Encoded], error) {
	inputs, progress := options.inputs(texts)
	return textEncode.submit(ctx, d.receiver, into, progress, inputs)
}

func (r receiver) textEncode(ctx context.Context, texts Tape, into *Arena, options *TextOptions) (Encoded, error) {
	inputs, progress := options.inputs(texts)
	return textEncode.block(ctx, r, into, progress, inputs)
}

func (o *TextOptions) inputs(texts Tape) (encodeInputs, Handler) {
	if o == nil {
		return encodeInputs{items: texts, outputs: Embeddings}, nil
	}
	in := encodeInputs{items: texts, scalar: o.Scalar, outputs: o.Outputs, whole: o.Whole}
	if in.outputs == 0 {
		in.outputs = Embeddings
	}
	return in, o.Progress
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

// outputs are where the library writes the views that were asked for.
func (b *box[A, I]) outputs(asked Outputs) (embeddings *abi.RowsView, states *abi.RowsTapeView) {
	if asked&Embeddings != 0 {
		embeddings = &b.embeddings
	}
	if asked&States != 0 {
		states = &b.ragged
	}
	return embeddings, states
}

// encoded takes the views of count items with a number of tokens in all.
func (b *box[A, I]) encoded(verb string, asked Outputs, count, tokens int, lease arena.Lease) (Encoded, error) {
	var encoded Encoded
	if asked&Embeddings != 0 {
		if b.embeddings.Data == nil && count > 0 {
			return encoded, errors.New(verb, errors.ErrUnknown, errors.NoItem, errHollow)
		}
		encoded.Embeddings = lease.Rows(b.embeddings, count)
	}
	if asked&States != 0 {
		if b.ragged.Offsets == nil && count > 0 {
			return encoded, errors.New(verb, errors.ErrUnknown, errors.NoItem, errHollow)
		}
		encoded.States = lease.RowsTape(b.ragged, count, tokens)
	}
	return encoded, nil
}
