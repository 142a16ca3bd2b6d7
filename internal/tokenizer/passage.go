package tokenizer

import (
	"unicode/utf8"
)

// span is where in the original text something came from.
type span struct{ from, to int32 }

// passage is a part of a text on its way through the normalizers and pre-tokenizers.
type passage struct {
	bytes   []byte
	spans   []span // for each byte, where tracked
	tracked bool
}

func (p *passage) reset(tracked bool) {
	p.bytes, p.spans, p.tracked = p.bytes[:0], p.spans[:0], tracked
}

// at is where a byte came from, nothing where that is not tracked.
func (p *passage) at(i int) span {
	if p.tracked {
		return p.spans[i]
	}
	return span{}
}

func (p *passage) add(bytes []byte, from span) {
	p.bytes = append(p.bytes, bytes...)
	if p.tracked {
		for range bytes {
			p.spans = append(p.spans, from)
		}
	}
}

func (p *passage) addString(text string, from span) {
	p.bytes = append(p.bytes, text...)
	if p.tracked {
		for range len(text) {
			p.spans = append(p.spans, from)
		}
	}
}

func (p *passage) addByte(b byte, from span) {
	p.bytes = append(p.bytes, b)
	if p.tracked {
		p.spans = append(p.spans, from)
	}
}

func (p *passage) addRune(c rune, from span) {
	start := len(p.bytes)
	p.bytes = utf8.AppendRune(p.bytes, c)
	if p.tracked {
		for range len(p.bytes) - start {
			p.spans = append(p.spans, from)
		}
	}
}

// copy takes over a part of another passage.
func (p *passage) copy(from *passage, start, end int) {
	p.bytes = append(p.bytes, from.bytes[start:end]...)
	if p.tracked {
		p.spans = append(p.spans, from.spans[start:end]...)
	}
}

// piece is a part of a passage: a token that is known already, or text where id is negative.
type piece struct{ start, end, id int32 }

const isText = -1

// Scratch is the working memory of [Tokenizer.Encode], which grows to what the largest text needed.
// The zero value is ready. One goroutine at a time may use it.
type Scratch struct {
	text, spare    passage
	limit          int     // of the bytes of a text
	outer          []piece // parts between added tokens
	pieces, others []piece
	matches        []match
	points         []point
	sources        []span // of points
	// ends are those of each token, in the passage and then in the original text, where tracked.
	ends    []int32
	key     []byte
	symbols []symbol
	queue   []uint64
	lattice []node
	path    []int32
}

// grown reports a text that has grown past its limit: no real file does that, and one step after
// the other could make a text of any size.
func (s *Scratch) grown() error {
	if len(s.text.bytes) > s.limit {
		return unsupported("normalizing makes over %d bytes of the text; no more are read", s.limit)
	}
	return nil
}

// limitOf is how large a text may grow.
func limitOf(length int) int { return 1<<16 + 64*length }

// swap makes what a stage wrote into spare the text.
func (s *Scratch) swap() { s.text, s.spare = s.spare, s.text }

// ended notes that the token that was just appended ends at a byte of the passage.
func (s *Scratch) ended(end int) {
	if s.text.tracked {
		s.ends = append(s.ends, int32(end))
	}
}

// Bytes returns the memory that the scratch holds.
func (s *Scratch) Bytes() int {
	bytes := cap(s.text.bytes) + cap(s.spare.bytes) + cap(s.key) + 8*(cap(s.text.spans)+cap(s.spare.spans)+cap(s.sources)+cap(s.queue))
	bytes += 12*(cap(s.outer)+cap(s.pieces)+cap(s.others)+cap(s.matches)) + 4*(cap(s.ends)+cap(s.path))
	return bytes + 16*(cap(s.points)+cap(s.lattice)) + 24*cap(s.symbols)
}
