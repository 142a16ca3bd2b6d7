package tokenizer

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// precompiled replaces characters, and short clusters of them, by the map that SentencePiece
// compiles: a double array of which each leaf is a place in the replacements, which end with a zero
// byte.
type precompiled struct {
	units        []uint32
	replacements []byte
}

func newPrecompiled(charsmap []byte) (*precompiled, error) {
	if len(charsmap) < 4 {
		return nil, fmt.Errorf("a map of %d bytes", len(charsmap))
	}
	size := int64(binary.LittleEndian.Uint32(charsmap))
	if size > int64(len(charsmap)-4) || size < 4 {
		return nil, fmt.Errorf("a map of %d bytes that says its array has %d", len(charsmap), size)
	}
	p := &precompiled{units: make([]uint32, size/4)}
	for i := range p.units {
		p.units[i] = binary.LittleEndian.Uint32(charsmap[4+4*i:])
	}
	p.replacements = charsmap[4+4*len(p.units):]
	if !utf8.Valid(p.replacements) {
		return nil, fmt.Errorf("the replacements are not UTF-8")
	}
	return p, nil
}

// match returns what a beginning of a text becomes, the shortest or the longest that is in the map,
// and its length: 0 if none is.
func (p *precompiled) match(text []byte, longest bool) (replaced []byte, length int) {
	at := offset(p.units[0])
	for i, b := range text {
		if b == 0 {
			break
		}
		at ^= uint32(b)
		if at >= uint32(len(p.units)) {
			break
		}
		unit := p.units[at]
		if unit&(1<<31|0xFF) != uint32(b) {
			break
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if at >= uint32(len(p.units)) {
			break
		}
		if found, ok := p.replacement(p.units[at]); ok {
			replaced, length = found, i+1
		}
		if !longest {
			break
		}
	}
	return replaced, length
}

// replacement returns the one that a leaf names.
func (p *precompiled) replacement(leaf uint32) ([]byte, bool) {
	start := leaf & (1<<31 - 1)
	if start > uint32(len(p.replacements)) {
		return nil, false
	}
	end := start
	for end < uint32(len(p.replacements)) && p.replacements[end] != 0 {
		end++
	}
	return p.replacements[start:end], true
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

func (p *precompiled) normalize(s *Scratch) {
	text, out := &s.text, &s.spare
	out.reset(text.tracked)
	for i := 0; i < len(text.bytes) && len(out.bytes) <= s.limit; {
		end := clusterEnd(text.bytes, i)
		if end-i < 6 {
			if replaced, length := p.match(text.bytes[i:end], false); length > 0 {
				out.add(replaced, span{text.at(i).from, text.at(end - 1).to})
				i = end
				continue
			}
		}
		for i < end {
			size := 1
			if text.bytes[i] >= utf8.RuneSelf {
				_, size = utf8.DecodeRune(text.bytes[i:])
			}
			if replaced, length := p.match(text.bytes[i:i+size], false); length > 0 {
				out.add(replaced, text.at(i))
			} else {
				out.copy(text, i, i+size)
			}
			i += size
		}
	}
	s.swap()
}

// clusterEnd returns where the grapheme cluster ends that begins at a byte.
func clusterEnd(text []byte, at int) int {
	if text[at] >= ' ' && text[at] < 0x7F && (at+1 == len(text) || text[at+1] < utf8.RuneSelf) {
		return at + 1
	}
	c, size := utf8.DecodeRune(text[at:])
	before := recordOf(c)
	at += size
	flags := 0 // regional indicators in a row
	if before.cluster == clusterRegionalIndicator {
		flags = 1
	}
	pictograph := before.cluster == clusterExtendedPictographic // and what extends it
	// consonant: the cluster is a consonant so far, with what extends or links it.
	consonant, linked := before.cluster == clusterInCBConsonant, false
	for at < len(text) {
		c, size := utf8.DecodeRune(text[at:])
		after := recordOf(c)
		if isBoundary(before, after, flags, pictograph, consonant && linked) {
			break
		}
		switch after.cluster {
		case clusterRegionalIndicator:
			flags++
		case clusterExtendedPictographic:
			pictograph = true
		case clusterExtend, clusterZWJ:
		default:
			pictograph = false
		}
		switch {
		case after.cluster == clusterInCBConsonant:
			consonant, linked = true, false
		case after.conjunct == 2:
			linked = true
		case after.conjunct != 1:
			consonant = false
		}
		before = after
		at += size
	}
	return at
}

func isBoundary(before, after *record, flags int, pictograph, linked bool) bool {
	a, b := before.cluster, after.cluster
	switch {
	case a == clusterCR && b == clusterLF:
		return false
	case a == clusterControl, a == clusterCR, a == clusterLF, b == clusterControl, b == clusterCR, b == clusterLF:
		return true
	case a == clusterL && (b == clusterL || b == clusterV || b == clusterLV || b == clusterLVT),
		(a == clusterLV || a == clusterV) && (b == clusterV || b == clusterT),
		(a == clusterLVT || a == clusterT) && b == clusterT,
		b == clusterExtend, b == clusterZWJ, b == clusterSpacingMark, a == clusterPrepend:
		return false
	case b == clusterInCBConsonant:
		return !linked
	case a == clusterZWJ && b == clusterExtendedPictographic:
		return !pictograph
	case a == clusterRegionalIndicator && b == clusterRegionalIndicator:
		return flags%2 == 0
	}
	return true
}
