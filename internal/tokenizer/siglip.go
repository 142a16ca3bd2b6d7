package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// siglip makes the tokenizer of SigLIP, which is SentencePiece itself behind a few lines of Python:
// lower case, no punctuation, single spaces. Each part of a text is encoded after the unknown token
// as a text, whose tokens are then left out.
func (m *modelProto) siglip(p *parser, unknown string, c *piecesConfig) error {
	switch {
	case m.model != unigramPieces:
		return unsupported("model_type %d is not supported for this class; %d, unigram, is", m.model, unigramPieces)
	case m.suffixes, !m.removeExtra, !m.escapes:
		return unsupported("a model for this class whose spaces are suffixes, or are kept, is not supported")
	}
	for _, piece := range m.pieces {
		if piece.kind == userPiece {
			return unsupported("the user-defined piece %q for this class is not supported", piece.text)
		}
	}
	words := &unigram{pieces: newTrie(), single: true, unknown: int32(m.unknown), fallback: m.byteFallback}
	if err := words.add(p, m.scored(0), func(id int) bool { return m.pieces[id].kind == normalPiece }); err != nil {
		return err
	}
	normal := pieceNormalizer{dummyPrefix: m.dummyPrefix && (c.Legacy == nil || *c.Legacy)}
	if len(m.charsmap) > 0 {
		var err error
		if normal.characters, err = newPrecompiled(m.charsmap); err != nil {
			return err
		}
	}
	var s Scratch
	s.text.bytes = append(s.text.bytes, unknown...)
	s.limit = limitOf(len(unknown))
	normal.normalize(&s)
	before, err := words.encode(&s, nil, 0, len(s.text.bytes))
	if err != nil {
		return err
	}
	p.t.model = &afterTokens{words, len(before)}
	p.t.normalizers = normalizers{canonical{before: unknown, lowers: !isFalse(c.Lower)}, normal}
	p.t.needsOrigin, p.t.endsOnce = true, true
	return nil
}

// afterTokens is a model whose first tokens of each part are left out, if there are as many.
type afterTokens struct {
	*unigram
	count int
}

func (m *afterTokens) encode(s *Scratch, dst []int32, start, end int) ([]int32, error) {
	first, ends := len(dst), len(s.ends)
	dst, err := m.unigram.encode(s, dst, start, end)
	if err == nil && len(dst)-first >= m.count {
		dst = append(dst[:first], dst[first+m.count:]...)
		if s.text.tracked {
			s.ends = append(s.ends[:ends], s.ends[ends+m.count:]...)
		}
	}
	return dst, err
}

// canonical writes a part of a text as SigLIP was trained on, after a text that stands before each.
type canonical struct {
	before string
	lowers bool
}

func (n canonical) normalize(s *Scratch) {
	text, out := &s.text, &s.spare
	out.reset(text.tracked)
	from := text.at(0)
	out.addString(n.before, span{from.from, from.from})
	start := len(out.bytes)
	if from.from == 0 {
		out.addString(spaceMark, span{})
	}
	space, spaceFrom := false, span{}
	for i := 0; i < len(text.bytes); {
		c, size := utf8.DecodeRune(text.bytes[i:])
		from := text.at(i)
		switch {
		case isPythonSpace(c) || c == '\u2581':
			// The mark becomes a space before tokens are looked for.
			if !space {
				space, spaceFrom = true, from
			}
		case c < utf8.RuneSelf && isASCIIPunctuation(byte(c)):
		default:
			if space && len(out.bytes) > start {
				out.addRune(' ', spaceFrom)
			}
			space = false
			switch {
			case !n.lowers:
				out.addRune(c, from)
			case c == 'Σ' && isFinal(text.bytes, i):
				out.addRune('ς', from)
			default:
				addLower(out, c, from)
			}
		}
		i += size
	}
	s.swap()
}

// isPythonSpace reports what str.strip and \s of Python take for white space.
func isPythonSpace(c rune) bool { return c >= 0x1C && c <= 0x1F || unicode.IsSpace(c) }

func isASCIIPunctuation(b byte) bool {
	return b >= '!' && b <= '/' || b >= ':' && b <= '@' || b >= '[' && b <= '`' || b >= '{' && b <= '~'
}

// isFinal reports whether the sigma at a byte ends a word: a cased letter before it and none after,
// whatever stands between that has no case.
func isFinal(text []byte, at int) bool {
	before := at
	for before > 0 {
		c, size := utf8.DecodeLastRune(text[:before])
		if !isCaseIgnorable(c) {
			if !isCased(c) {
				return false
			}
			break
		}
		before -= size
	}
	if before == 0 {
		return false
	}
	_, size := utf8.DecodeRune(text[at:])
	for at += size; at < len(text); at += size {
		var c rune
		if c, size = utf8.DecodeRune(text[at:]); !isCaseIgnorable(c) {
			return !isCased(c)
		}
	}
	return true
}

func isCased(c rune) bool {
	return unicode.In(c, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func isCaseIgnorable(c rune) bool {
	switch c {
	case '\'', '.', ':', 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024, 0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A:
		return true
	}
	return unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// pieceNormalizer normalizes as SentencePiece itself does where it removes spaces that are more
// than one and writes a mark for each that is left.
type pieceNormalizer struct {
	characters  *precompiled
	dummyPrefix bool
}

func (n pieceNormalizer) normalize(s *Scratch) {
	text, out := &s.text, &s.spare
	out.reset(text.tracked)
	started := false // past the spaces at the begin
	space := true
	for i := 0; i < len(text.bytes) && len(out.bytes) <= s.limit; {
		length := 0
		var piece []byte
		if n.characters != nil {
			piece, length = n.characters.match(text.bytes[i:], true)
		}
		if length == 0 {
			length = 1
			if text.bytes[i] >= utf8.RuneSelf {
				_, length = utf8.DecodeRune(text.bytes[i:])
			}
			piece = text.bytes[i : i+length]
		}
		end := i + length
		from := text.at(i)
		from.to = text.at(end - 1).to
		i = end
		if !started {
			if string(piece) == " " {
				continue
			}
			started = true
			if n.dummyPrefix {
				out.addString(spaceMark, span{from.from, from.from})
			}
		}
		for space && len(piece) > 0 && piece[0] == ' ' {
			piece = piece[1:]
		}
		for _, b := range piece {
			if b == ' ' {
				out.addString(spaceMark, from)
			} else {
				out.addByte(b, from)
			}
		}
		if len(piece) > 0 {
			space = piece[len(piece)-1] == ' '
		}
	}
	for len(out.bytes) >= len(spaceMark) && string(out.bytes[len(out.bytes)-len(spaceMark):]) == spaceMark {
		out.bytes = out.bytes[:len(out.bytes)-len(spaceMark)]
		if out.tracked {
			out.spans = out.spans[:len(out.bytes)]
		}
	}
	s.swap()
}
