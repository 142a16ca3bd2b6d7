package train

import (
	"context"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
)

// StepOptions are what one step has of its own.
type StepOptions struct {
	// LearningRate takes the place of the run's where it is not zero.
	LearningRate float64
	// Losses are what is made smaller; nil is Contrast alone.
	Losses *Losses
	// Embeddings receive those of this process's items, as they were before the step, where it is not nil: a row for each, as
	// wide as [model.Config.EmbeddingColumns].
	Embeddings []float32
	// Progress hears of items done and of how many there are, of zero first and of all last, and now and then between, never
	// twice at once. Answering false ends the step, but at the end, and nothing has changed then.
	Progress func(finished, total int) bool
	// Fault is what its caller found wrong with this process's part of the step already, nil for nothing. The step answers it,
	// once the other processes know that there is one.
	Fault error
}

// Stats are what a step did, in all processes.
type Stats struct {
	// Step counts the steps applied, this one included.
	Step uint64
	// Items are those of all processes.
	Items uint64
	// Loss is what the step made smaller, as it was before, and GradientNorm the length of its gradient before it was clipped.
	Loss, GradientNorm float64
}

// Step learns from a batch: forward, losses, backward, the sum over all processes, the update. Every process of a run must
// make the same number of steps, with the same losses and rate; batches may differ in size, and be empty. A step without
// items or questions in any process changes nothing, and is not counted.
//
// A batch that the model does not take fails on every process, with the cause where it is known and [errors.ErrPeer]
// elsewhere; [ItemOf] tells the item. A batch in which nothing is to be learned, since no two items match, is
// [errors.ErrInvalidArgument]; a step that Progress or ctx ended is [errors.ErrCancelled]. After any of these the
// run goes on as if the step had not been. After a process was lost every step is [errors.ErrPeer].
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

// slope leaves the gradients of a step, of all processes, where they are updated from. What was wrong at its begin is told to
// the others first.
func (r *run) slope(ctx context.Context, batch *Batch, options *StepOptions, losses *Losses, fault error) (float64, *census, error) {
	census, err := r.convene(ctx, batch, options, losses, fault)
	if err != nil || census.items+census.questions == 0 {
		return 0, census, err
	}
	r.enterAll() // one that was interrupted says so when it gathers, or the others would wait
	r.embed()
	copy(options.Embeddings, r.embedded.rows)
	if err := r.gather(ctx, batch, census); err != nil {
		return 0, nil, err
	}
	crowd, choice, err := r.lose(batch, losses, census)
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
	return crowd + choice, census, err
}

// enterAll takes every chunk through the forward pass, the last one to stay, and tells whether it got to the end.
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

// end drops what was the step's.
func (r *run) end() {
	r.progress = nil
	r.forget()
}

// items is how many samples of a chunk are items, of which there are count in all.
func (c chunk) items(count int) int { return max(0, min(c.first+c.count, count)-c.first) }

// begin checks a step and makes ready for it.
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
	if err := r.admit(batch); err != nil {
		return err
	}
	if r.interrupted() {
		return r.cancelled()
	}
	r.prepare()
	return nil
}

// prepare makes ready for passes over the samples.
func (r *run) prepare() {
	r.repack()
	r.hash()
	r.cutChunks()
	r.reserveEmbedded()
}

// report tells that all is done. The answer does not matter any more.
func (r *run) report(options *StepOptions, items int) {
	if options.Progress != nil {
		options.Progress(items, items)
	}
}

func (r *run) cancelled() error {
	return fmt.Errorf("stopped before the end: %w", errors.ErrCancelled)
}

// lose computes the losses, that of the crowd and that of this process's questions, and the gradients of its embeddings and
// states.
func (r *run) lose(batch *Batch, losses *Losses, census *census) (crowd, choice float64, err error) {
	c := &r.crowd
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
		return 0, 0, &itemError{0, fmt.Errorf("nothing to learn: of %d items no two match: %w", census.items, errors.ErrInvalidArgument)}
	}
	crowd = contrast + c.distil(losses.Cosine, losses.Similarity) + c.rank(losses.Rank, scale)
	if census.questions > 0 && losses.Choice > 0 {
		choice = r.choose(batch.Questions, losses.Choice/float64(census.questions))
	}
	return crowd, choice, nil
}

// apply is the update.
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

// Embed writes the embeddings of items with the weights as they are to rows, as wide as [model.Config.EmbeddingColumns].
// Errors are as for [Trainer.Step], of which it is the first half; other processes take no part.
func (t *Trainer) Embed(ctx context.Context, items []Item, rows []float32) error {
	defer t.end()
	if err := t.look(ctx, &Batch{Items: items}, &StepOptions{Embeddings: rows}); err != nil {
		return err
	}
	t.embed()
	copy(rows, t.embedded.rows)
	return nil
}
