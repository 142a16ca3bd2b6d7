package train

import (
	"context"
	"fmt"
	"io"

	"github.com/unum-cloud/uform-go/errors"
)

// Reducer joins the processes of a run. Every process makes the same calls in the same order, with
// slices of the same length. One goroutine calls at a time, not always on the same thread.
//
// A call past its context's deadline, or whose peer left, fails with an error that wraps
// [errors.ErrPeer]. From then on the reducer is broken, and every call fails.
type Reducer interface {
	// Index returns the index of this process, 0 … Count()−1, and Count the number of processes.
	// Neither changes or communicates.
	Index() int
	Count() int
	// AllReduce replaces values by their sums over all processes. Every process gets the same bits.
	AllReduce(ctx context.Context, values []float32) error
	// AllGather writes the parts of all processes to all, in the order of their indices: len(all)
	// is Count()·len(mine). Bits are copied unchanged, also those of a NaN.
	AllGather(ctx context.Context, mine, all []float32) error
	// Closer leaves the run. It may wait for peers to do the same, but for a bounded time.
	io.Closer
}

// alone is the reducer of a single process.
type alone struct{}

func (alone) Index() int { return 0 }

func (alone) Count() int { return 1 }

func (alone) AllReduce(context.Context, []float32) error { return nil }

func (alone) AllGather(_ context.Context, mine, all []float32) error {
	if copy(all, mine) != len(all) {
		return fmt.Errorf("%d scalars gathered where one process has %d: %w", len(all), len(mine), errors.ErrInvalidArgument)
	}
	return nil
}

func (alone) Close() error { return nil }
