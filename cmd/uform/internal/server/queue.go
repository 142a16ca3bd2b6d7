package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unum-cloud/uform-go/uform"
)

// queue has the items that wait for a model, and the workers that encode them. A worker that is
// free takes what waits, up to a bound, whichever requests it came with. A request of many items is
// encoded in parts, and those of other requests have their turn in between.
type queue struct {
	pool    *uform.Pool
	metrics *modelMetrics
	limit   int // of items that wait
	batch   int // the most texts of a call

	mutex   sync.Mutex
	arrived *sync.Cond
	waiting []*job // in the order of their turns, each with items that no worker has taken
	items   int    // of all waiting jobs, not taken
	closed  bool
	workers sync.WaitGroup
}

// batchBytes is how many bytes of texts a call has at most, unless its first text is longer.
const batchBytes = 64 << 10

// job is the items of one request, and what came of them.
type job struct {
	ctx   context.Context
	items []item
	how   embedding

	// The fields below are the queue's, under its mutex, until done is closed.
	taken   int // items that workers have taken
	left    int // items without a vector
	vectors [][]float32
	err     error
	done    chan struct{}
}

// newQueue starts the workers of a model.
func newQueue(model *uform.Model, metrics *modelMetrics, options *Options) (*queue, error) {
	pool, err := uform.NewPool(model, &uform.PoolOptions{Executors: options.Workers})
	if err != nil {
		return nil, err
	}
	q := &queue{pool: pool, metrics: metrics, limit: options.Limits.Queue, batch: options.Limits.Batch}
	q.arrived = sync.NewCond(&q.mutex)
	for range options.Workers {
		q.workers.Go(q.work)
	}
	return q, nil
}

// close ends the workers once nothing waits, and frees the executors. No more may be encoded.
func (q *queue) close() error {
	q.mutex.Lock()
	q.closed = true
	q.mutex.Unlock()
	q.arrived.Broadcast()
	q.workers.Wait()
	return q.pool.Close()
}

// waits is how many items no worker has taken.
func (q *queue) waits() int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.items
}

var errFull = errors.New("the queue is full")

// encode returns a vector for each item. It is errFull where too many items wait, and the context's
// cause once that ends; items that no worker has taken leave the queue then.
func (q *queue) encode(ctx context.Context, items []item, how embedding) ([][]float32, error) {
	j := &job{
		ctx: ctx, items: items, how: how,
		left: len(items), vectors: make([][]float32, len(items)), done: make(chan struct{}),
	}
	q.mutex.Lock()
	if q.items+len(items) > q.limit {
		q.mutex.Unlock()
		return nil, errFull
	}
	q.waiting = append(q.waiting, j)
	q.items += len(items)
	q.mutex.Unlock()
	q.arrived.Signal()
	select {
	case <-j.done:
		return j.vectors, j.err
	case <-ctx.Done():
		q.mutex.Lock()
		defer q.mutex.Unlock()
		q.finish(j, context.Cause(ctx))
		return nil, j.err
	}
}

// finish ends a job with an error, unless it has ended, and drops its items that wait. The mutex is
// held.
func (q *queue) finish(j *job, err error) {
	if j.left == 0 {
		return
	}
	j.left = 0
	if j.taken < len(j.items) {
		q.items -= len(j.items) - j.taken
		j.taken = len(j.items)
		q.waiting = slices.DeleteFunc(q.waiting, func(other *job) bool { return other == j })
	}
	j.err = err
	close(j.done)
}

// part is consecutive items of one job.
type part struct {
	job      *job
	from, to int
}

func (p part) items() []item { return p.job.items[p.from:p.to] }

// work encodes batches until the queue is closed.
func (q *queue) work() {
	var batch []part
	for {
		batch = q.take(batch[:0])
		if len(batch) == 0 {
			return
		}
		vectors, err := q.call(batch)
		if err != nil && len(batch) > 1 {
			// One request's items must not be another's failure.
			for _, one := range batch {
				vectors, err := q.call([]part{one})
				q.settle([]part{one}, vectors, err)
			}
		} else {
			q.settle(batch, vectors, err)
		}
		clear(batch)
	}
}

