package uform

import (
	"context"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// ChooseOptions say how choices are scored.
type ChooseOptions struct {
	// QuestionTypes has the type of each item's question, which selects the calibrated inverse
	// temperature; nil means type zero for all.
	QuestionTypes []uint32
	// Progress receives reports of the call in texts.
	Progress Handler
}

// Chosen is what TextChoose returns.
type Chosen struct {
	// Probabilities has one f32 row, one column wide, for each choice of each item, in the order of
	// the choices. The probabilities of an item sum to one.
	Probabilities RowsTape
}

// Copy copies the probabilities: a slice for each item, in the order of its choices. The result is
// the caller's.
func (c Chosen) Copy() ([][]float32, error) {
	copied, err := c.Probabilities.Copy()
	if err != nil {
		return nil, err
	}
	items := make([][]float32, len(copied))
	for i, rows := range copied {
		items[i] = make([]float32, 0, len(rows))
		for _, row := range rows {
			items[i] = append(items[i], row...)
		}
	}
	return items, nil
}

type chooseInputs struct {
	texts, choices Tape
	types          []uint32
}

type textChooseBox = box[abi.TextChoose, chooseInputs]

const choosing = "choose"

var textChoose = &verb[abi.TextChoose, chooseInputs, Chosen]{
	name:  choosing,
	entry: func(table *abi.Library) func(*abi.TextChoose) { return table.TextChoose },
	extent: func(in *chooseInputs) (items, bytes int) {
		return in.texts.Len(), in.texts.size() + in.choices.size()
	},
	check: func(_ *Model, in *chooseInputs) error {
		if err := in.texts.check(choosing, "texts"); err != nil {
			return err
		}
		if err := in.choices.check(choosing, "choices"); err != nil {
			return err
		}
		count := in.texts.Len()
		if choices := in.choices.Len(); choices != count {
			err := fmt.Errorf("there are %d texts and the choices of %d", count, choices)
			return errors.New(choosing, errors.ErrInvalidArgument, errors.NoItem, err)
		}
		if types := len(in.types); in.types != nil && types != count {
			err := fmt.Errorf("there are %d texts and %d question types", count, types)
			return errors.New(choosing, errors.ErrInvalidArgument, errors.NoItem, err)
		}
		return nil
	},
	overlaps: func(in *chooseInputs, into *lending.Arena) bool {
		return into.Holds(in.texts.within()) || into.Holds(in.choices.within())
	},
	own: func(in *chooseInputs) {
		in.texts, in.choices = in.texts.clone(), in.choices.clone()
		in.types = append([]uint32(nil), in.types...)
	},
	place: func(b *textChooseBox, f frame) {
		b.arguments = abi.TextChoose{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion,
			Count: uintptr(b.inputs.texts.Len()), Texts: b.inputs.texts.view(), Choices: b.inputs.choices.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena, Probabilities: &b.ragged,
		}
		if len(b.inputs.types) > 0 {
			b.arguments.QuestionTypes = &b.inputs.types[0]
		}
	},
	result: func(b *textChooseBox, _ *Model, lease lending.Lease) (Chosen, error) {
		count := b.inputs.texts.Len()
		if b.ragged.Offsets == nil && count > 0 {
			return Chosen{}, errors.New(choosing, errors.ErrUnknown, errors.NoItem, errHollow)
		}
		return Chosen{Probabilities: RowsTape(lease.RowsTape(b.ragged, count, b.inputs.choices.tokens(whole)))}, nil
	},
}

// TextChoose scores, for each text, the bytes that may follow it, on the calling goroutine's
// thread. Each text ends where its choice goes; item i of choices holds its legal bytes, each once,
// one choice a byte. A text longer than the model's context loses its head, never its end.
//
// A model without the byte decoder is [ErrUnsupported]; an item with no choices, a repeated one, or
// a question type that the model does not have is [ErrInvalidArgument] and names the item. It calls
// uform_text_choose.
func (m *Model) TextChoose(ctx context.Context, texts, choices Tape, into *Arena, options *ChooseOptions) (Chosen, error) {
	return m.here().textChoose(ctx, texts, choices, into, options)
}

// TextChoose is [Model.TextChoose] on the executor. It is [ErrContended] while another call holds
// the executor.
func (on On) TextChoose(ctx context.Context, texts, choices Tape, into *Arena, options *ChooseOptions) (Chosen, error) {
	return on.receiver.textChoose(ctx, texts, choices, into, options)
}

// TextChoose is [Model.TextChoose], submitted to the executor. The inputs are copied. A call that
// is refused at once is an error here.
func (d Deferred) TextChoose(ctx context.Context, texts, choices Tape, into *Arena, options *ChooseOptions) (*deferred.Call[Chosen], error) {
	inputs, progress := options.inputs(texts, choices)
	return textChoose.submit(ctx, d.receiver, into, progress, inputs)
}

func (r receiver) textChoose(ctx context.Context, texts, choices Tape, into *Arena, options *ChooseOptions) (Chosen, error) {
	inputs, progress := options.inputs(texts, choices)
	return textChoose.block(ctx, r, into, progress, inputs)
}

func (o *ChooseOptions) inputs(texts, choices Tape) (chooseInputs, Handler) {
	if o == nil {
		return chooseInputs{texts: texts, choices: choices}, nil
	}
	return chooseInputs{texts: texts, choices: choices, types: o.QuestionTypes}, o.Progress
}
