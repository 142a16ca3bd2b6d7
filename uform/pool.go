package uform

import (
	"context"
	stderrors "errors"
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/errors"
)

// Pool serves one model to any number of goroutines. An executor has one call at a time and never queues; a Pool keeps
// several, each with an arena, and lets a call wait for a free one under its context. Results are copies and the
// caller's.
type Pool struct {
	model *Model
	free  chan worker
	size  int

	closing sync.Once
	closed  chan struct{}
	over    chan struct{}
	err     error
}

// worker is an executor with the arena that its calls write to.
type worker struct {
	executor *Executor
	arena    *Arena
}

// PoolOptions say what a pool works with. The zero value has an executor for each core, each of one thread, the caller's: the
// best there is for many calls at once. It is a plain value: goroutines may share one that none of them changes.
type PoolOptions struct {
	// Executors is how many calls run at once; 0 means one for each core.
	Executors int
	// Executor describes each of them; nil means one thread, the caller's.
	Executor *ExecutorOptions
}

// NewPool makes a pool over model, which must live in host pages and stay open as long as the pool.
func NewPool(model *Model, options *PoolOptions) (*Pool, error) {
	if model == nil {
		return nil, errors.New("make pool", errors.ErrInvalidArgument, errors.NoItem, errNoModel)
	}
	size, describing := runtime.GOMAXPROCS(0), &ExecutorOptions{Threads: 1, WithCaller: true}
	if options != nil && options.Executors != 0 {
		size = options.Executors
	}
	if options != nil && options.Executor != nil {
		describing = options.Executor
	}
	if size < 0 || size > maxPool {
		return nil, errors.New("make pool", errors.ErrInvalidArgument, errors.NoItem, errPoolSize)
	}
	p := &Pool{
		model: model, size: size, free: make(chan worker, size),
		closed: make(chan struct{}), over: make(chan struct{}),
	}
	for range size {
		executor, err := model.library.NewExecutor(describing)
		if err != nil {
			return nil, stderrors.Join(err, p.discard())
		}
		arena, err := model.library.NewArena(executor)
		if err != nil {
			return nil, stderrors.Join(err, executor.Close(), p.discard())
		}
		p.free <- worker{executor, arena}
	}
	return p, nil
}

const maxPool = 1 << 12

var (
	errNoPool   = stderrors.New("the pool is nil")
	errPoolSize = stderrors.New("a pool has from 1 to 4096 executors")
)

// TextEncode is [Model.TextEncode] on the first executor that is free. It waits for one under ctx.
func (p *Pool) TextEncode(ctx context.Context, texts Tape, options *TextOptions) (copied Copied, err error) {
	err = p.with(ctx, textEncode.name, func(w worker) error {
		encoded, err := p.model.On(w.executor).TextEncode(ctx, texts, w.arena, options)
		if err == nil {
			copied, err = encoded.Copy()
		}
		return err
	})
	return copied, err
}

// TextChoose is [Model.TextChoose] on the first executor that is free. It answers the probabilities of each item's choices.
func (p *Pool) TextChoose(ctx context.Context, texts, choices Tape, options *ChooseOptions) (probabilities [][]float32, err error) {
	err = p.with(ctx, choosing, func(w worker) error {
		chosen, err := p.model.On(w.executor).TextChoose(ctx, texts, choices, w.arena, options)
		if err != nil {
			return err
		}
		probabilities, err = chosen.Copy()
		return err
	})
	return probabilities, err
}

// Embed is [Model.Embed] on the first executor that is free.
func (p *Pool) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return p.EmbedWith(ctx, texts, nil)
}

// EmbedWith is [Pool.Embed] with options. A text of many windows keeps its executor until all of them are encoded.
func (p *Pool) EmbedWith(ctx context.Context, texts []string, options *EmbedOptions) (vectors [][]float32, err error) {
	err = p.with(ctx, encodingTexts, func(w worker) error {
		vectors, err = p.model.On(w.executor).embed(ctx, texts, w.arena, options)
		return err
	})
	return vectors, err
}

// Do runs work on the first executor that is free, with the arena that belongs to it, for verbs that a Pool has no method for. It
// waits for one under ctx; one that has ended is [ErrCancelled], and work is not run then. What work leaves in the arena is gone when it returns: copy what is to be kept.
func (p *Pool) Do(ctx context.Context, work func(on On, into *Arena) error) error {
	return p.with(ctx, "use pool", func(w worker) error { return work(p.model.On(w.executor), w.arena) })
}

// with runs work with a free worker.
func (p *Pool) with(ctx context.Context, verb string, work func(worker) error) error {
	if p == nil {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNoPool)
	}
	// A context that has ended counts for more than a worker that is free at the same moment.
	if ctx.Err() != nil {
		return errors.New(verb, errors.ErrCancelled, errors.NoItem, context.Cause(ctx))
	}
	select {
	case <-p.closed:
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("pool"))
	default:
	}
	select {
	case w := <-p.free:
		// Also where work panics, as a progress handler may.
		defer func() { p.free <- w }()
		if ctx.Err() == nil {
			return work(w)
		}
	case <-ctx.Done():
	case <-p.closed:
		if ctx.Err() == nil {
			return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("pool"))
		}
	}
	return errors.New(verb, errors.ErrCancelled, errors.NoItem, context.Cause(ctx))
}

// Close waits for the calls in flight, then closes the executors and arenas. Calls that still wait for an executor fail. The
// model stays open. Closing again is safe. It must not be called from a progress handler of the pool's own calls; nor must the
// verbs, which may wait there for an executor that only the handler's return sets free.
func (p *Pool) Close() error {
	if p == nil {
		return nil
	}
	p.closing.Do(func() {
		close(p.closed)
		var failures []error
		for range p.size {
			failures = append(failures, (<-p.free).close())
		}
		p.err = stderrors.Join(failures...)
		close(p.over)
	})
	<-p.over
	return p.err
}

// discard closes the workers made so far.
func (p *Pool) discard() error {
	var failures []error
	for len(p.free) > 0 {
		failures = append(failures, (<-p.free).close())
	}
	return stderrors.Join(failures...)
}

func (w worker) close() error { return stderrors.Join(w.arena.Close(), w.executor.Close()) }
