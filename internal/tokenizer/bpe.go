package tokenizer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// bpeFile is what a file says of byte-pair encoding, besides the vocabulary.
type bpeFile struct {
	dropout                                   *float64
	unknown, prefix, suffix                   *string
	fusesUnknown, byteFallback, ignoresMerges bool
	merges                                    []mergePair
}

func (p *parser) bpeOf(m object) error {
	f := &bpeFile{}
	for name, to := range map[string]any{
		"dropout": &f.dropout, "unk_token": &f.unknown, "continuing_subword_prefix": &f.prefix, "end_of_word_suffix": &f.suffix,
		"fuse_unk": &f.fusesUnknown, "byte_fallback": &f.byteFallback, "ignore_merges": &f.ignoresMerges,
	} {
		if err := p.member(m, name, to); err != nil {
			return err
		}
	}
	if err := p.vocabulary(m["vocab"]); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	var err error
	if f.merges, err = entries(p, m["merges"], "merge", parseMerge); err != nil {
		return fmt.Errorf("merges: %w", err)
	}
	return p.bpe(f)
}

// mergePair is two pieces, written as a list or, in older files, with a space between them.
type mergePair [2]string

func parseMerge(value []byte) (m mergePair, err error) {
	if len(value) > 0 && value[0] == '[' {
		return m, decodePair(value, func(first, second []byte) error {
			if m[0], err = jsonfile.String(first); err != nil {
				return err
			}
			m[1], err = jsonfile.String(second)
			return err
		})
	}
	line, err := jsonfile.String(value)
	if err != nil {
		return m, err
	}
	return m, m.parse(line)
}

func (m *mergePair) parse(line string) error {
	if strings.HasPrefix(line, "#version") {
		*m = mergePair{}
		return nil
	}
	a, b, ok := strings.Cut(line, " ")
	if !ok || strings.Contains(b, " ") {
		return fmt.Errorf("%.80q is not two pieces with a space between them", line)
	}
	*m = mergePair{a, b}
	return nil
}

// bpe merges the two neighbours whose merge comes first in its file, the leftmost of equals, until
// none is left.
type bpe struct {
	ids map[string]int32 // of pieces as words spell them: raw bytes where raw
	raw bool             // words are bytes, not characters of the byte-level alphabet
	// bytes are the ids of one raw byte: not the first of a word, the last; -1 for none.
	bytes          [2][2][256]int32
	prefix, suffix string
	unknown        int32 // -1 for none
	missing        string
	fuses          bool
	fallback       bool
	fallbackIDs    [256]int32
	ignoresMerges  bool
	merges         mergeTable
}

func (p *parser) bpe(f *bpeFile) error {
	if f.dropout != nil && *f.dropout != 0 {
		return unsupported("dropout %v is not supported: tokens would be random; set it to null", *f.dropout)
	}
	m := &bpe{ids: p.t.ids, unknown: -1, fuses: f.fusesUnknown, fallback: f.byteFallback, ignoresMerges: f.ignoresMerges}
	if f.prefix != nil {
		m.prefix = *f.prefix
	}
	if f.suffix != nil {
		m.suffix = *f.suffix
	}
	if f.unknown != nil {
		if id, ok := m.ids[*f.unknown]; ok {
			m.unknown = id
		} else {
			m.missing = *f.unknown
		}
	}
	m.merges = newMergeTable(len(f.merges))
	rank := uint32(0)
	for _, pair := range f.merges {
		if pair == (mergePair{}) {
			continue
		}
		rank++
		if err := p.goes(); err != nil {
			return err
		}
		if len(pair[1]) < len(m.prefix) {
			return fmt.Errorf("merge %d: %.80q is shorter than the prefix %.80q", rank-1, pair[1], m.prefix)
		}
		var ids [3]int32
		for i, piece := range []string{pair[0], pair[1], pair[0] + pair[1][len(m.prefix):]} {
			id, ok := m.ids[piece]
			if !ok {
				return fmt.Errorf("merge %d: %.80q is not in the vocabulary", rank-1, piece)
			}
			ids[i] = id
		}
		key := pairOf(ids[0], ids[1])
		*m.merges.slot(key) = mergeSlot{key, rank, uint32(ids[2])}
	}
	for b := range m.fallbackIDs {
		id, ok := m.ids[fmt.Sprintf("<0x%02X>", b)]
		if m.fallbackIDs[b] = id; !ok {
			m.fallbackIDs[b] = -1
		}
	}
	if p.isBytes != nil && !m.fallback {
		p.isBytes.raw = true
		if err := m.useRawBytes(p); err != nil {
			return err
		}
	}
	p.t.model = m
	return nil
}

