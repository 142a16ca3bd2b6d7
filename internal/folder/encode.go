package folder

import (
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

const (
	// groupRows is how many rows of whole texts go through the model together, unless one text
	// alone has more.
	groupRows = 512
	// groupTexts bounds a group of texts with few rows.
	groupTexts = 64
	// askEvery is how many ids of a text without layers are read between two calls of stop.
	askEvery = 4096
)

// Batch is texts as [Model.Tokenize] made them.
type Batch struct {
	// IDs stand end to end, Lengths[i] of them for text i.
	IDs     []int32
	Lengths []int
	// Prompt is the one that the texts were tokenized with.
	Prompt string
}

// Encode embeds a batch. Nothing is padded, and each text has the same bits in any batch. A text
// without ids has the embedding that its zero rows lead to.
//
// embeddings holds [model.Description.EmbeddingColumns] scalars for each text, states
// [model.Description.StateColumns] scalars for each id: the rows that are pooled. Either may be
// nil. stop is called now and then, and true ends the call with [errors.ErrCancelled] and outputs
// partly written; it may be nil. An id that the model does not have, a text longer than the
// context, and slices of another length are [errors.ErrInvalidArgument].
//
// The bytes of the source are read on this goroutine alone, also where a team computes the call.
func (m *Model) Encode(s *Scratch, batch Batch, embeddings, states []float32, stop func() bool) error {
	if !m.texts() {
		return errNoTexts
	}
	ids, lengths, prompt := batch.IDs, batch.Lengths, batch.Prompt
	width, columns := int(m.description.StateColumns), int(m.description.EmbeddingColumns)
	if err := m.check(ids, lengths, embeddings, states); err != nil {
		return err
	}
	if prompt == "" {
		prompt = m.tokens.usual
	}
	g := group{stop: stop, skip: m.tokens.lengths[prompt]}
	for len(lengths) > 0 {
		if err := trunk.Stopped(stop); err != nil {
			return err
		}
		g.texts, g.rows = 0, 0
		for _, length := range lengths {
			alone := m.tower != nil && m.tower.scaling.alone(length)
			if g.texts > 0 && (alone || g.rows+length > groupRows || g.texts == groupTexts) {
				break
			}
			g.texts++
			g.rows += length
			if alone {
				break
			}
		}
		g.lengths, lengths = lengths[:g.texts], lengths[g.texts:]
		g.ids, ids = ids[:g.rows], ids[g.rows:]
		if embeddings != nil {
			g.embeddings, embeddings = embeddings[:g.texts*columns], embeddings[g.texts*columns:]
		}
		if states != nil {
			g.states, states = states[:g.rows*width], states[g.rows*width:]
		}
		if err := m.encodeGroup(s, &g); err != nil {
			return err
		}
	}
	return nil
}

// group is some whole texts and the destination of their results.
type group struct {
	texts, rows        int
	lengths            []int
	ids                []int32
	embeddings, states []float32
	skip               int // ids of the prompt that pooling leaves out
	stop               func() bool
}

// check refuses inputs and outputs that do not fit the model, or each other.
func (m *Model) check(ids []int32, lengths []int, embeddings, states []float32) error {
	total := 0
	for i, length := range lengths {
		if length < 0 || length > int(m.description.Context) || length > len(ids)-total {
			return fmt.Errorf("text %d has %d ids, of %d that are left, in a context of %d: %w",
				i, length, len(ids)-total, m.description.Context, errors.ErrInvalidArgument)
		}
		total += length
	}
	most := m.ids()
	for i, id := range ids {
		if uint32(id) >= uint32(most) {
			return fmt.Errorf("id %d is %d, where the model has %d: %w", i, id, most, errors.ErrInvalidArgument)
		}
	}
	columns, width := int(m.description.EmbeddingColumns), int(m.description.StateColumns)
	switch {
	case total != len(ids):
		return fmt.Errorf("%d ids where the lengths take %d: %w", len(ids), total, errors.ErrInvalidArgument)
	case embeddings != nil && len(embeddings) != len(lengths)*columns:
		return fmt.Errorf("embeddings have room for %d scalars where %d texts take %d: %w",
			len(embeddings), len(lengths), len(lengths)*columns, errors.ErrInvalidArgument)
	case states != nil && len(states) != total*width:
		return fmt.Errorf("states have room for %d scalars where %d ids take %d: %w",
			len(states), total, total*width, errors.ErrInvalidArgument)
	}
	return nil
}

// ids returns how many ids the model has rows for.
func (m *Model) ids() int {
	switch {
	case m.tower != nil:
		return m.tower.words.rows
	case m.static.places != nil:
		return len(m.static.places)
	}
	return m.static.rows.rows
}

func (m *Model) encodeGroup(s *Scratch, g *group) (err error) {
	if m.static != nil {
		err = m.encodeStatic(s, g)
	} else {
		err = m.encodeTower(s, g)
	}
	if err != nil || g.embeddings == nil {
		return err
	}
	m.finish(s, g)
	return nil
}

// encodeTower takes the texts of a group through the layers, and pools their rows into s.pooled.
func (m *Model) encodeTower(s *Scratch, g *group) error {
	t, width := m.tower, m.tower.config.Width
	hidden := s.trunk.Hidden(g.rows, width)
	s.spans, s.items = s.spans[:0], s.items[:0]
	start := 0
	for item, length := range g.lengths {
		if length == 0 {
			continue
		}
		t.readInputs(hidden[start*width:], g.ids[start:start+length], grow(&s.row, width))
		s.spans, s.items = append(s.spans, trunk.Span{Start: start, Length: length}), append(s.items, item)
		start += length
	}
	which := trunk.EveryRow
	if g.states == nil {
		which = m.pooling.rows(g.skip)
	}
	layers := t.trunk
	if t.scaling.alone(g.rows) && g.texts == 1 {
		var err error
		if layers, err = t.scaling.of(t, g.rows); err != nil {
			return err
		}
	}
	rows, err := layers.Forward(&s.trunk, s.spans, which, g.stop)
	if err != nil {
		return err
	}
	if t.lastNorm.Gain != nil {
		for at := 0; at < len(rows); at += width {
			t.norm(rows[at:at+width], rows[at:at+width], &t.lastNorm)
		}
	}
	copy(g.states, rows)
	if g.embeddings == nil {
		return nil
	}
	wide := width * len(m.pooling.modes)
	pooled := grow(&s.pooled, g.texts*wide)
	if len(s.spans) < g.texts {
		clear(pooled)
	}
	for i, span := range s.spans {
		to := pooled[s.items[i]*wide:][:wide]
		if which != trunk.EveryRow {
			copy(to, rows[i*width:][:width])
			continue
		}
		m.pooling.apply(to, rows[span.Start*width:], width, g.ids[span.Start:][:span.Length], g.skip, grow(&s.sum, width))
	}
	return nil
}

// encodeStatic takes the means of the rows of texts into s.pooled.
func (m *Model) encodeStatic(s *Scratch, g *group) error {
	width := m.static.rows.columns
	pooled := grow(&s.pooled, g.texts*width)
	row, sum := grow(&s.row, width), grow(&s.sum, width)
	ids, states := g.ids, g.states
	for item, length := range g.lengths {
		clear(sum)
		for i, id := range ids[:length] {
			if i%askEvery == askEvery-1 {
				if err := trunk.Stopped(g.stop); err != nil {
					return err
				}
			}
			if states != nil {
				row, states = states[:width], states[width:]
			}
			m.static.read(row, id)
			accumulate(sum, row, 1)
		}
		for c, v := range sum {
			pooled[item*width+c] = float32(v / float64(max(length, 1)))
		}
		ids = ids[length:]
	}
	return nil
}

// finish takes s.pooled through all steps to the embeddings of a group.
func (m *Model) finish(s *Scratch, g *group) {
	x := s.pooled
	for i := range m.steps {
		x = m.steps[i].apply(s, x, g.texts)
	}
	copy(g.embeddings, x)
}
