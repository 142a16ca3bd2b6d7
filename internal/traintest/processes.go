package traintest

import (
	"context"
	"fmt"
	"sync"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
)

// Processes returns the reducers of a run of count processes, one for each goroutine that stands
// for a process. A process that closes, or whose context ends, is lost to the others: their next
// exchange fails, and every one after.
func Processes(count int) []train.Reducer {
	m := &meeting{count: count, lost: -1, parts: make([][]float32, count), done: make(chan struct{})}
	reducers := make([]train.Reducer, count)
	for i := range reducers {
		reducers[i] = &process{meeting: m, index: i}
	}
	return reducers
}

// meeting runs one exchange after the other. The last process to arrive completes it for all.
type meeting struct {
	count int

	mutex   sync.Mutex
	parts   [][]float32
	arrived int
	result  []float32
	done    chan struct{} // closed when result is complete, or a process is lost
	lost    int           // a process that left, -1 for none
}

// process implements [train.Reducer].
type process struct {
	*meeting
	index int
}

func (p *process) Index() int { return p.index }

func (p *process) Count() int { return p.count }

func (p *process) AllReduce(ctx context.Context, values []float32) error {
	all, err := p.exchange(ctx, values)
	if err != nil {
		return err
	}
	clear(values)
	for part := 0; part < len(all); part += len(values) {
		for i := range values {
			values[i] += all[part+i]
		}
	}
	return nil
}

func (p *process) AllGather(ctx context.Context, mine, all []float32) error {
	parts, err := p.exchange(ctx, mine)
	if err != nil {
		return err
	}
	if len(parts) != len(all) {
		return fmt.Errorf("processes gather %d scalars into room for %d: %w", len(parts), len(all), errors.ErrPeer)
	}
	copy(all, parts)
	return nil
}

// exchange returns the parts of all processes, end to end.
func (p *process) exchange(ctx context.Context, mine []float32) ([]float32, error) {
	p.mutex.Lock()
	if p.lost >= 0 {
		defer p.mutex.Unlock()
		return nil, p.gone()
	}
	p.parts[p.index] = mine
	done := p.done
	if p.arrived++; p.arrived == p.count {
		var all []float32
		for _, part := range p.parts {
			all = append(all, part...)
		}
		p.result, p.arrived, p.done = all, 0, make(chan struct{})
		close(done)
	}
	p.mutex.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		p.leave()
		return nil, fmt.Errorf("no answer from all processes: %w: %w", context.Cause(ctx), errors.ErrPeer)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.lost >= 0 {
		return nil, p.gone()
	}
	return p.result, nil
}

func (p *process) gone() error { return fmt.Errorf("process %d is gone: %w", p.lost, errors.ErrPeer) }

func (p *process) leave() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.lost < 0 {
		p.lost = p.index
		close(p.done)
	}
}

// Close leaves the run.
func (p *process) Close() error {
	p.leave()
	return nil
}
