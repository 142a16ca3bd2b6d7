package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// normalizer changes the text of a Scratch.
type normalizer interface{ normalize(s *Scratch) }

type normalizers []normalizer

func (all normalizers) normalize(s *Scratch) error {
	for _, n := range all {
		n.normalize(s)
		if err := s.grown(); err != nil {
			return err
		}
	}
	return nil
}

// bertNormalizer cleans, sets ideographs apart, strips accents and lowers, in this order.
type bertNormalizer struct {
	clean, ideographs, accents, lower bool
	ascii                             [utf8.RuneSelf]byte // what becomes of it, 0 for nothing
	steps                             []normalizer        // the same one after the other
}

func newBertNormalizer(clean, ideographs, accents, lower bool) *bertNormalizer {
	n := &bertNormalizer{clean: clean, ideographs: ideographs, accents: accents, lower: lower}
	for c := range rune(utf8.RuneSelf) {
		n.ascii[c] = byte(c)
		if clean {
			if is(c, isOther) {
				n.ascii[c] = 0
			} else if is(c, isSpace) {
				n.ascii[c] = ' '
			}
		}
		if lower && c >= 'A' && c <= 'Z' {
			n.ascii[c] += 'a' - 'A'
		}
	}
	if clean {
		n.steps = append(n.steps, cleaner{})
	}
	if ideographs {
		n.steps = append(n.steps, ideographSpacer{})
	}
	if accents {
		n.steps = append(n.steps, unicodeForm{}, dropper(isNonspacing))
	}
	if lower {
		n.steps = append(n.steps, lowercase{})
	}
	return n
}

func (n *bertNormalizer) normalize(s *Scratch) {
	text, out := &s.text, &s.spare
	out.reset(text.tracked)
	for i := 0; i < len(text.bytes); {
		b := text.bytes[i]
		if b < utf8.RuneSelf {
			if b = n.ascii[b]; b != 0 || !n.clean {
				out.bytes = append(out.bytes, b)
				if out.tracked {
					out.spans = append(out.spans, text.spans[i])
				}
			}
			i++
			continue
		}
		c, size := utf8.DecodeRune(text.bytes[i:])
		from := text.at(i)
		i += size
		flags := recordOf(c).flags
		if n.clean {
			if c == utf8.RuneError || flags&isOther != 0 {
				continue
			}
			if flags&isSpace != 0 {
				out.addRune(' ', from)
				continue
			}
		}
		apart := n.ideographs && isIdeograph(c)
		if apart {
			out.addRune(' ', span{from.from, from.from})
		}
		if !n.accents {
			n.addLower(out, c, from)
		} else {
			s.points = s.points[:0]
			s.decompose(c, false, from)
			for _, p := range s.points {
				if flags := recordOf(p.c).flags; flags&isNonspacing != 0 {
					continue
				} else if flags&isClassed != 0 {
					// A mark that stays: its place depends on its neighbours.
					for _, step := range n.steps {
						step.normalize(s)
					}
					return
				}
				n.addLower(out, p.c, from)
			}
		}
		if apart {
			out.addRune(' ', span{from.to, from.to})
		}
	}
	s.swap()
}

func (n *bertNormalizer) addLower(out *passage, c rune, from span) {
	if n.lower {
		addLower(out, c, from)
	} else {
		out.addRune(c, from)
	}
}

func addLower(out *passage, c rune, from span) {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	} else if c >= utf8.RuneSelf && is(c, isLowers) {
		out.addString(find(lowerOf[:], c), from)
		return
	}
	out.addRune(c, from)
}

// isIdeograph has the ranges of the reference, which leave out those from U+2B820 to U+2B91F.
func isIdeograph(c rune) bool {
	return c >= 0x4E00 && c <= 0x9FFF || c >= 0x3400 && c <= 0x4DBF || c >= 0x20000 && c <= 0x2A6DF ||
		c >= 0x2A700 && c <= 0x2B73F || c >= 0x2B740 && c <= 0x2B81F || c >= 0x2B920 && c <= 0x2CEAF ||
		c >= 0xF900 && c <= 0xFAFF || c >= 0x2F800 && c <= 0x2FA1F
}

// eachRune rewrites the text one character at a time.
func eachRune(s *Scratch, put func(out *passage, c rune, from span)) {
	text, out := &s.text, &s.spare
	out.reset(text.tracked)
	for i := 0; i < len(text.bytes); {
		c, size := utf8.DecodeRune(text.bytes[i:])
		put(out, c, text.at(i))
		i += size
	}
	s.swap()
}

// cleaner drops control characters and makes all white space spaces.
type cleaner struct{}

func (cleaner) normalize(s *Scratch) {
	eachRune(s, func(out *passage, c rune, from span) {
		switch {
		case c == 0 || c == utf8.RuneError || is(c, isOther):
		case is(c, isSpace):
			out.addRune(' ', from)
		default:
			out.addRune(c, from)
		}
	})
}

