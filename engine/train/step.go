package train

import (
	"context"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
)

// StepOptions are the options of one step.
type StepOptions struct {
	// LearningRate replaces that of the run unless it is zero.
	LearningRate float64
	// Losses are the losses to minimize; nil means Contrast alone.
	Losses *Losses
	// Embeddings receives the embeddings of this process's items from before the step, unless it is
	// nil: a row for each, as wide as [model.Config.EmbeddingColumns].
	Embeddings []float32
	// Progress receives the items done and their total: first zero, at last the total, and
	// sometimes between, never twice at once. If it returns false before the last report, the step
	// ends and has changed nothing.
	Progress func(finished, total int) bool
	// Fault is a fault that the caller has already found in this process's part of the step, nil
	// for none. The step returns it, after the other processes have learned that there is one.
	Fault error
}

// Stats describe a step, in all processes.
type Stats struct {
	// Step counts the steps applied, this one included.
	Step uint64
	// Items are those of all processes.
	Items uint64
	// Loss is the loss before the update, and GradientNorm the length of its gradient before
	// clipping.
	Loss, GradientNorm float64
}

// Step learns from a batch: forward, losses, backward, the sum over all processes, the update.
// Every process of a run must make the same number of steps, with the same losses and rate; batches
// may differ in size, and be empty. A step without items or questions in any process changes
// nothing, and is not counted.
//
// A batch that the model does not accept fails on every process, with the cause where it is known
// and [errors.ErrPeer] elsewhere; [ItemOf] returns the item. A batch from which nothing can be
// learned, since no two items match, is [errors.ErrInvalidArgument]; a step that Progress or ctx
// ended is [errors.ErrCancelled]. After any of these the run continues as if the step had not been
// made. After a process was lost every step is [errors.ErrPeer].
func (t *Trainer) Step(ctx context.Context, batch *Batch, options *StepOptions) (*Stats, error) {
	if options == nil {
		options = &StepOptions{}
	}
	losses := &Losses{Contrast: 1}
	if options.Losses != nil {
		losses = options.Losses
	}
	defer t.end()
	stats, err := t.learn(ctx, batch, options, losses)
	if err != nil {
		t.clearGradients()
		return nil, err
	}
	return stats, nil
}

func (r *run) learn(ctx context.Context, batch *Batch, options *StepOptions, losses *Losses) (*Stats, error) {
	fault := r.begin(ctx, batch, options, losses)
	loss, census, err := r.slope(ctx, batch, options, losses, fault)
	switch {
	case err != nil:
		return nil, err
	case census.items+census.questions == 0:
		r.report(options, 0)
		return &Stats{Step: r.step}, nil
	}
	norm := r.measure(r.spread, &r.sums)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, fmt.Errorf("the gradient has length %v: a smaller learning rate may help: %w", norm, errors.ErrMalformed)
	}
	r.apply(options.LearningRate, norm)
	r.report(options, len(batch.Items))
	return &Stats{Step: r.step, Items: uint64(census.items), Loss: loss, GradientNorm: norm}, nil
}

// slope leaves the gradients of a step, summed over all processes, ready for the update. An earlier
// fault is reported to the other processes first.
func (r *run) slope(ctx context.Context, batch *Batch, options *StepOptions, losses *Losses, fault error) (float64, *census, error) {
	census, err := r.exchangeVotes(ctx, batch, options, losses, fault)
	if err != nil || census.items+census.questions == 0 {
		return 0, census, err
	}
	r.enterAll() // an interruption is reported in gather, or the other processes would wait
	r.embed()
	copy(options.Embeddings, r.embedded.rows)
	if err := r.gather(ctx, batch, census); err != nil {
		return 0, nil, err
	}
	items, choice, err := r.lose(batch, losses, census)
	if err != nil {
		return 0, nil, err
	}
	r.embedBackward()
	for i := len(r.chunks) - 1; i >= 0 && !r.interrupted(); i-- {
		if i < len(r.chunks)-1 {
			r.enter(r.chunks[i])
		}
		if r.leave(r.chunks[i]); i > 0 {
			r.finished += r.chunks[i].items(r.items)
		}
	}
	choice, err = r.reduce(ctx, choice)
	return items + choice, census, err
}

// enterAll takes every chunk through the forward pass, the last one to stay, and reports whether it
// was not stopped.
func (r *run) enterAll() bool {
	for _, c := range r.chunks {
		if r.enter(c); r.interrupted() {
			return false
		}
	}
	return true
}

