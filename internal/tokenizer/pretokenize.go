package tokenizer

import (
	"slices"
	"unicode/utf8"
)

// preTokenizer splits the pieces of a Scratch further, and may change its text.
type preTokenizer interface{ split(s *Scratch) }

// match is a part of a piece that a pattern matches, or one between matches.
type match struct {
	start, end int32
	matched    bool
}

// behavior is what becomes of the parts that a pattern matches.
type behavior uint8

const (
	isolated behavior = iota
	removed
	contiguous
	mergedWithPrevious
	mergedWithNext
)

var behaviors = map[string]behavior{"Isolated": isolated, "Removed": removed, "Contiguous": contiguous,
	"MergedWithPrevious": mergedWithPrevious, "MergedWithNext": mergedWithNext}

// splitter splits by a pattern.
type splitter struct {
	pattern  matcher
	behavior behavior
	inverted bool
}

func (p *splitter) split(s *Scratch) {
	s.others = s.others[:0]
	for _, whole := range s.pieces {
		if whole.id != isText {
			s.others = append(s.others, whole)
			continue
		}
		text := s.text.bytes[whole.start:whole.end]
		s.matches = s.matches[:0]
		for at := 0; at < len(text); {
			start, end := p.pattern.next(text, at)
			if start < 0 {
				start, end = len(text), len(text)
			}
			if at < start {
				s.matches = append(s.matches, match{whole.start + int32(at), whole.start + int32(start), p.inverted})
			}
			if start < end {
				s.matches = append(s.matches, match{whole.start + int32(start), whole.start + int32(end), !p.inverted})
			}
			at = end
		}
		s.others = p.behavior.apply(s.others, s.matches)
	}
	s.pieces, s.others = s.others, s.pieces
}

// apply appends the pieces that the matches make.
func (b behavior) apply(pieces []piece, matches []match) []piece {
	first, before := len(pieces), false
	switch b {
	case isolated, removed:
		for _, m := range matches {
			if b == isolated || !m.matched {
				pieces = append(pieces, piece{m.start, m.end, isText})
			}
		}
	case contiguous, mergedWithPrevious:
		for _, m := range matches {
			joins := m.matched == before
			if b == mergedWithPrevious {
				joins = m.matched && !before
			}
			if joins && len(pieces) > first {
				pieces[len(pieces)-1].end = m.end
			} else {
				pieces = append(pieces, piece{m.start, m.end, isText})
			}
			before = m.matched
		}
	case mergedWithNext:
		for i := len(matches) - 1; i >= 0; i-- {
			m := matches[i]
			if m.matched && !before && len(pieces) > first {
				pieces[len(pieces)-1].start = m.start
			} else {
				pieces = append(pieces, piece{m.start, m.end, isText})
			}
			before = m.matched
		}
		slices.Reverse(pieces[first:])
	}
	return pieces
}

// flagMatcher matches each character that has one of the flags by itself.
type flagMatcher uint32

func (flags flagMatcher) next(text []byte, at int) (int, int) {
	for at < len(text) {
		c, size := rune(text[at]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[at:])
		}
		if is(c, uint32(flags)) {
			return at, at + size
		}
		at += size
	}
	return -1, -1
}

// wordMatcher matches runs of word characters and runs of characters that are neither these nor
// white space.
type wordMatcher struct{}

func (wordMatcher) next(text []byte, at int) (int, int) {
	start, kind := -1, uint32(0)
	for at < len(text) {
		c, size := utf8.DecodeRune(text[at:])
		here := recordOf(c).flags & (isWord | isPatternSpace)
		switch {
		case start < 0 && here&isPatternSpace == 0:
			start, kind = at, here
		case start >= 0 && here != kind:
			return start, at
		}
		at += size
	}
	return start, len(text)
}

// bertPreTokenizer drops white space and isolates punctuation.
type bertPreTokenizer struct{}

