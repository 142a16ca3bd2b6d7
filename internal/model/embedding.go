package model

import (
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

const (
	// groupRows is how many rows of whole texts go through the model together, unless one text
	// alone has more.
	groupRows = 512
	// groupTexts bounds a group of texts that use no rows of the trunk.
	groupTexts = 64
)

// Encode embeds texts. Each must be valid UTF-8, as [unicode/utf8.Valid] defines it, before it is
// cut to the model's context. Texts stand end to end: nothing is padded, and each has the same bits
// in any batch.
//
// embeddings holds [Description.EmbeddingColumns] scalars for each text, states holds
// [Description.StateColumns] scalars for each byte of all texts. If the model folds texts, a byte
// gets the state of the byte it was folded to, or zeroes where nothing is left of its text. Either
// may be nil. stop is called now and then, and true ends the call with [errors.ErrCancelled] and
// outputs partly written; it may be nil.
func (m *Model) Encode(s *Scratch, texts [][]byte, embeddings, states []float32, stop func() bool) error {
	s.batch = batch{count: len(texts), texts: texts}
	return m.encode(s, embeddings, states, stop)
}

// batch is the items of a call: texts, or patches if texts are nil.
type batch struct {
	count int
	texts [][]byte

	patches   *Patches
	patchSize int
	packed    *kernel.Packed // from a patch to its token

	stop func() bool // of the call
}

// length returns the number of tokens of an item.
func (in *batch) length(item int) int {
	if in.patches != nil {
		return in.patches.Lengths[item]
	}
	return len(in.texts[item])
}

// encode is Encode and EncodePatches of the scratch's batch, after its items were checked.
func (m *Model) encode(s *Scratch, embeddings, states []float32, stop func() bool) error {
	in := &s.batch
	in.stop = stop
	defer func() { *in = batch{} }() // the items belong to the caller
	columns, d := m.config.EmbeddingColumns(), m.config.Width
	tokens := 0
	for item := range in.count {
		tokens += in.length(item)
	}
	if embeddings != nil && len(embeddings) != in.count*columns {
		return fmt.Errorf("embeddings have room for %d scalars where %d items take %d: %w",
			len(embeddings), in.count, in.count*columns, errors.ErrInvalidArgument)
	}
	if states != nil && len(states) != tokens*d {
		return fmt.Errorf("states have room for %d scalars where %d tokens take %d: %w",
			len(states), tokens, tokens*d, errors.ErrInvalidArgument)
	}
	for first := 0; first < in.count; {
		if err := trunk.Stopped(stop); err != nil {
			return err
		}
		count, rows := m.group(s, in, first)
		out := group{batch: in, first: first, count: count, rows: rows, stop: stop}
		if embeddings != nil {
			out.embeddings = embeddings[first*columns : (first+count)*columns]
		}
		if states != nil {
			tokens := 0
			for item := first; item < first+count; item++ {
				tokens += in.length(item)
			}
			out.states, states = states[:tokens*d], states[tokens*d:]
		}
		if err := m.encodeGroup(s, &out); err != nil {
			return err
		}
		first += count
	}
	return nil
}

// group chooses how many items to take together, from first on, and lists those with tokens in
// s.spans. If the model folds texts, it folds them into s.folded.
func (m *Model) group(s *Scratch, in *batch, first int) (count, rows int) {
	s.spans, s.items, s.folded = s.spans[:0], s.items[:0], s.folded[:0]
	for count < in.count-first {
		length := in.length(first + count)
		if in.patches == nil && m.config.Fold != "" {
			s.folded = s.folder.Append(s.folded, in.texts[first+count])
			length = len(s.folded) - rows
		}
		if count > 0 && (rows+length > groupRows || count == groupTexts) {
			break
		}
		if length > 0 {
			s.spans = append(s.spans, trunk.Span{Start: rows, Length: length})
			s.items = append(s.items, count)
		}
		count++
		rows += length
	}
	return count, rows
}

// group is some whole items and the destination of their results.
type group struct {
	*batch
	first, count       int // of the items
	rows               int
	embeddings, states []float32
	stop               func() bool
}

func (m *Model) encodeGroup(s *Scratch, g *group) error {
	d, wide := m.config.Width, m.config.PooledColumns()
	layered := m.trunk != nil && (g.states != nil || !m.stateless)
	folded := g.patches == nil && m.config.Fold != ""
	pooled := grow(&s.pooled, len(s.spans)*wide)
	inputs := g.states
	if layered || folded && g.states != nil {
		s.hidden = s.trunk.Hidden(g.rows, d)
		inputs = s.hidden
	}
	for i, span := range s.spans {
		// The mean of the input rows is last: alone, after the states' mean, or, where they are the
		// same, twice.
		var mean []float32
		if !layered || m.config.Skip {
			mean = pooled[(i+1)*wide-d : (i+1)*wide]
		}
		var err error
		if g.patches != nil {
			err = m.readPatches(s, g.batch, g.first+s.items[i], inputs, span, mean)
		} else {
			err = m.readText(s, m.text(s, g, i), inputs, span, mean, g.stop)
		}
		if err != nil {
			return err
		}
		if !layered {
			copy(pooled[i*wide:], mean)
		}
	}
	if layered {
		var err error
		if s.hidden, err = m.trunk.Forward(&s.trunk, s.spans, trunk.EveryRow, g.stop); err != nil {
			return err
		}
		states := g.states
		if folded && states != nil {
			states = s.hidden
		}
		for i, span := range s.spans {
			m.readStates(s, states, span, pooled[i*wide:][:d])
		}
	}
	if folded && g.states != nil {
		m.spreadStates(s, g)
	}
	if g.embeddings == nil {
		return nil
	}
	dense := grow(&s.dense, len(s.spans)*m.config.Columns)
	m.projection.Product(dense, m.config.Columns, pooled, wide, len(s.spans))
	return m.finishGroup(s, g)
}

// readText computes the input rows of one text and their mean. The rows go to their place in rows;
// either result may be nil.
func (m *Model) readText(s *Scratch, text []byte, rows []float32, span trunk.Span, mean []float32, stop func() bool) error {
	d := m.config.Width
	m.scan(s, text)
	block, sum := grow(&s.block, min(blockPositions, len(text))*d), grow(&s.sum, d)
	clear(sum)
	for from := 0; from < len(text); from += blockPositions {
		if from%askEvery == askEvery-blockPositions {
			if err := trunk.Stopped(stop); err != nil {
				return err
			}
		}
		count := min(blockPositions, len(text)-from)
		block = block[:count*d]
		if rows != nil {
			block = rows[(span.Start+from)*d:][:count*d]
		}
		m.readInputs(s, block, text[from:from+count])
		if mean != nil {
			kernel.Accumulate(sum, block)
		}
	}
	divide(mean, sum, len(text))
	return nil
}

// text returns the text of span number i, folded if the model folds texts.
func (m *Model) text(s *Scratch, g *group, i int) []byte {
	if m.config.Fold != "" {
		return s.folded[s.spans[i].Start:][:s.spans[i].Length]
	}
	return g.texts[g.first+s.items[i]]
}

// spreadStates gives each byte of the texts the state, from s.hidden, of the byte that it was
// folded to, and zeroes where nothing is left of a text.
func (m *Model) spreadStates(s *Scratch, g *group) {
	d, next, to := m.config.Width, 0, g.states
	for item := range g.count {
		text := g.texts[g.first+item]
		own := to[:len(text)*d]
		to = to[len(own):]
		if next == len(s.spans) || s.items[next] != item {
			clear(own)
			continue
		}
		var places []int32
		s.padded, places = s.folder.AppendPlaces(s.padded[:0], text)
		for i, place := range places {
			copy(own[i*d:(i+1)*d], s.hidden[(s.spans[next].Start+int(place))*d:])
		}
		next++
	}
}

// readStates reads the trunk's states of one text, to their place in states unless that is nil, and
// computes their mean.
func (m *Model) readStates(s *Scratch, states []float32, span trunk.Span, mean []float32) {
	d := m.config.Width
	row, sum := grow(&s.row, d), grow(&s.sum, d)
	clear(sum)
	for i := span.Start; i < span.Start+span.Length; i++ {
		if states != nil {
			row = states[i*d:][:d]
		}
		kernel.RMSNorm(row, s.hidden[i*d:(i+1)*d], m.norm, m.config.NormEpsilon)
		kernel.Accumulate(sum, row)
	}
	divide(mean, sum, span.Length)
}

// divide writes the mean of count rows, as wide as mean, from their sum.
func divide(mean []float32, sum []float64, count int) {
	for i := range mean {
		mean[i] = float32(sum[i] / float64(count))
	}
}

// finishGroup angles s.dense into the embeddings of a group: the dense part and the lexical lane,
// each scaled by its share of the length, or the embedding of an empty item.
func (m *Model) finishGroup(s *Scratch, g *group) error {
	columns, e := m.config.EmbeddingColumns(), m.config.Columns
	// An item without tokens gets the embedding of an empty item.
	for i := range g.count {
		copy(g.embeddings[i*columns:(i+1)*columns], m.empty)
	}
	for i, item := range s.items {
		dense := s.dense[i*e : (i+1)*e]
		to := g.embeddings[item*columns:][:columns]
		denseLength, laneLength := length(dense), 0.0
		denseShare, laneShare := 1.0, 0.0
		if m.config.Lexical != nil && g.patches == nil {
			lane, err := m.readLane(s, m.text(s, g, i), g.stop)
			if err != nil {
				return err
			}
			laneLength = length(lane)
			switch {
			case laneLength == 0:
			case denseLength == 0:
				denseShare, laneShare = 0, 1
			default:
				denseShare, laneShare = math.Sqrt(1-m.config.Lexical.Share), math.Sqrt(m.config.Lexical.Share)
			}
		}
		if denseLength == 0 && laneLength == 0 {
			continue
		}
		clear(to)
		if denseLength != 0 {
			factor := denseShare / denseLength
			for c, v := range dense {
				to[c] = float32(float64(v) * factor)
			}
		}
		if laneLength != 0 {
			factor := laneShare / laneLength
			for c, v := range s.lane {
				to[e+c] = float32(v * factor)
			}
		}
	}
	return nil
}

// length returns the Euclidean length of v.
func length[T float32 | float64](v []T) float64 {
	// Four sums, because each addition waits for the one before.
	var s0, s1, s2, s3 float64
	for ; len(v) >= 4; v = v[4:] {
		a, b, c, d := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
		s0 += a * a
		s1 += b * b
		s2 += c * c
		s3 += d * d
	}
	for _, x := range v {
		s0 += float64(x) * float64(x)
	}
	return math.Sqrt((s0 + s1) + (s2 + s3))
}
