package model

import "github.com/unum-cloud/uform-go/internal/kernel"

// askEvery is how many positions of a text are read between two calls of stop.
const askEvery = 4096

// pad returns text between two spaces. If fold is set, letter case and white space are folded. It
// reuses the memory of *buffer.
func pad(buffer *[]byte, text []byte, fold bool) []byte {
	padded := grow(buffer, len(text)+2)
	padded[0], padded[len(text)+1] = ' ', ' '
	copy(padded[1:], text)
	if fold {
		for i, b := range padded {
			padded[i] = folded(b)
		}
	}
	return padded
}

func folded(b byte) byte {
	switch {
	case 'A' <= b && b <= 'Z':
		return b + ('a' - 'A')
	case 0x09 <= b && b <= 0x0D:
		return ' '
	}
	return b
}

// scan begins to read the input rows of a text.
func (m *Model) scan(s *Scratch, text []byte) {
	if g := m.config.Grams; g != nil {
		s.grams.scan(pad(&s.padded, text, g.Fold), g.Sizes, g.Within)
	}
}

// readInputs writes to dst the input rows of some bytes of a text that is being scanned: the row of
// each byte, and those of all n-grams that belong to it. Each row is summed separately, in one
// order.
func (m *Model) readInputs(s *Scratch, dst []float32, text []byte) {
	ends := grow(&s.ends, len(text))
	var rows []uint32
	if g := m.config.Grams; g != nil {
		rows = g.appendRows(grow(&s.rows, g.mostRows(len(text)))[:0], ends, &s.grams, m.gramRows)
	} else {
		clear(ends)
	}
	m.grams.sumRows(&s.gather, dst, &m.bytes, text, rows, ends)
	s.gather = kernel.Gather{} // the text belongs to the caller
}
