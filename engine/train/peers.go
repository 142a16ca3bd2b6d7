package train

import (
	"context"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// census is what a step consists of in all processes. Every decision on whether a step continues
// depends on it alone, so that all processes decide alike and none waits for another.
type census struct {
	all []vote
	// Sums over all processes.
	items, questions, targets, pairs int
	targetWidth                      int
}

// vote is what one process brings to a step.
type vote struct {
	failed                           bool
	items, questions, targets, pairs int
	targetWidth                      int
	terms                            uint64 // a digest of what must be the same everywhere
}

// voteScalars is the size of a vote, in scalars.
const voteScalars = 8

func (b *vote) write(to []float32) {
	failed := 0
	if b.failed {
		failed = 1
	}
	for i, n := range []int{failed, b.items, b.questions, b.targets, b.pairs, b.targetWidth} {
		to[i] = math.Float32frombits(uint32(n))
	}
	putWord(to[6:], b.terms)
}

func (b *vote) read(from []float32) {
	n := func(i int) int { return int(math.Float32bits(from[i])) }
	*b = vote{
		failed: n(0) != 0, items: n(1), questions: n(2), targets: n(3), pairs: n(4), targetWidth: n(5), terms: wordOf(from[6:]),
	}
}

// putWord stores 64 bits in two scalars.
func putWord(to []float32, word uint64) {
	to[0], to[1] = math.Float32frombits(uint32(word)), math.Float32frombits(uint32(word>>32))
}

func wordOf(from []float32) uint64 {
	return uint64(math.Float32bits(from[0])) | uint64(math.Float32bits(from[1]))<<32
}

// termsOf returns a digest of what must be the same in all processes: losses, rate, and the number
// of steps.
func (r *run) termsOf(options *StepOptions, l *Losses) uint64 {
	digest := uint64(0xCBF29CE484222325)
	for _, v := range []float64{
		float64(r.step), options.LearningRate, r.settings.LearningRate, r.settings.WeightDecay,
		l.Contrast, l.Temperature, l.Cosine, l.Similarity, l.Rank, l.RankScale, l.Choice, float64(len(r.gradients)),
	} {
		digest = (digest ^ math.Float64bits(v)) * 0x100000001B3
		digest ^= digest >> 29
	}
	return digest
}

// within returns ctx with the deadline of one exchange.
func (r *run) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), r.deadline)
}

// exchangeVotes sends the vote of this process to all, with its fault if there is one. All
// processes continue, or none does.
func (r *run) exchangeVotes(ctx context.Context, batch *Batch, options *StepOptions, losses *Losses, fault error) (*census, error) {
	mine := vote{
		failed: fault != nil, items: len(batch.Items), questions: len(batch.Questions), pairs: len(batch.Pairs),
		terms: r.termsOf(options, losses),
	}
	for _, target := range batch.Targets {
		if target != nil {
			mine.targets++
			mine.targetWidth = len(target)
		}
	}
	count := r.peers.Count()
	part, parts := make([]float32, voteScalars), make([]float32, count*voteScalars)
	mine.write(part)
	deadline, cancel := r.within(ctx)
	defer cancel()
	if err := r.peers.AllGather(deadline, part, parts); err != nil {
		return nil, err
	}
	if fault != nil {
		return nil, fault
	}
	c := &census{all: make([]vote, count)}
	for i := range c.all {
		b := &c.all[i]
		b.read(parts[i*voteScalars:])
		switch {
		case b.failed:
			return nil, fmt.Errorf("process %d refused its part of the step: %w", i, errors.ErrPeer)
		case b.terms != mine.terms:
			return nil, fmt.Errorf("process %d makes another step than process %d: %w", i, r.peers.Index(), errors.ErrPeer)
		case b.targets > 0 && c.targets > 0 && b.targetWidth != c.targetWidth:
			return nil, fmt.Errorf("process %d has targets of %d scalars, others of %d: %w", i, b.targetWidth, c.targetWidth, errors.ErrPeer)
		}
		if b.targets > 0 {
			c.targetWidth = b.targetWidth
		}
		c.items += b.items
		c.questions += b.questions
		c.targets += b.targets
		c.pairs += b.pairs
	}
	return c, nil
}

// gather fills r.gathered with the embeddings of all processes.
func (r *run) gather(ctx context.Context, batch *Batch, census *census) error {
	c := &r.gathered
	c.spread, c.columns, c.dense = r.spread, r.config.EmbeddingColumns(), r.config.Columns
	c.slopes = r.embedded.rowSlopes
	c.modalities, c.groups, c.targets, c.pairs = c.modalities[:0], c.groups[:0], c.targets[:0], c.pairs[:0]
	index := r.peers.Index()
	if r.peers.Count() == 1 {
		if r.interrupted() {
			return r.cancelled()
		}
		c.first, c.count, c.rows, c.shares = 0, r.items, r.embedded.rows, r.embedded.shares
		for i := range batch.Items {
			c.modalities = append(c.modalities, batch.Items[i].Modality)
			c.groups = append(c.groups, batch.groupOf(i, index))
		}
		c.targets = append(c.targets, batch.Targets...)
		c.pairs = append(c.pairs, batch.Pairs...)
		return nil
	}
	form := census.form(c.columns)
	part, parts := grow(&r.part, form.size()), grow(&r.parts, r.peers.Count()*form.size())
	form.write(part, r, batch)
	deadline, cancel := r.within(ctx)
	defer cancel()
	if err := r.peers.AllGather(deadline, part, parts); err != nil {
		return err
	}
	if r.stopped.Load() {
		return r.cancelled()
	}
	c.rows, c.shares = grow(&r.rows, 0), grow(&r.shares, 0)
	for i := range census.all {
		from := parts[i*form.size():][:form.size()]
		if from[0] != 0 {
			return fmt.Errorf("process %d was stopped: %w", i, errors.ErrPeer)
		}
		if i == index {
			c.first = len(c.groups)
		}
		form.read(c, from, &census.all[i])
	}
	r.rows, r.shares, c.count = c.rows, c.shares, len(c.groups)
	return nil
}

