package train

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Options are the options of a run. The zero value of each field is its default.
type Options struct {
	// Optimizer settings take precedence over those that the checkpoint was saved with.
	Optimizer model.Training
	// Spread runs the tasks; nil is [Threads] of all processors.
	Spread Spread
	// Reducer joins the processes of the run; nil means a single process. The trainer closes it.
	Reducer Reducer
	// Deadline is how long one exchange between processes may take; zero means two minutes.
	Deadline time.Duration
	// Memory bounds the activations kept for the backward pass, in bytes; zero means 512 MiB. A
	// batch that needs more is computed forward twice.
	Memory int64
}

// Trainer is a training run: weights, gradients and moments, and the working memory of a step. One
// goroutine at a time may use it.
type Trainer struct{ run }

// run is the state of a trainer.
type run struct {
	*network
	*parameters
	settings model.Training
	step     uint64
	spread   Spread
	peers    Reducer
	deadline time.Duration
	memory   int64
	stale    bool // weights may have changed since they were packed

	// The fields below belong to one step.
	*Workspace
	items    int // of the samples, which come before questions
	progress func(finished, total int) bool
	finished int
	stopped  atomic.Bool
}

// New starts a run from a checkpoint, or resumes it if a trainer saved the file. The checkpoint is
// not needed afterwards. Errors are as for [model.Parse]; options out of range are
// [errors.ErrInvalidArgument].
func New(checkpoint []byte, options *Options) (*Trainer, error) {
	if options == nil {
		options = &Options{}
	}
	weights, err := model.ReadWeights(checkpoint)
	if err != nil {
		return nil, err
	}
	saved, err := readState(weights)
	if err != nil {
		return nil, err
	}
	settings, err := options.Optimizer.Over(&saved.settings)
	if err != nil {
		return nil, err
	}
	if options.Deadline < 0 || options.Memory < 0 {
		return nil, fmt.Errorf("deadline %v or memory of %d bytes is negative: %w", options.Deadline, options.Memory, errors.ErrInvalidArgument)
	}
	t := &Trainer{run{
		parameters: newParameters(weights),
		Workspace:  new(Workspace),
		settings:   settings, step: saved.step, stale: true,
		spread: options.Spread, peers: options.Reducer, deadline: options.Deadline, memory: options.Memory,
	}}
	config := weights.Config
	t.network = newNetwork(&config, t.parameters)
	if err := t.takeMoments(weights); err != nil {
		return nil, err
	}
	if t.spread == nil {
		t.spread = Threads(runtime.GOMAXPROCS(0))
	}
	if t.peers == nil {
		t.peers = alone{}
	}
	if t.deadline == 0 {
		t.deadline = 2 * time.Minute
	}
	if t.memory == 0 {
		t.memory = 512 << 20
	}
	return t, nil
}

// Close leaves a run of several processes. It may wait for the others to do the same, but for a
// bounded time.
func (t *Trainer) Close() error { return t.peers.Close() }

// Use makes the run compute with spread from now on, in a workspace that no other run uses
// meanwhile.
func (t *Trainer) Use(spread Spread, space *Workspace) { t.spread, t.Workspace = spread, space }

// Steps returns how many steps were applied, including those before the run was resumed.
func (t *Trainer) Steps() uint64 { return t.step }

// Config returns the model's architecture. Nothing that it points to may be changed, except the
// decoder's inverse temperatures.
func (t *Trainer) Config() *model.Config { return t.config }

// Settings returns the optimizer's settings, with defaults filled in.
func (t *Trainer) Settings() model.Training { return t.settings }

// Tensor returns a tensor's weights, row-major, or nil if the architecture has none of that name.
// They may be changed between steps.
func (t *Trainer) Tensor(name string) []float32 {
	p := t.named[name]
	if p == nil {
		return nil
	}
	t.stale = true
	return p.weights
}

// Bytes returns the memory that the trainer holds: sixteen bytes for each trained weight, the
// packed matrices, and its workspace.
func (t *Trainer) Bytes() int64 {
	bytes := 16 * int64(len(t.weights))
	for _, m := range t.matrices {
		bytes += int64(m.forward.Bytes() + m.backward.Bytes())
	}
	return bytes + t.Workspace.Bytes()
}

// interrupted reports an unchanged count, and returns whether the step must end.
func (r *run) interrupted() bool {
	if !r.stopped.Load() && r.progress != nil && !r.progress(r.finished, r.items) {
		r.stopped.Store(true)
	}
	return r.stopped.Load()
}

// repack packs the weights if they have changed.
func (r *run) repack() {
	if r.stale {
		r.pack(r.spread)
		r.stale = false
	}
}

// chunk is a range of samples whose activations are kept together.
type chunk struct{ first, count, rows int }

// cutChunks cuts the samples into chunks by the memory of their activations. Chunks depend on the
// batch alone.
func (r *run) cutChunks() {
	r.chunks = r.chunks[:0]
	most := int(max(1, r.memory/int64(4*r.tokenScalars())))
	next := chunk{}
	for i := range r.samples {
		tokens := r.samples[i].tokens
		if next.count > 0 && tokens > most-next.rows {
			r.chunks = append(r.chunks, next)
			next = chunk{first: i}
		}
		next.count++
		next.rows += tokens
	}
	if next.rows > 0 {
		r.chunks = append(r.chunks, next)
	}
}

// enter makes c the current chunk, and takes it through the forward pass.
func (r *run) enter(c chunk) {
	r.spans = r.spans[:0]
	start, longest := 0, 0
	for i := c.first; i < c.first+c.count; i++ {
		if tokens := r.samples[i].tokens; tokens > 0 {
			r.spans = append(r.spans, span{item: i, start: start, length: tokens})
			start += tokens
			longest = max(longest, tokens)
		}
	}
	r.blocks = cut(r.blocks, c.rows)
	r.angles.reach(longest)
	r.reserve(&r.active, c.rows)
	r.readInputs(r.active.hidden[0])
	r.forward(&r.active)
	if !r.interrupted() {
		r.readStates(r.active.hidden[len(r.layers)])
	}
}

// leave takes the chunk that was entered last through the backward pass.
func (r *run) leave(c chunk) {
	r.blocks = cut(r.blocks, c.rows)
	r.reserveSlopes(&r.slopes, c.rows)
	items := grow(&r.itemSlope, len(r.spans)*r.width)
	r.statesBackward(r.active.hidden[len(r.layers)], r.slopes.hidden, items)
	r.backward(&r.active, &r.slopes)
	if r.interrupted() {
		return
	}
	r.skipBackward(r.slopes.hidden)
	r.inputsBackward(r.slopes.hidden, items)
}

// clearGradients clears the partial sums of a failed step.
func (r *run) clearGradients() {
	r.spread.each(len(r.gradients), updateScalars, func(_, begin, end int) { clear(r.gradients[begin:end]) })
}

// checkRate returns an error if a learning rate is out of range.
func checkRate(rate float64) error {
	if !(rate >= 0 && rate <= math.MaxFloat32) {
		return fmt.Errorf("learning rate %v is out of range: %w", rate, errors.ErrInvalidArgument)
	}
	return nil
}