// take waits for items, and takes those of the first waiting jobs that one call can encode: texts
// up to the bounds, or one file. It returns nothing once the queue is closed and empty.
func (q *queue) take(batch []part) []part {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			return batch
		}
		q.arrived.Wait()
	}
	texts, size, turns := 0, 0, 0
	for range len(q.waiting) {
		j := q.waiting[turns]
		if len(batch) > 0 && j.how != batch[0].job.how {
			break
		}
		from := j.taken
		for j.taken < len(j.items) && texts < q.batch {
			next := j.items[j.taken]
			if texts > 0 && (next.modality != uform.Text || size+next.size() > batchBytes) {
				break
			}
			j.taken++
			texts++
			size += next.size()
			if next.modality != uform.Text {
				texts = q.batch // a file is a call of its own: it takes long, and may be broken
			}
		}
		if j.taken == from {
			break
		}
		batch = append(batch, part{j, from, j.taken})
		turns++
	}
	// Jobs with more items wait for their next turn behind the others.
	for _, p := range batch {
		q.items -= p.to - p.from
		if p.job.taken < len(p.job.items) {
			q.waiting = append(q.waiting, p.job)
		}
	}
	q.waiting = slices.Delete(q.waiting, 0, turns)
	if len(q.waiting) > 0 {
		q.arrived.Signal()
	}
	return batch
}

// settle gives the jobs of a batch what came of it.
func (q *queue) settle(batch []part, vectors [][]float32, err error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for _, p := range batch {
		if err != nil {
			q.finish(p.job, ofItem(err, p.from))
			continue
		}
		count := p.to - p.from
		if p.job.left > 0 { // else its client has left, or another part has failed
			copy(p.job.vectors[p.from:p.to], vectors)
			if p.job.left -= count; p.job.left == 0 {
				close(p.job.done)
			}
		}
		vectors = vectors[count:]
	}
}

// ofItem is an error about an item of a part as one about an item of its job.
func ofItem(err error, from int) error {
	failure := new(uform.Error)
	if !errors.As(err, &failure) || failure.Item < 0 {
		return err
	}
	moved := *failure
	moved.Item += from
	return &moved
}

// call encodes a batch. It stops early when the clients of all its jobs are gone.
func (q *queue) call(batch []part) ([][]float32, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var living atomic.Int64
	living.Store(int64(len(batch)))
	count, size := 0, 0
	for _, p := range batch {
		stop := context.AfterFunc(p.job.ctx, func() {
			if living.Add(-1) == 0 {
				cancel()
			}
		})
		defer stop()
		for _, one := range p.items() {
			count++
			size += one.size()
		}
	}
	first := batch[0].items()[0]
	q.metrics.calls()
	began := time.Now()
	var vectors [][]float32
	var err error
	if first.modality == uform.Text {
		texts, how := make([]string, 0, count), batch[0].job.how
		for _, p := range batch {
			for _, one := range p.items() {
				texts = append(texts, one.text)
			}
		}
		vectors, err = q.pool.EmbedWith(ctx, texts, &uform.EmbedOptions{Whole: how.whole, Prompt: how.prompt})
	} else {
		vectors, err = q.encodeFile(ctx, first)
	}
	q.metrics.called(first.modality, count, size, time.Since(began), err)
	return vectors, err
}

// encodeFile encodes a file that is no text.
func (q *queue) encodeFile(ctx context.Context, file item) (vectors [][]float32, err error) {
	err = q.pool.Do(ctx, func(on uform.On, into *uform.Arena) error {
		files, encode := uform.Bytes([][]byte{file.file}), on.ImageEncode
		switch file.modality {
		case uform.Audio:
			encode = on.AudioEncode
		case uform.Video:
			encode = on.VideoEncode
		}
		encoded, err := encode(ctx, files, into, nil)
		if err != nil {
			return err
		}
		vectors, err = encoded.Embeddings.Copy()
		return err
	})
	return vectors, err
}
