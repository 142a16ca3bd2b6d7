package uform

import (
	"context"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Examples are what one step learns from: items, and which of them match. Goroutines may share
// Examples that none of them changes.
type Examples struct {
	// Contents are the items' bytes: a text in UTF-8, or a file as the encoding verb of its
	// modality takes it.
	Contents Tape
	// Modalities are what each item is; nil is texts alone.
	Modalities []Modality
	// Groups are equal for items that match, whatever their modalities; nil pairs neighbours, the
	// first item with the second and so on.
	Groups []uint32
}

// StepOptions are what one step has of its own. The zero value is the run's learning rate and
// embeddings in f32.
type StepOptions struct {
	// LearningRate takes the place of the run's for this step, where it is not 0. A schedule is the
	// caller's: a rate for each step.
	LearningRate float64
	// Scalar is the kind of the embeddings: [F32], [F16], [BF16] or [I8].
	Scalar Scalar
	// Progress receives reports of the step in items. A handler that returns an error ends it, and
	// nothing has changed then.
	Progress Handler
}

// Stepped is the result of one step, over all processes.
type Stepped struct {
	// Step counts the steps applied so far, this one included.
	Step uint64
	// Items is the number of items of this step, in all processes.
	Items uint64
	// Loss is the loss before the update, GradientNorm the length of its gradient before clipping.
	Loss, GradientNorm float64
	// Embeddings has a row for each item, as the weights were before the step: a view of the arena
	// that was named, which holds until the next call with it. Without an arena it is empty.
	Embeddings Rows
}

const (
	training = "train"
	saving   = "save trainer"
)

type stepInputs struct {
	examples     Examples
	scalar       Scalar
	learningRate float64
	wanted       bool // the embeddings are
	stats        abi.TrainerStats
}

type stepBox = box[abi.TrainerStep, stepInputs]

var trainerStep = &verb[abi.TrainerStep, stepInputs, Stepped]{
	name:   training,
	trains: true,
	spares: true,
	entry:  func(table *abi.Library) func(*abi.TrainerStep) { return table.TrainerStep },
	extent: func(in *stepInputs) (items, bytes int) {
		return in.examples.Contents.Len(), in.examples.Contents.size()
	},
	check: func(_ *Model, in *stepInputs) error {
		count, modalities, groups := in.examples.Contents.Len(), in.examples.Modalities, in.examples.Groups
		if modalities != nil && len(modalities) != count || groups != nil && len(groups) != count {
			err := fmt.Errorf("there are %d items, %d modalities and %d groups", count, len(modalities), len(groups))
			return errors.New(training, errors.ErrInvalidArgument, errors.NoItem, err)
		}
		return in.examples.Contents.check(training, "contents")
	},
	overlaps: func(in *stepInputs, into *lending.Arena) bool { return into.Holds(in.examples.Contents.within()) },
	own: func(in *stepInputs) {
		in.examples = Examples{
			Contents:   in.examples.Contents.clone(),
			Modalities: append([]Modality(nil), in.examples.Modalities...),
			Groups:     append([]uint32(nil), in.examples.Groups...),
		}
	},
	place: func(b *stepBox, f frame) {
		in := &b.inputs
		count := in.examples.Contents.Len()
		b.arguments = abi.TrainerStep{
			Trainer: f.trainer, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: in.scalar,
			Count: uintptr(count), Contents: in.examples.Contents.view(), LearningRate: in.learningRate,
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena, Stats: &in.stats,
		}
		if in.examples.Modalities == nil {
			in.examples.Modalities = make([]Modality, count)
		}
		if count > 0 {
			b.arguments.Modalities = &in.examples.Modalities[0]
			if in.examples.Groups != nil {
				b.arguments.Groups = &in.examples.Groups[0]
			}
		}
		if in.wanted {
			b.arguments.Embeddings = &b.embeddings
		}
	},
	result: func(b *stepBox, _ *Model, lease lending.Lease) (Stepped, error) {
		stats := b.inputs.stats
		stepped := Stepped{Step: stats.Step, Items: stats.Items, Loss: stats.Loss, GradientNorm: stats.GradientNorm}
		if !b.inputs.wanted {
			return stepped, nil
		}
		encoded, err := b.encoded(training, asked{outputs: Embeddings}, b.inputs.examples.Contents.Len(), 0, lease)
		stepped.Embeddings = encoded.Embeddings
		return stepped, err
	},
}

func (o *StepOptions) inputs(examples Examples, into *Arena) (stepInputs, Handler) {
	if o == nil {
		o = new(StepOptions)
	}
	return stepInputs{examples: examples, scalar: o.Scalar, learningRate: o.LearningRate, wanted: into != nil}, o.Progress
}

// Step is one step of the run, on the executor: forward, losses, backward, the sum over all
// processes, and the update. Items of a group are drawn together, and away from all others. Every
// process of a run makes the same number of steps; their items may differ in number.
//
// into may be nil; an arena receives the items' embeddings. A step that fails or is cancelled has
// changed nothing. An item that the model does not take is [ErrMalformed] or [ErrUnsupported] and
// names the item; examples of which no two match are [ErrInvalidArgument]; what another process
// found wrong, or its loss, is [ErrPeer]. It is [ErrContended] while another call holds the
// executor, the arena or the trainer. It calls uform_trainer_step.
func (on TrainerOn) Step(ctx context.Context, examples Examples, into *Arena, options *StepOptions) (Stepped, error) {
	inputs, progress := options.inputs(examples, into)
	return trainerStep.blockAt(ctx, on.site(), into, progress, inputs)
}

// Step is [TrainerOn.Step], submitted to the executor. The examples are copied. A call that is
// refused at once is an error here.
func (d TrainerDeferred) Step(ctx context.Context, examples Examples, into *Arena, options *StepOptions) (*deferred.Call[Stepped], error) {
	inputs, progress := options.inputs(examples, into)
	return trainerStep.submitAt(ctx, d.site(), into, progress, inputs)
}

// SaveOptions say how a run is saved.
type SaveOptions struct {
	// Progress receives reports of the save in bytes.
	Progress Handler
}

// Saved is the result of a save that succeeded.
type Saved struct{}

type saveInputs struct{ path *byte }

type saveBox = box[abi.TrainerSave, saveInputs]

var trainerSave = &verb[abi.TrainerSave, saveInputs, Saved]{
	name:   saving,
	trains: true,
	entry:  func(table *abi.Library) func(*abi.TrainerSave) { return table.TrainerSave },
	extent: func(*saveInputs) (items, bytes int) { return 0, 0 },
	check:  func(*Model, *saveInputs) error { return nil },
	own:    func(*saveInputs) {},
	place: func(b *saveBox, f frame) {
		b.arguments = abi.TrainerSave{
			Trainer: f.trainer, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Path: b.inputs.path,
			Progress: f.progress, ProgressState: f.progressState,
		}
	},
	result: func(*saveBox, *Model, lending.Lease) (Saved, error) { return Saved{}, nil },
}

func (o *SaveOptions) inputs(path string) (saveInputs, Handler, error) {
	if err := checkPath(saving, path); err != nil {
		return saveInputs{}, nil, err
	}
	inputs := saveInputs{path: abi.CText(path)}
	if o == nil {
		return inputs, nil, nil
	}
	return inputs, o.Progress, nil
}

// Save writes a checkpoint, on the executor: one that [Library.Load] loads, and that
// [Library.NewTrainer] resumes the run from, with its step and its moments. Whatever happens, path
// holds what it held before, or the whole new file. Of many processes only the first writes; the
// others return at once.
//
// What the system refuses, and a path that holds something else than a regular file, such as a
// folder or a device, is [ErrIO]; a run that steps too large for its weights have made useless is
// [ErrMalformed]. It calls uform_trainer_save.
func (on TrainerOn) Save(ctx context.Context, path string, options *SaveOptions) error {
	inputs, progress, err := options.inputs(path)
	if err == nil {
		_, err = trainerSave.blockAt(ctx, on.site(), nil, progress, inputs)
	}
	return err
}

// Save is [TrainerOn.Save], submitted to the executor. A call that is refused at once is an error
// here.
func (d TrainerDeferred) Save(ctx context.Context, path string, options *SaveOptions) (*deferred.Call[Saved], error) {
	inputs, progress, err := options.inputs(path)
	if err != nil {
		return nil, err
	}
	return trainerSave.submitAt(ctx, d.site(), nil, progress, inputs)
}
