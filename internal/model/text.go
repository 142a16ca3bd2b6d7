package model

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

// blockPositions is how many positions of a text are read at a time: as many as leave room in the
// nearest cache beside their input rows.
const blockPositions = 32

// inputs reads the input rows of one text, one block of positions after the other.
type inputs struct {
	text  []byte
	grams grams
	next  int // the first position that is not read
}

// inputs returns the input rows of a text.
func (m *Model) inputs(s *Scratch, text []byte) inputs {
	in := inputs{text: text}
	if g := m.config.Grams; g != nil {
		in.grams = g.scan(pad(&s.padded, text, g.Fold))
	}
	return in
}

// skip goes to a position without reading those before it.
func (in *inputs) skip(to int) {
	in.next = to
	in.grams.skip(to + 1)
}

// readInputs writes the next rows of a text to dst: the row of each byte, and those of all n-grams
// that belong to it. Each row is summed separately, in one order.
func (m *Model) readInputs(s *Scratch, dst []float32, in *inputs) {
	clear(dst)
	text := in.text[in.next:][:len(dst)/m.config.Width]
	rows, ends := grow(&s.rows, len(text)), grow(&s.ends, len(text))
	for i, b := range text {
		rows[i], ends[i] = uint32(b), i+1
	}
	m.bytes.addRows(dst, rows, ends)
	if g := m.config.Grams; g != nil {
		rows = grow(&s.rows, (len(text)+1)*(len(g.Sizes)+1)*g.Hashes)[:0]
		for i := range text {
			rows = g.appendRows(rows, &in.grams, m.gramRows, in.next+i)
			ends[i] = len(rows)
		}
		m.grams.addRows(dst, rows, ends)
	}
	in.next += len(text)
}
