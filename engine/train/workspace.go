package train

import (
	"sync"

	"github.com/unum-cloud/uform-go/internal/fold"
)

// Workspace is the working memory of steps: activations, their gradients, and the results of a
// batch. It grows to what the largest step needed and stays there. The zero value is ready. One run
// at a time may use it.
type Workspace struct {
	samples   []sample
	folder    fold.Folder
	chunks    []chunk
	spans     []span
	blocks    []block
	embedded  embedded
	active    activations
	slopes    slopes
	itemSlope []float32
	gathered  gathered
	// Parts of the gathered embeddings as they are exchanged, and as they are read.
	part, parts, rows, shares []float32

	byteUses, gramUses uses
	patchBlocks        []block
	patchSpans         []span
	scores             []float64
	probabilities      []float64
	sums               []float64

	mutex  sync.Mutex
	spaces []*space
}

// forget drops the references to a step's inputs and to its spread.
func (w *Workspace) forget() {
	for i := range w.samples {
		w.samples[i].text, w.samples[i].patches = nil, nil
	}
	clear(w.gathered.targets)
	w.gathered.spread = nil
}

// take lends working memory to a task.
func (w *Workspace) take() *space {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	last := len(w.spaces) - 1
	if last < 0 {
		return new(space)
	}
	s := w.spaces[last]
	w.spaces = w.spaces[:last]
	return s
}

func (w *Workspace) give(s *space) {
	w.mutex.Lock()
	w.spaces = append(w.spaces, s)
	w.mutex.Unlock()
}

// Bytes returns the memory that the workspace holds, small fields aside.
func (w *Workspace) Bytes() int64 {
	var scalars int
	count := func(buffers ...[]float32) {
		for _, buffer := range buffers {
			scalars += cap(buffer)
		}
	}
	count(w.active.hidden...)
	for i := range w.active.kept {
		k := &w.active.kept[i]
		count(k.queries, k.keys, k.values, k.attended, k.between, k.inner)
	}
	e, s, c := &w.embedded, &w.slopes, &w.gathered
	count(e.pooled, e.dense, e.shares, e.rows, e.states, e.rowSlopes, e.denseSlopes, e.pooledSlopes, e.stateSlopes)
	count(s.hidden, s.attended, s.queries, s.keys, s.values, w.itemSlope, w.part, w.parts, w.rows, w.shares)
	count(c.cosines, c.coefficients, c.targetRows, c.denseRows)
	for _, l := range []*lefts{&s.leftHidden, &s.leftInner, &s.leftBetween, &s.leftQueries, &s.leftKeys, &s.leftValues, &s.leftTokens} {
		count(l.transposed...)
	}
	packed := c.packed.Bytes()
	for _, r := range []*rights{&s.rightNormed, &s.rightActive, &s.rightAttended, &s.rightPatches} {
		for i := range r.packed {
			packed += r.packed[i].Bytes()
		}
	}
	for _, s := range w.spaces {
		count(s.a, s.b, s.c, s.scores, s.slopes, s.transposed)
		packed += s.keys.Bytes() + s.keysBack.Bytes() + s.values.Bytes() + s.block.Bytes()
	}
	for _, u := range []*uses{&w.byteUses, &w.gramUses} {
		scalars += 2 * (cap(u.all) + cap(u.sorted))
	}
	for i := range w.samples {
		scalars += cap(w.samples[i].rows) + 2*cap(w.samples[i].ends) + cap(w.samples[i].folded)/4
	}
	return 4*int64(scalars) + int64(packed)
}