// useRawBytes spells the vocabulary in the bytes that the characters of the byte-level alphabet
// stand for. A piece that has other characters is never found in a text.
func (m *bpe) useRawBytes(p *parser) error {
	m.raw = true
	for b := range 256 {
		character := string(byteCharacter(byte(b)))
		for later := range 2 {
			for last := range 2 {
				spelled := character
				if later == 1 {
					spelled = m.prefix + spelled
				}
				if last == 1 {
					spelled += m.suffix
				}
				id, ok := m.ids[spelled]
				if m.bytes[later][last][b] = id; !ok {
					m.bytes[later][last][b] = -1
				}
			}
		}
	}
	if !m.ignoresMerges {
		return nil
	}
	raw := make(map[string]int32, len(m.ids))
	var spelled []byte
next:
	for piece, id := range m.ids {
		if err := p.goes(); err != nil {
			return err
		}
		spelled = spelled[:0]
		for _, c := range piece {
			b, ok := characterByte(c)
			if !ok {
				continue next
			}
			spelled = append(spelled, b)
		}
		raw[string(spelled)] = id
	}
	m.ids = raw
	return nil
}

func (m *bpe) encode(s *Scratch, dst []int32, start, end int) ([]int32, error) {
	word := s.text.bytes[start:end]
	if m.ignoresMerges {
		if id, ok := m.ids[string(word)]; ok {
			s.ended(end)
			return append(dst, id), nil
		}
	}
	if err := m.symbols(s, word); err != nil {
		return dst, err
	}
	if len(s.symbols) <= shortWord {
		m.mergeShort(s)
	} else {
		m.mergeLong(s)
	}
	for i := range s.symbols {
		if length := s.symbols[i].length; length > 0 {
			dst = append(dst, s.symbols[i].id)
			start += int(length)
			s.ended(start)
		}
	}
	return dst, nil
}

// symbols begins with one for each character.
func (m *bpe) symbols(s *Scratch, word []byte) error {
	s.symbols = s.symbols[:0]
	unknown := 0 // bytes of unknown characters that have no symbol yet
	for i := 0; i < len(word); {
		size := 1
		if !m.raw && word[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(word[i:])
		}
		id := m.character(s, word, i, size)
		if id >= 0 {
			if unknown > 0 {
				s.symbols = append(s.symbols, symbol{id: m.unknown, length: int32(unknown)})
				unknown = 0
			}
			s.symbols = append(s.symbols, symbol{id: id, length: int32(size)})
		} else if !m.fallback || !m.fallBack(s) {
			if m.missing != "" {
				return fmt.Errorf("the unknown token %q is not in the vocabulary", m.missing)
			}
			if m.unknown >= 0 {
				if unknown > 0 && !m.fuses {
					s.symbols = append(s.symbols, symbol{id: m.unknown, length: int32(unknown)})
					unknown = 0
				}
				unknown += size
			}
		}
		i += size
	}
	if unknown > 0 {
		s.symbols = append(s.symbols, symbol{id: m.unknown, length: int32(unknown)})
	}
	return nil
}

// character is the id of one character, -1 for none. It leaves the spelled character in the key of
// the scratch.
func (m *bpe) character(s *Scratch, word []byte, i, size int) int32 {
	if m.raw {
		later, last := 0, 0
		if i > 0 {
			later = 1
		}
		if i+1 == len(word) {
			last = 1
		}
		return m.bytes[later][last][word[i]]
	}
	s.key = s.key[:0]
	if i > 0 {
		s.key = append(s.key, m.prefix...)
	}
	s.key = append(s.key, word[i:i+size]...)
	if i+size == len(word) {
		s.key = append(s.key, m.suffix...)
	}
	if id, ok := m.ids[string(s.key)]; ok {
		return id
	}
	return -1
}

// fallBack appends a symbol for each byte of the spelled character, false where one has none.
func (m *bpe) fallBack(s *Scratch) bool {
	for _, b := range s.key {
		if m.fallbackIDs[b] < 0 {
			return false
		}
	}
	for _, b := range s.key {
		s.symbols = append(s.symbols, symbol{id: m.fallbackIDs[b], length: 1})
	}
	return true
}
