package tokenizer

import (
	"slices"
	"unicode/utf8"
)

// point is a code point of a cluster that is put into a normal form.
type point struct {
	c     rune
	class uint8
	extra bool // of a character that became several, and not the first of them
	from  span
}

// unicodeForm is NFD, NFC, NFKD or NFKC by the reference's tables, which are of Unicode 9.
type unicodeForm struct{ compatible, composes bool }

func (f unicodeForm) normalize(s *Scratch) {
	text, out := &s.text, &s.spare
	if isASCII(text.bytes) {
		return
	}
	out.reset(text.tracked)
	s.points = s.points[:0]
	for i := 0; i < len(text.bytes); {
		if b := text.bytes[i]; b < utf8.RuneSelf {
			f.flush(s)
			end := i + 1
			for end < len(text.bytes) && text.bytes[end] < utf8.RuneSelf {
				end++
			}
			if end < len(text.bytes) {
				end-- // the last may compose with what follows
			}
			out.copy(text, i, end)
			if end < len(text.bytes) {
				s.points = append(s.points, point{c: rune(text.bytes[end]), from: text.at(end)})
				end++
			}
			i = end
			continue
		}
		c, size := utf8.DecodeRune(text.bytes[i:])
		r := recordOf(c)
		if r.class == 0 && r.flags&(isCanonical|isCompatible) == 0 && !mayFollow(c) &&
			(c < hangulBase || c >= hangulBase+hangulCount) {
			f.flush(s)
		}
		s.decompose(c, f.compatible, text.at(i))
		i += size
	}
	f.flush(s)
	s.swap()
}

// mayFollow reports whether a character of class 0 may compose with one before it.
func mayFollow(c rune) bool {
	return c >= 0x9BE && c <= 0x11FF || c == 0x1B35 || c >= 0x11000 && c < 0x12000
}

// flush appends the points in order, and composed where the form composes.
func (f unicodeForm) flush(s *Scratch) {
	points, out := s.points, &s.spare
	s.points = s.points[:0]
	if len(points) == 0 {
		return
	}
	if out.tracked {
		s.sources = s.sources[:0]
		for _, p := range points {
			if !p.extra {
				s.sources = append(s.sources, p.from)
			}
		}
	}
	sortPoints(points)
	if out.tracked { // places do not move with the marks
		source := -1
		for i := range points {
			if !points[i].extra {
				source++
			}
			points[i].from = s.sources[max(source, 0)]
		}
	}
	if f.composes {
		points = composePoints(points)
	}
	for _, p := range points {
		out.addRune(p.c, p.from)
	}
}

// decompose appends the points of a character.
func (s *Scratch) decompose(c rune, compatible bool, from span) {
	if c >= hangulBase && c < hangulBase+hangulCount {
		c -= hangulBase
		s.points = append(s.points, point{c: leadBase + c/hangulPerLead, from: from},
			point{c: vowelBase + c%hangulPerLead/trailCount, extra: true, from: from})
		if trail := c % trailCount; trail > 0 {
			s.points = append(s.points, point{c: trailBase + trail, extra: true, from: from})
		}
		return
	}
	r, whole := recordOf(c), ""
	if compatible && r.flags&isCompatible != 0 {
		whole = find(compatibleOf[:], c)
	}
	if whole == "" && r.flags&isCanonical != 0 {
		whole = find(canonicalOf[:], c)
	}
	if whole == "" {
		s.points = append(s.points, point{c: c, class: r.class, from: from})
		return
	}
	for i, d := range whole {
		s.points = append(s.points, point{d, recordOf(d).class, i > 0, from})
	}
}

// sortPoints puts the marks between characters of class 0 into the canonical order.
func sortPoints(points []point) {
	for i := 0; i < len(points); {
		if points[i].class == 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(points) && points[end].class != 0 {
			end++
		}
		if end-i > 1 {
			slices.SortStableFunc(points[i:end], func(a, b point) int { return int(a.class) - int(b.class) })
		}
		i = end
	}
}

// composePoints composes in place.
func composePoints(points []point) []point {
	// last is the class of the mark before, -1 for none since the base.
	kept, base, last := 0, -1, -1
	for _, p := range points {
		if base >= 0 && (last < 0 || last < int(p.class)) {
			if c := compose(points[base].c, p.c); c != 0 {
				points[base].c = c
				points[base].from.to = max(points[base].from.to, p.from.to)
				continue
			}
		}
		if p.class == 0 {
			base, last = kept, -1
		} else {
			last = int(p.class)
		}
		points[kept] = p
		kept++
	}
	return points[:kept]
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