func (bertPreTokenizer) split(s *Scratch) {
	s.others = s.others[:0]
	for _, whole := range s.pieces {
		if whole.id != isText {
			s.others = append(s.others, whole)
			continue
		}
		start := whole.start
		for i := start; i < whole.end; {
			c, size := rune(s.text.bytes[i]), 1
			if c >= utf8.RuneSelf {
				c, size = utf8.DecodeRune(s.text.bytes[i:whole.end])
			}
			flags := recordOf(c).flags & (isSpace | isPunctuation)
			if flags != 0 {
				if start < i {
					s.others = append(s.others, piece{start, i, isText})
				}
				start = i + int32(size)
				if flags&isSpace == 0 {
					s.others = append(s.others, piece{i, start, isText})
				}
			}
			i += int32(size)
		}
		if start < whole.end {
			s.others = append(s.others, piece{start, whole.end, isText})
		}
	}
	s.pieces, s.others = s.others, s.pieces
}

// rewrite gives each piece of text a new content, which put writes, and splits it no further.
func rewrite(s *Scratch, put func(whole piece)) {
	s.spare.reset(s.text.tracked)
	for i := range s.pieces {
		whole := &s.pieces[i]
		start := len(s.spare.bytes)
		if whole.id == isText {
			put(*whole)
		} else {
			s.spare.copy(&s.text, int(whole.start), int(whole.end))
		}
		whole.start, whole.end = int32(start), int32(len(s.spare.bytes))
	}
	s.swap()
}

// byteLevel splits as GPT-2 does. With raw, the model takes bytes as they are, else each becomes a
// character.
type byteLevel struct{ prefixSpace, splits, raw bool }

func (p *byteLevel) split(s *Scratch) {
	if p.prefixSpace {
		rewrite(s, func(whole piece) {
			if s.text.bytes[whole.start] != ' ' {
				from := s.text.at(int(whole.start)).from
				s.spare.addRune(' ', span{from, from})
			}
			s.spare.copy(&s.text, int(whole.start), int(whole.end))
		})
	}
	if p.splits {
		s.others = s.others[:0]
		words := gpt2.(*scanner)
		for _, whole := range s.pieces {
			if whole.id != isText {
				s.others = append(s.others, whole)
				continue
			}
			text := s.text.bytes[:whole.end]
			for at := int(whole.start); at < len(text); {
				end := words.match(text, at)
				s.others = append(s.others, piece{int32(at), int32(end), isText})
				at = end
			}
		}
		s.pieces, s.others = s.others, s.pieces
	}
	if !p.raw {
		rewrite(s, func(whole piece) {
			for i := whole.start; i < whole.end; i++ {
				s.spare.addRune(byteCharacter(s.text.bytes[i]), s.text.at(int(i)))
			}
		})
	}
}

// prependScheme is which pieces metaspace puts its mark before.
type prependScheme uint8

const (
	always prependScheme = iota
	first
	never
)

// metaspace writes a mark for each space, and splits before each mark.
type metaspace struct {
	mark   string
	scheme prependScheme
	splits bool
}

func (p *metaspace) split(s *Scratch) {
	rewrite(s, func(whole piece) {
		text := s.text.bytes[whole.start:whole.end]
		from := s.text.at(int(whole.start)).from
		hasMark := text[0] == ' ' || len(text) >= len(p.mark) && string(text[:len(p.mark)]) == p.mark
		if !hasMark && (p.scheme == always || p.scheme == first && from == 0) {
			s.spare.addString(p.mark, span{from, from})
		}
		start := 0
		for i, b := range text {
			if b == ' ' {
				s.spare.copy(&s.text, int(whole.start)+start, int(whole.start)+i)
				s.spare.addString(p.mark, s.text.at(int(whole.start)+i))
				start = i + 1
			}
		}
		s.spare.copy(&s.text, int(whole.start)+start, int(whole.end))
	})
	if !p.splits {
		return
	}
	s.others = s.others[:0]
	for _, whole := range s.pieces {
		if whole.id != isText {
			s.others = append(s.others, whole)
			continue
		}
		text, start, lead := s.text.bytes[:whole.end], int(whole.start), p.mark[0]
		for i := start + 1; i < len(text); i++ {
			if text[i] == lead && len(text)-i >= len(p.mark) && string(text[i:i+len(p.mark)]) == p.mark {
				s.others = append(s.others, piece{int32(start), int32(i), isText})
				start = i
			}
		}
		if start < len(text) {
			s.others = append(s.others, piece{int32(start), int32(len(text)), isText})
		}
	}
	s.pieces, s.others = s.others, s.pieces
}
