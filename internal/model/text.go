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

// pad pads text for addInput. Without n-grams nothing reads it.
func (m *Model) pad(s *Scratch, text []byte) []byte {
	if m.config.Grams == nil {
		return nil
	}
	return pad(&s.padded, text, m.config.Grams.Fold)
}

// readInput writes the input row of byte i of text to dst: the byte's own row and the rows of all
// n-grams that belong to it. padded is the result of pad. Each row is summed separately, in one
// order.
func (m *Model) readInput(dst []float32, text, padded []byte, i int) {
	m.bytes.read(dst, int(text[i]))
	if m.config.Grams == nil {
		return
	}
	// Byte i of the text is byte i+1 of padded. The last byte also gets the n-grams that end with
	// the closing space.
	m.addGrams(dst, padded, i+1)
	if i == len(text)-1 {
		m.addGrams(dst, padded, i+2)
	}
}

// largestGram is the largest size of n-grams that a configuration may ask for.
const largestGram = 8

// longestGram returns the size of the longest n-gram that ends at padded[p]. An n-gram within a
// word has spaces at its ends only.
func longestGram(padded []byte, p int, within bool) int {
	if !within {
		return p + 1
	}
	start := p - 1
	for start > 0 && p-start < largestGram && padded[start] != ' ' {
		start--
	}
	return p - start + 1
}

// addGrams adds the rows of all n-grams and words that end at padded[p].
func (m *Model) addGrams(dst []float32, padded []byte, p int) {
	grams := m.config.Grams
	longest := longestGram(padded, p, grams.Within)
	for _, size := range grams.Sizes {
		if size > longest {
			break
		}
		m.addRows(dst, hashGram(padded[p-size+1:p+1]))
	}
	if !grams.Words || padded[p] == ' ' || padded[p+1] != ' ' {
		return
	}
	start := p
	for padded[start-1] != ' ' {
		start--
	}
	m.addRows(dst, hashWord(padded[start:p+1]))
}

func (m *Model) addRows(dst []float32, h hash) {
	for range m.config.Grams.Hashes {
		m.grams.add(dst, h.bucket(m.config.Grams.Buckets))
		h = h.next()
	}
}
