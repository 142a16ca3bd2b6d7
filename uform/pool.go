package uform

import (
	"context"
	stderrors "errors"
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/inflight"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Pool serves one model to any number of goroutines. An executor runs one call at a time and queues
// nothing; a Pool has several executors, each with an arena, and a call waits for a free one under
// its context. Results are copies and the caller's.
type Pool struct {
	model      *Model
	describing *ExecutorOptions
	workers    []*worker
	free       chan *worker

	mutex    sync.Mutex     // to write fields of workers; who took a worker reads without it
	replaced sync.WaitGroup // former executors and arenas that are not closed yet

	closing sync.Once
	closed  chan struct{}
	over    chan struct{}
	err     error
}

// worker is an executor with the arena that its calls write to.
type worker struct {
	executor *Executor
	arena    *Arena
	driver   *inflight.Driver // the goroutine that runs the work of Do, nil if none does
}

// PoolOptions say which executors a pool has. The zero value is one for each core, each of one
// thread, the caller's: the fastest choice for many calls at once.
type PoolOptions struct {
	// Executors is how many calls run at once; 0 means one for each core.
	Executors int
	// Executor are the options of each of them; nil means one thread, the caller's.
	Executor *ExecutorOptions
}

// NewPool makes a pool over model, which must be in host memory and stay open as long as the pool.
// A closed model is [ErrClosed].
func NewPool(model *Model, options *PoolOptions) (*Pool, error) {
	switch {
	case model == nil:
		return nil, errors.New("make pool", errors.ErrInvalidArgument, errors.NoItem, errNoModel)
	case model.handle.Closed():
		return nil, errors.New("make pool", errors.ErrInvalidArgument, errors.NoItem, closed("model"))
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
		model: model, describing: describing, free: make(chan *worker, size),
		closed: make(chan struct{}), over: make(chan struct{}),
	}
	for range size {
		executor, arena, err := p.newPair()
		if err != nil {
			return nil, stderrors.Join(err, p.closeAll())
		}
		w := &worker{executor: executor, arena: arena}
		p.workers = append(p.workers, w)
		p.free <- w
	}
	return p, nil
}

// newPair makes an executor, and an arena for it.
func (p *Pool) newPair() (*Executor, *Arena, error) {
	executor, err := p.model.library.NewExecutor(p.describing)
	if err != nil {
		return nil, nil, err
	}
	arena, err := p.model.library.NewArena(executor)
	if err != nil {
		return nil, nil, stderrors.Join(err, executor.Close())
	}
	return executor, arena, nil
}

const maxPool = 1 << 12

var (
	errNoPool   = stderrors.New("the pool is nil")
	errPoolSize = stderrors.New("a pool has from 1 to 4096 executors")
	errInWork   = stderrors.New("called from work that the pool does, which it would wait for")
	errLeftCall = stderrors.New("the work left a blocking call in flight: wait for its goroutine before returning")
	errLeftPin  = stderrors.New("the work left rows of the arena pinned: release them before returning, or copy them")
)

// TextEncode is [Model.TextEncode] on the first executor that is free. It waits for one under ctx.
func (p *Pool) TextEncode(ctx context.Context, texts Tape, options *TextOptions) (copied Copied, err error) {
	err = p.with(ctx, textEncode.name, func(w *worker) error {
		encoded, err := p.model.On(w.executor).TextEncode(ctx, texts, w.arena, options)
		if err == nil {
			copied, err = encoded.Copy()
		}
		return err
	})
	return copied, err
}

// TextChoose is [Model.TextChoose] on the first executor that is free. It returns the probabilities
// of each item's choices.
func (p *Pool) TextChoose(ctx context.Context, texts, choices Tape, options *ChooseOptions) (probabilities [][]float32, err error) {
	err = p.with(ctx, choosing, func(w *worker) error {
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

// EmbedWith is [Pool.Embed] with options. A text of many windows keeps its executor until all of
// them are encoded.
func (p *Pool) EmbedWith(ctx context.Context, texts []string, options *EmbedOptions) (vectors [][]float32, err error) {
	err = p.with(ctx, encodingTexts, func(w *worker) error {
		vectors, err = p.model.On(w.executor).embed(ctx, texts, w.arena, options)
		return err
	})
	return vectors, err
}

const usingPool = "use pool"

// Do runs work on the first executor that is free, with the arena that belongs to it, for verbs
// that a Pool has no method for. It waits for one under ctx; if ctx ends first, the error is
// [ErrCancelled] and work is not run. Outputs in the arena are not valid after work returns: copy
// what is to be kept.
//
// When work returns, Do waits for a deferred call that is not final, or runs it if the executor
// only holds it. Rows that are still pinned, and a blocking call that another goroutine still
// makes, are an error, [ErrContended], joined with that of work. The pool then continues with a new
// executor and arena, and closes the old ones once they are free.
func (p *Pool) Do(ctx context.Context, work func(on On, into *Arena) error) error {
	return p.with(ctx, usingPool, func(w *worker) (err error) {
		p.setDriver(w, inflight.NewDriver())
		defer func() {
			if left := p.finish(w); left != nil {
				err = stderrors.Join(err, left)
			}
			p.setDriver(w, nil)
		}()
		return work(p.model.On(w.executor), w.arena)
	})
}

// setDriver records which goroutine works with w, nil for none.
func (p *Pool) setDriver(w *worker, driver *inflight.Driver) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	w.driver = driver
}

// finish makes w ready for the next call. It returns an error for what it could not wait for.
func (p *Pool) finish(w *worker) error {
	w.executor.finish()
	lent, pinned := (*lending.Arena)(w.arena).Finish()
	var left error
	switch {
	case pinned:
		left = errors.New(usingPool, errors.ErrContended, errors.NoItem, errLeftPin)
	case lent, w.executor.handle.InCall():
		left = errors.New(usingPool, errors.ErrContended, errors.NoItem, errLeftCall)
	default:
		return nil
	}
	executor, arena, err := p.newPair()
	if err != nil {
		return stderrors.Join(left, err)
	}
	former := &worker{executor: w.executor, arena: w.arena}
	p.replaced.Go(func() { _ = former.close() }) // no handler runs here, so Close is not refused
	p.mutex.Lock()
	defer p.mutex.Unlock()
	w.executor, w.arena = executor, arena
	return left
}

// with runs work with a free worker.
func (p *Pool) with(ctx context.Context, verb string, work func(*worker) error) error {
	if p == nil {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, errNoPool)
	}
	// A context that has ended is an error even if a worker is free.
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

// Close waits for the calls in flight, then closes the executors and arenas, and returns when that
// is done. Calls that still wait for an executor fail. The model stays open. Closing again is safe,
// and waits in the same way. Inside the progress handler of a call of the pool, or in the work of
// [Pool.Do], Close returns [ErrContended] and changes nothing. The pool's verbs must not be called
// there: they might wait for the executor that this very handler or work holds.
func (p *Pool) Close() error {
	if p == nil {
		return nil
	}
	if p.inside() {
		return errors.New("close pool", errors.ErrContended, errors.NoItem, errInWork)
	}
	p.closing.Do(func() {
		close(p.closed)
		p.err = p.closeAll()
		p.replaced.Wait()
		close(p.over)
	})
	<-p.over
	return p.err
}

// inside reports whether the calling goroutine does work that Close would wait for.
func (p *Pool) inside() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, w := range p.workers {
		if w.driver != nil && w.driver.Inside() || w.executor.handle.Inside() {
			return true
		}
	}
	return false
}

// closeAll closes all workers, as they become free.
func (p *Pool) closeAll() error {
	var failures []error
	for range p.workers {
		failures = append(failures, (<-p.free).close())
	}
	return stderrors.Join(failures...)
}

func (w *worker) close() error { return stderrors.Join(w.arena.Close(), w.executor.Close()) }
