package model

import (
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Choose scores, for each text, the bytes that may follow it. Texts are as [Model.Encode] takes
// them. choices are the candidates of each text, at least one and all different. questionTypes are
// the calibrations, below [Description.QuestionTypes], or nil for type zero. The caller must have
// checked all of that. probabilities takes one scalar for each choice of all texts, in order; they
// sum to 1 for each text.
//
// A model without the byte decoder is [errors.ErrUnsupported]. stop is as in [Model.Encode].
func (m *Model) Choose(s *Scratch, texts, choices [][]byte, questionTypes []uint32, probabilities []float32, stop func() bool) error {
	if m.config.Decoder == nil {
		return fmt.Errorf("the model has no byte decoder: %w", errors.ErrUnsupported)
	}
	bytes := 0
	for _, choice := range choices {
		bytes += len(choice)
	}
	if len(choices) != len(texts) || questionTypes != nil && len(questionTypes) != len(texts) || len(probabilities) != bytes {
		return fmt.Errorf("%d texts have %d sets of choices, %d question types, and room for %d of %d probabilities: %w",
			len(texts), len(choices), len(questionTypes), len(probabilities), bytes, errors.ErrInvalidArgument)
	}
	s.batch = batch{count: len(texts), texts: texts}
	in := &s.batch
	defer func() { *in = batch{} }() // the items belong to the caller
	for first := 0; first < in.count; {
		if err := trunk.Stopped(stop); err != nil {
			return err
		}
		count, rows := m.group(s, in, first)
		if err := m.readLastStates(s, &group{batch: in, first: first, count: count, rows: rows, stop: stop}); err != nil {
			return err
		}
		next := 0 // index of the next span, in the order of items
		for i := first; i < first+count; i++ {
			state := m.headEmpty
			if next < len(s.spans) && s.items[next] == i-first {
				state = s.hidden[next*m.config.Width:][:m.config.Width]
				next++
			}
			question := uint32(0)
			if questionTypes != nil {
				question = questionTypes[i]
			}
			out := probabilities[:len(choices[i])]
			m.score(s, out, choices[i], state, m.config.Decoder.QuestionTypes[question].InverseTemperature)
			probabilities = probabilities[len(choices[i]):]
		}
		first += count
	}
	return nil
}

// readLastStates leaves the last state of each of s.spans in s.hidden.
func (m *Model) readLastStates(s *Scratch, g *group) error {
	d := m.config.Width
	if m.trunk == nil {
		s.hidden = s.trunk.Hidden(len(s.spans), d)
		for i := range s.spans {
			text := m.text(s, g, i)
			last := len(text) - 1
			m.scan(s, text)
			if m.config.Grams != nil {
				s.grams.skip(last + 1)
			}
			m.readInputs(s, s.hidden[i*d:(i+1)*d], text[last:])
		}
		return nil
	}
	s.hidden = s.trunk.Hidden(g.rows, d)
	for i, span := range s.spans {
		if err := m.readText(s, m.text(s, g, i), s.hidden, span, nil, g.stop); err != nil {
			return err
		}
	}
	var err error
	if s.hidden, err = m.trunk.Forward(&s.trunk, s.spans, trunk.LastRow, g.stop); err != nil {
		return err
	}
	for i := range s.spans {
		row := s.hidden[i*d : (i+1)*d]
		kernel.RMSNorm(row, row, m.norm, m.config.NormEpsilon)
	}
	return nil
}

// score writes the probabilities of one item's choices. There are few of them, and a temperature
// magnifies the rounding of a logit, so all of it is computed in 64 bits.
func (m *Model) score(s *Scratch, probabilities []float32, choices []byte, state []float32, inverseTemperature float64) {
	logits, row := grow(&s.logits, len(choices)), grow(&s.row, len(state))
	largest := math.Inf(-1)
	for i, choice := range choices {
		m.head.read(row, int(choice))
		var logit float64
		for c, v := range state {
			logit += float64(v) * float64(row[c])
		}
		logits[i] = inverseTemperature * logit
		largest = max(largest, logits[i])
	}
	var sum float64
	for i, logit := range logits {
		logits[i] = math.Exp(logit - largest)
		sum += logits[i]
	}
	for i, weight := range logits {
		probabilities[i] = float32(weight / sum)
	}
}