// groupOf returns an item's group, in process index.
func (b *Batch) groupOf(i, index int) group {
	switch {
	case b.Neighbours && i|1 < len(b.Items):
		return group{uint32(index) + 1, uint64(i / 2)}
	case b.Groups != nil && b.Groups[i] >= 0:
		return group{0, uint64(b.Groups[i])}
	}
	return group{0, none}
}

// form is the layout of one process's part of the gathered embeddings. All processes gather the
// same number of scalars, so parts have room for the most items and pairs that one process has.
type form struct {
	columns, items, pairs, targetWidth int
}

func (c *census) form(columns int) form {
	f := form{columns: columns, targetWidth: c.targetWidth}
	for i := range c.all {
		f.items, f.pairs = max(f.items, c.all[i].items), max(f.pairs, c.all[i].pairs)
	}
	return f
}

// itemScalars returns the scalars of an item: its embedding, factor, modality and group, and its
// target with a mark for whether it has one.
func (f *form) itemScalars() int {
	size := f.columns + 5
	if f.targetWidth > 0 {
		size += 1 + f.targetWidth
	}
	return size
}

func (f *form) size() int { return 1 + f.items*f.itemScalars() + 3*f.pairs }

func (f *form) write(to []float32, r *run, batch *Batch) {
	to[0] = 0
	if r.interrupted() {
		to[0] = 1
	}
	for i := range batch.Items {
		item := to[1+i*f.itemScalars():][:f.itemScalars()]
		copy(item, r.embedded.rows[i*f.columns:(i+1)*f.columns])
		item = item[f.columns:]
		g := batch.groupOf(i, r.peers.Index())
		item[0], item[1] = r.embedded.shares[i], float32(batch.Items[i].Modality)
		item[2] = math.Float32frombits(g.process)
		putWord(item[3:], g.name)
		if f.targetWidth > 0 {
			item[5] = 0
			if batch.Targets != nil && batch.Targets[i] != nil {
				item[5] = 1
				copy(item[6:], batch.Targets[i])
			}
		}
	}
	for i, p := range batch.Pairs {
		at := to[1+f.items*f.itemScalars()+3*i:]
		at[0], at[1], at[2] = math.Float32frombits(uint32(p.A)), math.Float32frombits(uint32(p.B)), p.Score
	}
}

// read appends a process's part to c. Targets stay in place.
func (f *form) read(c *gathered, from []float32, b *vote) {
	first := len(c.groups)
	for i := range b.items {
		item := from[1+i*f.itemScalars():][:f.itemScalars()]
		c.rows = append(c.rows, item[:f.columns]...)
		item = item[f.columns:]
		c.shares = append(c.shares, item[0])
		c.modalities = append(c.modalities, abi.Modality(item[1]))
		c.groups = append(c.groups, group{math.Float32bits(item[2]), wordOf(item[3:])})
		var target []float32
		if f.targetWidth > 0 && item[5] != 0 {
			target = item[6:][:f.targetWidth]
		}
		c.targets = append(c.targets, target)
	}
	for i := range b.pairs {
		at := from[1+f.items*f.itemScalars()+3*i:]
		c.pairs = append(c.pairs, Pair{A: first + int(math.Float32bits(at[0])), B: first + int(math.Float32bits(at[1])), Score: at[2]})
	}
}

// reduce sums gradients over all processes, and the loss of questions. It is the last point where a
// step may fail.
func (r *run) reduce(ctx context.Context, choice float64) (float64, error) {
	if r.peers.Count() == 1 {
		if r.stopped.Load() {
			return 0, r.cancelled()
		}
		return choice, nil
	}
	deadline, cancel := r.within(ctx)
	defer cancel()
	all := r.gradients[:len(r.gradients)+extraScalars]
	all[len(r.gradients)], all[len(r.gradients)+1] = 0, float32(choice)
	if r.stopped.Load() {
		all[len(r.gradients)] = 1
	}
	if err := r.peers.AllReduce(deadline, all); err != nil {
		return 0, err
	}
	switch {
	case r.stopped.Load():
		return 0, r.cancelled()
	case all[len(r.gradients)] != 0:
		return 0, fmt.Errorf("another process was stopped: %w", errors.ErrPeer)
	}
	return float64(all[len(r.gradients)+1]), nil
}

// extraScalars are reduced together with the gradients: how many processes were stopped, and the
// loss of questions.
const extraScalars = 2
