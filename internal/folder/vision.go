package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// vision makes rows of the patches of a picture: special tokens and patches, layers, and one row of
// them all.
type vision struct {
	config        trunk.Config
	layers        []trunk.Layer
	trunk         *trunk.Trunk
	preprocessing Preprocessing

	patches   trunk.Linear
	front     []float32 // the rows of the special tokens, which are before the patches
	positions []float32 // of the patches

	inputNorm, lastNorm trunk.Norm
	// normsPooled is set if the last norm is of the pooled row alone, and not of the states.
	normsPooled bool
	mean        bool // the pooled row is the mean of all rows, else the first
	// head, if not nil, pools by the attention of one query, which is that of probe.
	head  *trunk.Trunk
	pools trunk.Layer
	query trunk.Linear
	probe []float32

	steps     []step // from the pooled row to the embedding
	projected bool   // the first of them is of pictures alone, the others are those of texts
}

// special returns the number of tokens before the patches.
func (v *vision) special() int { return len(v.front) / v.config.Width }

// Image returns how pictures are prepared, nil for a model of texts alone.
func (m *Model) Image() *Preprocessing {
	if m.vision == nil {
		return nil
	}
	p := m.vision.preprocessing
	return &p
}

// EncodePictures embeds pictures. Lengths of patches are [Preprocessing.Tokens], or 0 for an empty
// item, whose embedding is that of a row of zeros. Its source returns the vectors that
// [Preprocessing.Patches] writes.
//
// embeddings holds [model.Description.EmbeddingColumns] scalars for each picture, states
// [Preprocessing.StateColumns] scalars for each token, special ones first: the rows as they leave
// the model of the reference. Either may be nil. stop, errors and the same bits in any batch are as
// those of [Model.Encode]; a model without pictures is [errors.ErrUnsupported].
func (m *Model) EncodePictures(s *Scratch, patches *model.Patches, embeddings, states []float32, stop func() bool) error {
	v := m.vision
	if v == nil || patches.Modality != abi.ModalityImage {
		return fmt.Errorf("the model has no %v: %w", patches.Modality, errors.ErrUnsupported)
	}
	p := &v.preprocessing
	tokens, total := p.Tokens, 0
	for item, length := range patches.Lengths {
		if length != 0 && length != tokens {
			return fmt.Errorf("picture %d has %d tokens where all have %d: %w", item, length, tokens, errors.ErrInvalidArgument)
		}
		total += length
	}
	columns, width := int(m.description.EmbeddingColumns), v.config.Width
	switch {
	case embeddings != nil && len(embeddings) != len(patches.Lengths)*columns:
		return fmt.Errorf("embeddings have room for %d scalars where %d pictures take %d: %w",
			len(embeddings), len(patches.Lengths), len(patches.Lengths)*columns, errors.ErrInvalidArgument)
	case states != nil && len(states) != total*width:
		return fmt.Errorf("states have room for %d scalars where %d tokens take %d: %w",
			len(states), total, total*width, errors.ErrInvalidArgument)
	}
	each := max(1, groupRows/tokens)
	for first := 0; first < len(patches.Lengths); first += each {
		g := pictures{v: v, first: first, lengths: patches.Lengths[first:min(first+each, len(patches.Lengths))], stop: stop}
		if err := g.read(s, patches.Source); err != nil {
			return err
		}
		if embeddings != nil {
			g.embeddings = embeddings[first*columns:][:len(g.lengths)*columns]
		}
		if states != nil {
			g.states, states = states[:len(s.spans)*tokens*width], states[len(s.spans)*tokens*width:]
		}
		if err := g.encode(s); err != nil {
			return err
		}
	}
	return nil
}

// pictures is some pictures that go through the layers together.
type pictures struct {
	v                  *vision
	first              int // the item that the first of them is
	lengths            []int
	embeddings, states []float32
	stop               func() bool
}