// look takes a batch through the forward pass, in this process alone.
func (r *run) look(ctx context.Context, batch *Batch, options *StepOptions) error {
	if err := r.begin(ctx, batch, options, &Losses{}); err != nil {
		return err
	}
	if !r.enterAll() {
		return r.cancelled()
	}
	return nil
}

// end drops the data of the step.
func (r *run) end() {
	r.progress = nil
	r.forget()
}

// items returns how many samples of a chunk are items. count is the number of all items.
func (c chunk) items(count int) int { return max(0, min(c.first+c.count, count)-c.first) }

// begin checks and prepares a step.
func (r *run) begin(ctx context.Context, batch *Batch, options *StepOptions, losses *Losses) error {
	r.stopped.Store(false)
	r.finished, r.items, r.samples = 0, len(batch.Items), r.samples[:0]
	r.chunks = r.chunks[:0]
	if options.Fault != nil {
		return options.Fault
	}
	if err := losses.check(); err != nil {
		return err
	}
	if err := checkRate(options.LearningRate); err != nil {
		return err
	}
	if options.Embeddings != nil && len(options.Embeddings) != r.items*r.config.EmbeddingColumns() {
		return fmt.Errorf("embeddings have room for %d scalars where %d items take %d: %w",
			len(options.Embeddings), r.items, r.items*r.config.EmbeddingColumns(), errors.ErrInvalidArgument)
	}
	r.progress = func(finished, total int) bool {
		return ctx.Err() == nil && (options.Progress == nil || options.Progress(finished, total))
	}
	if err := r.admit(batch, losses); err != nil {
		return err
	}
	if r.interrupted() {
		return r.cancelled()
	}
	r.prepare()
	return nil
}

// prepare prepares for passes over the samples.
func (r *run) prepare() {
	r.repack()
	r.hash()
	r.cutChunks()
	r.reserveEmbedded()
}

// report reports that all is done. The handler's result does not matter any more.
func (r *run) report(options *StepOptions, items int) {
	if options.Progress != nil {
		options.Progress(items, items)
	}
}

func (r *run) cancelled() error {
	return fmt.Errorf("stopped before the end: %w", errors.ErrCancelled)
}

// lose computes the losses, those of the gathered embeddings and that of this process's questions,
// and the gradients of its embeddings and states.
func (r *run) lose(batch *Batch, losses *Losses, census *census) (items, choice float64, err error) {
	c := &r.gathered
	temperature, scale := losses.Temperature, losses.RankScale
	if temperature == 0 {
		temperature = r.settings.Temperature
	}
	if scale == 0 {
		scale = 20
	}
	contrast, matched := c.contrast(losses.Contrast, temperature)
	useful := matched > 0 && losses.Contrast > 0 ||
		census.targets > 0 && losses.Cosine+losses.Similarity > 0 ||
		census.pairs > 1 && losses.Rank > 0 ||
		census.questions > 0 && losses.Choice > 0
	if !useful {
		return 0, 0, &itemError{0, fmt.Errorf("nothing to learn: none of %d items match: %w", census.items, errors.ErrInvalidArgument)}
	}
	items = contrast + c.distil(losses.Cosine, losses.Similarity) + c.rank(losses.Rank, scale)
	if census.questions > 0 && losses.Choice > 0 {
		choice = r.choose(batch.Questions, losses.Choice/float64(census.questions))
	}
	return items, choice, nil
}

// apply updates the weights.
func (r *run) apply(rate, norm float64) {
	if rate == 0 {
		rate = r.settings.LearningRate
	}
	clip := 1.0
	if r.settings.Clip > 0 && norm > r.settings.Clip {
		clip = r.settings.Clip / norm
	}
	r.step++
	r.update(r.spread, adam{
		rate: rate, decay: r.settings.WeightDecay, beta1: r.settings.Beta1, beta2: r.settings.Beta2,
		epsilon: r.settings.Epsilon, clip: clip, step: r.step,
	})
	r.stale = true
}

// Embed writes the embeddings of items with the present weights to rows, as wide as
// [model.Config.EmbeddingColumns]. Errors are as for [Trainer.Step], of which it is the first half;
// other processes take no part.
func (t *Trainer) Embed(ctx context.Context, items []Item, rows []float32) error {
	defer t.end()
	if err := t.look(ctx, &Batch{Items: items}, &StepOptions{Embeddings: rows}); err != nil {
		return err
	}
	t.embed()
	copy(rows, t.embedded.rows)
	return nil
}