// ideographSpacer sets ideographs apart.
type ideographSpacer struct{}

func (ideographSpacer) normalize(s *Scratch) {
	eachRune(s, func(out *passage, c rune, from span) {
		if isIdeograph(c) {
			out.addRune(' ', span{from.from, from.from})
			out.addRune(c, from)
			from = span{from.to, from.to}
			c = ' '
		}
		out.addRune(c, from)
	})
}

// dropper removes the characters that have one of its flags.
type dropper uint32

func (flags dropper) normalize(s *Scratch) {
	if isASCII(s.text.bytes) {
		return
	}
	eachRune(s, func(out *passage, c rune, from span) {
		if !is(c, uint32(flags)) {
			out.addRune(c, from)
		}
	})
}

// lowercase lowers each character by itself.
type lowercase struct{}

func (lowercase) normalize(s *Scratch) { eachRune(s, addLower) }

// nmt is the cleaning of neural machine translation.
type nmt struct{}

func (nmt) normalize(s *Scratch) {
	eachRune(s, func(out *passage, c rune, from span) {
		switch {
		case c >= 1 && c <= 8, c == 0xB, c >= 0xE && c <= 0x1F, c == 0x7F, c == 0x8F, c == 0x9F:
			return
		case c == '\t', c == '\n', c == '\f', c == '\r', c == 0x1680, c >= 0x200B && c <= 0x200F, c == 0x2028, c == 0x2029,
			c == 0x2581, c == 0xFEFF, c == 0xFFFD:
			c = ' '
		}
		out.addRune(c, from)
	})
}

// strip removes white space at the ends.
type strip struct{ left, right bool }

func (n strip) normalize(s *Scratch) {
	start, end := 0, len(s.text.bytes)
	for n.left && start < end {
		c, size := utf8.DecodeRune(s.text.bytes[start:])
		if !is(c, isSpace) {
			break
		}
		start += size
	}
	for n.right && end > start {
		c, size := utf8.DecodeLastRune(s.text.bytes[:end])
		if !is(c, isSpace) {
			break
		}
		end -= size
	}
	if start > 0 || end < len(s.text.bytes) {
		s.spare.reset(s.text.tracked)
		s.spare.copy(&s.text, start, end)
		s.swap()
	}
}

// prepend puts a string before a text that is not empty.
type prepend string

func (n prepend) normalize(s *Scratch) {
	if len(s.text.bytes) == 0 {
		return
	}
	s.spare.reset(s.text.tracked)
	from := s.text.at(0)
	s.spare.addString(string(n), span{from.from, from.from})
	s.spare.copy(&s.text, 0, len(s.text.bytes))
	s.swap()
}

// replace puts a string in place of each match.
type replace struct {
	pattern matcher
	content string
}

func (n replace) normalize(s *Scratch) {
	text, out := &s.text, &s.spare
	out.reset(text.tracked)
	for at := 0; ; {
		start, end := n.pattern.next(text.bytes, at)
		if start < 0 {
			if at == 0 {
				return
			}
			out.copy(text, at, len(text.bytes))
			break
		}
		out.copy(text, at, start)
		out.addString(n.content, text.at(end-1))
		at = end
		if len(out.bytes) > s.limit {
			break
		}
	}
	s.swap()
}

// byteNormalizer writes each byte as a character of the byte-level alphabet.
type byteNormalizer struct{}

func (byteNormalizer) normalize(s *Scratch) { s.byteLevel() }

func (s *Scratch) byteLevel() {
	s.spare.reset(s.text.tracked)
	for i, b := range s.text.bytes {
		s.spare.addRune(byteCharacter(b), s.text.at(i))
	}
	s.swap()
}

// byteCharacter is the character that stands for a byte: itself where it is visible in Latin-1,
// else from U+0100 on.
func byteCharacter(b byte) rune {
	switch {
	case b <= ' ':
		return 0x100 + rune(b)
	case b >= 0x7F && b <= 0xA0:
		return 0x100 + 33 + rune(b-0x7F)
	case b == 0xAD:
		return 0x100 + 67
	}
	return rune(b)
}

// characterByte is the inverse of byteCharacter.
func characterByte(c rune) (byte, bool) {
	switch {
	case c >= 0x100 && c <= 0x100+32:
		return byte(c - 0x100), true
	case c >= 0x100+33 && c < 0x100+67:
		return byte(c-0x100-33) + 0x7F, true
	case c == 0x100+67:
		return 0xAD, true
	case c > ' ' && c < 0x7F, c > 0xA0 && c <= 0xFF && c != 0xAD:
		return byte(c), true
	}
	return 0, false
}

// literal finds a string.
type literal string

func (l literal) next(text []byte, at int) (start, end int) {
	i := bytes.Index(text[at:], []byte(l))
	if i < 0 {
		return -1, -1
	}
	return at + i, at + i + len(l)
}