// read writes the input rows of the pictures to the memory of the trunk.
func (g *pictures) read(s *Scratch, source model.Source) error {
	v, p := g.v, &g.v.preprocessing
	width, tokens, count, size := v.config.Width, p.Tokens, p.Count(), p.Size()
	hidden := s.trunk.Hidden(len(g.lengths)*tokens, width)
	s.spans, s.items = s.spans[:0], s.items[:0]
	for item, length := range g.lengths {
		if length == 0 {
			continue
		}
		if err := trunk.Stopped(g.stop); err != nil {
			return err
		}
		vectors, err := source.Patches(g.first + item)
		if err != nil {
			return err
		}
		if len(vectors) != count*size {
			return fmt.Errorf("picture %d has %d scalars in its patches instead of %d of %d: %w",
				g.first+item, len(vectors), count, size, errors.ErrInvalidArgument)
		}
		start := len(s.spans) * tokens
		rows := hidden[start*width:][:tokens*width]
		copy(rows, v.front)
		of := rows[len(v.front):]
		v.patches.Apply(&s.trunk, of, width, vectors, size, count)
		kernel.Add(of, v.positions)
		v.norm(rows, &v.inputNorm)
		s.spans, s.items = append(s.spans, trunk.Span{Start: start, Length: tokens}), append(s.items, item)
	}
	return nil
}

// norm norms rows in place.
func (v *vision) norm(rows []float32, norm *trunk.Norm) {
	if norm.Gain == nil {
		return
	}
	width := v.config.Width
	for at := 0; at < len(rows); at += width {
		norm.Apply(rows[at:at+width], rows[at:at+width], v.config.Norm, v.config.Epsilon)
	}
}

// encode takes the rows that were read to the outputs.
func (g *pictures) encode(s *Scratch) error {
	v := g.v
	width := v.config.Width
	which := trunk.EveryRow
	if g.states == nil && !v.mean && v.head == nil {
		which = trunk.FirstRow
	}
	rows, err := v.trunk.Forward(&s.trunk, s.spans, which, g.stop)
	if err != nil {
		return err
	}
	if !v.normsPooled {
		v.norm(rows, &v.lastNorm)
	}
	copy(g.states, rows)
	if g.embeddings == nil {
		return nil
	}
	stride := v.preprocessing.Tokens * width // from the first row of a picture to that of the next
	if v.head != nil {
		if rows, err = v.head.Forward(&s.trunk, s.spans, trunk.EveryRow, g.stop); err != nil {
			return err
		}
		stride = width
	} else if which == trunk.FirstRow {
		stride = width
	}
	pooled := grow(&s.pooled, len(g.lengths)*width)
	clear(pooled)
	for i, item := range s.items {
		to, from := pooled[item*width:][:width], rows[i*stride:][:stride]
		if !v.mean {
			copy(to, from)
			if v.normsPooled {
				v.norm(to, &v.lastNorm)
			}
			continue
		}
		sum := grow(&s.sum, width)
		clear(sum)
		for at := 0; at < stride; at += width {
			accumulate(sum, from[at:at+width], 1)
		}
		for c, total := range sum {
			to[c] = float32(total / float64(stride/width))
		}
	}
	x := pooled
	for i := range v.steps {
		x = v.steps[i].apply(s, x, len(g.lengths))
	}
	copy(g.embeddings, x)
	return nil
}

// finishVision sets the tower of pictures once its tensors are there. It shares the steps of texts
// from the one after their projection on.
func (b *builder) finishVision() error {
	v := b.model.vision
	if v == nil {
		return nil
	}
	var err error
	if v.trunk, err = trunk.New(&v.config, v.layers); err != nil {
		return fmt.Errorf("%s: pictures: %w", b.weights.name, err)
	}
	if v.probe != nil {
		query := make([]float32, v.config.Width)
		v.query.Apply(new(trunk.Scratch), query, len(query), v.probe, len(query), 1)
		v.pools.Probe, v.query = query, trunk.Linear{}
		if v.head, err = trunk.New(&v.config, []trunk.Layer{v.pools}); err != nil {
			return fmt.Errorf("%s: pictures: head: %w", b.weights.name, err)
		}
	}
	v.preprocessing.StateColumns = v.config.Width
	v.preprocessing.Tokens = v.special() + v.preprocessing.Count()
	if b.model.tower != nil {
		v.steps = append(v.steps, b.model.steps[1:]...)
	}
	return nil
}
