// Package flow embeds items: one goroutine reads ahead, some embed, and the results come in the
// order of the items. Memory does not grow with their number.
package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/uform"
)

// Options say how items are embedded.
type Options struct {
	// Threads is how many batches are embedded at once; 0 is one for each core.
	Threads int
	// Prompt names what stands before each text, as in [uform.TextOptions].
	Prompt string
	// Bad is called with an item that cannot be embedded, and why, in the order of the items. If it
	// returns an error the run ends with it, after the batches before. Nil ends the run, with an
	// error that names the item.
	Bad func(item items.Item, why error) error
}

// Result is a batch with its vectors, one for each item that is left: bad ones are not.
type Result struct {
	*items.Batch
	Vectors [][]float32
}

// Run embeds what reader returns, and calls each with the results, in order, on the calling
// goroutine. It returns the first error: of the reader, of an item, of each, or the cause of ctx. A
// goroutine that is blocked in a read of the reader may outlive it.
func Run(ctx context.Context, model *uform.Model, reader *items.Reader, options *Options, each func(Result) error) error {
	threads := options.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	e, err := NewEncoder(ctx, model, threads, options.Prompt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer func() {
		cancel()
		workers.Wait()
		e.Close()
	}()
	// A job is in order until its result is taken: the capacity bounds the batches in memory.
	order, work := make(chan *job, 2*threads), make(chan *job)
	go read(ctx, reader, order, work)
	for range threads {
		workers.Go(func() {
			for {
				select {
				case j, open := <-work:
					if !open {
						return
					}
					e.encode(ctx, j)
					close(j.done)
				case <-ctx.Done(): // the reader may be blocked, and never close its channel
					return
				}
			}
		})
	}
	for {
		var j *job
		var open bool
		select {
		case j, open = <-order:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !open {
			return context.Cause(ctx)
		}
		select {
		case <-j.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if errors.Is(j.err, io.EOF) {
			return nil
		}
		if j.err != nil {
			return j.err
		}
		if err := j.deliver(options.Bad, each); err != nil {
			return err
		}
	}
}

// job is a batch on its way.
type job struct {
	batch   *items.Batch
	vectors [][]float32 // nil for those at fault
	faults  []error
	err     error
	done    chan struct{}
}

// read passes batches on until there are none, or ctx ends.
func read(ctx context.Context, reader *items.Reader, order, work chan<- *job) {
	defer close(order)
	defer close(work)
	defer reader.Close()
	for ctx.Err() == nil {
		j := &job{done: make(chan struct{})}
		if j.batch, j.err = reader.Next(); j.err != nil {
			close(j.done)
		}
		select {
		case order <- j:
		case <-ctx.Done():
			return
		}
		if j.err != nil {
			return
		}
		select {
		case work <- j:
		case <-ctx.Done():
			return
		}
	}
}

// deliver reports what is bad, and passes on the rest.
func (j *job) deliver(bad func(items.Item, error) error, each func(Result) error) error {
	whole := j.batch.Items
	result := Result{Batch: j.batch}
	result.Items = make([]items.Item, 0, len(whole))
	for i, item := range whole {
		if j.faults[i] == nil {
			result.Items = append(result.Items, item)
			result.Vectors = append(result.Vectors, j.vectors[i])
			continue
		}
		err := fmt.Errorf("%s: %w", item.Name, j.faults[i])
		if bad != nil {
			err = bad(item, j.faults[i])
		}
		if err != nil {
			return err
		}
	}
	return each(result)
}

// Encoder embeds batches. Goroutines may share it.
type Encoder struct {
	pool       *uform.Pool
	modalities []uform.Modality
	prompt     string
}

// NewEncoder returns an encoder of so many batches at once, with a prompt before texts, or the
// model's own for an empty one. The model must stay open as long.
func NewEncoder(ctx context.Context, model *uform.Model, threads int, prompt string) (*Encoder, error) {
	description, err := model.Describe(ctx)
	if err != nil {
		return nil, err
	}
	pool, err := uform.NewPool(model, &uform.PoolOptions{Executors: threads})
	return &Encoder{pool, description.Modalities, prompt}, err
}

// Close waits for the calls in flight, and frees what the encoder holds.
func (e *Encoder) Close() error { return e.pool.Close() }

// Embed embeds the items of a batch. The first that is bad is an error.
func (e *Encoder) Embed(ctx context.Context, batch *items.Batch) (vectors [][]float32, err error) {
	j := &job{batch: batch}
	if e.encode(ctx, j); j.err != nil {
		return nil, j.err
	}
	err = j.deliver(nil, func(r Result) error {
		vectors = r.Vectors
		return nil
	})
	return vectors, err
}

// encode fills in a job. An item that is bad fails its call, which is made again without it.
func (e *Encoder) encode(ctx context.Context, j *job) {
	j.vectors, j.faults = make([][]float32, len(j.batch.Items)), make([]error, len(j.batch.Items))
	var left []int
	for i, item := range j.batch.Items {
		switch {
		case item.Fault != nil:
			j.faults[i] = item.Fault
		case !slices.Contains(e.modalities, item.Modality):
			j.faults[i] = fmt.Errorf("the model does not take %ss, only %v: name another by --model", item.Modality, e.modalities)
		default:
			left = append(left, i)
		}
	}
	for len(left) > 0 {
		contents := make([][]byte, len(left))
		for k, i := range left {
			contents[k] = j.batch.Items[i].Content
		}
		vectors, err := e.vectors(ctx, j.batch.Modality, contents)
		if err == nil {
			for k, i := range left {
				j.vectors[i] = vectors[k]
			}
			return
		}
		failure := (*uform.Error)(nil)
		if !errors.As(err, &failure) || failure.Item < 0 || failure.Item >= len(left) ||
			!errors.Is(err, uform.ErrMalformed) && !errors.Is(err, uform.ErrUnsupported) {
			j.err = err
			return
		}
		// The item's number in the batch is of no use to a reader; its name is.
		why := failure.Cause
		if why == nil {
			why = failure.Status
		}
		j.faults[left[failure.Item]] = why
		left = slices.Delete(left, failure.Item, failure.Item+1)
	}
}

// vectors embeds contents of one modality.
func (e *Encoder) vectors(ctx context.Context, modality uform.Modality, contents [][]byte) (vectors [][]float32, err error) {
	if modality == uform.Text {
		texts := make([]string, len(contents))
		for i, content := range contents {
			texts[i] = string(content)
		}
		return e.pool.EmbedWith(ctx, texts, &uform.EmbedOptions{Prompt: e.prompt})
	}
	err = e.pool.Do(ctx, func(on uform.On, into *uform.Arena) error {
		verb := map[uform.Modality]func(context.Context, uform.Tape, *uform.Arena, *uform.EncodeOptions) (uform.Encoded, error){
			uform.Image: on.ImageEncode, uform.Video: on.VideoEncode, uform.Audio: on.AudioEncode,
		}[modality]
		encoded, err := verb(ctx, uform.Bytes(contents), into, nil)
		if err != nil {
			return err
		}
		vectors, err = encoded.Embeddings.Copy()
		return err
	})
	return vectors, err
}
