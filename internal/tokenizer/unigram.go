package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// unigramFile is what a file says of Unigram.
type unigramFile struct {
	unknown      *int
	byteFallback bool
	vocab        []scoredPiece
}

type scoredPiece struct {
	piece string
	score float64
}

func (p *parser) unigramOf(m object) error {
	f := &unigramFile{}
	if err := p.member(m, "unk_id", &f.unknown); err != nil {
		return err
	}
	if err := p.member(m, "byte_fallback", &f.byteFallback); err != nil {
		return err
	}
	var err error
	if f.vocab, err = entries(p, m["vocab"], "piece", parseScored); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	return p.unigram(f)
}

// parseScored reads a list of a piece and its score.
func parseScored(value []byte) (s scoredPiece, err error) {
	return s, decodePair(value, func(first, second []byte) error {
		if s.piece, err = jsonfile.String(first); err != nil {
			return err
		}
		number, err := jsonfile.Number(second)
		s.score = parseScore(number)
		return err
	})
}

// unigram takes the pieces whose scores have the greatest sum.
type unigram struct {
	pieces       *trie
	scores       []float64
	unknown      int32
	unknownScore float64
	single       bool // scores are summed in single precision, as SentencePiece does
	fallback     bool
	fallbackIDs  [256]int32
}

// node is the best way to a byte of a text: its score, and the piece it ends with.
type node struct {
	score    float64
	from, id int32 // from is -1 where nothing leads here
}

const unknownPenalty = 10

func (p *parser) unigram(f *unigramFile) error {
	if f.unknown == nil {
		return unsupported("a model without an unk_id is not supported")
	}
	if *f.unknown < 0 || *f.unknown >= len(f.vocab) {
		return fmt.Errorf("unk_id is %d of %d pieces", *f.unknown, len(f.vocab))
	}
	m := &unigram{pieces: newTrie(), unknown: int32(*f.unknown), fallback: f.byteFallback}
	if err := m.add(p, f.vocab, func(int) bool { return true }); err != nil {
		return err
	}
	p.t.model = m
	return nil
}

// add takes the pieces of a vocabulary, and makes those tokens of texts that are found in them.
func (m *unigram) add(p *parser, vocab []scoredPiece, found func(id int) bool) error {
	t := p.t
	m.unknownScore = math.Inf(1)
	t.ids = make(map[string]int32, len(vocab))
	for id, v := range vocab {
		if err := p.goes(); err != nil {
			return err
		}
		if _, again := t.ids[v.piece]; again {
			return fmt.Errorf("the piece %.80q is there twice", v.piece)
		}
		t.ids[v.piece] = int32(id)
		if math.IsInf(v.score, 0) {
			return fmt.Errorf("the score of %q is out of range", v.piece)
		}
		m.scores = append(m.scores, v.score)
		if !found(id) {
			continue
		}
		m.unknownScore = min(m.unknownScore, v.score)
		if v.piece == "" {
			continue
		}
		if err := m.pieces.add(v.piece, int32(id)); err != nil {
			return err
		}
	}
	m.unknownScore = m.sum(m.unknownScore, -unknownPenalty)
	for b := range m.fallbackIDs {
		id, ok := t.ids[fmt.Sprintf("<0x%02X>", b)]
		if m.fallbackIDs[b] = id; !ok {
			m.fallbackIDs[b] = -1
		}
	}
	return nil
}

// sum adds scores in the precision of the model.
func (m *unigram) sum(a, b float64) float64 {
	if m.single {
		return float64(float32(a) + float32(b))
	}
	return a + b
}

func (m *unigram) encode(s *Scratch, dst []int32, start, end int) ([]int32, error) {
	text := s.text.bytes[start:end]
	if cap(s.lattice) <= len(text) {
		s.lattice = make([]node, 2*len(text)+64)
	}
	best := s.lattice[:len(text)+1]
	best[0] = node{}
	for i := 1; i < len(best); i++ {
		best[i].from = -1
	}
	for at := 0; at < len(text); {
		here := best[at].score
		size := 1
		if text[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(text[at:])
		}
		single := false
		for i, piece := at, uint32(0); i < len(text); i++ {
			if piece = m.pieces.child(piece, text[i]); piece == 0 {
				break
			}
			if id := m.pieces.values[piece]; id >= 0 {
				to := &best[i+1]
				if score := m.sum(m.scores[id], here); to.from < 0 || score > to.score {
					*to = node{score, int32(at), id}
				}
				single = single || i+1-at == size
			}
		}
		if !single {
			to := &best[at+size]
			if score := m.sum(m.unknownScore, here); to.from < 0 || score > to.score {
				*to = node{score, int32(at), m.unknown}
			}
		}
		at += size
	}
	s.path = s.path[:0]
	for at := int32(len(text)); at > 0; at = best[at].from {
		s.path = append(s.path, at)
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		to := s.path[i]
		id, from := best[to].id, best[to].from
		if id != m.unknown {
			dst = append(dst, id)
			s.ended(start + int(to))
			continue
		}
		// Unknown characters in a row are one token.
		for i > 0 && best[s.path[i-1]].id == m.unknown {
			i--
		}
		dst = m.appendUnknown(s, dst, text[from:s.path[i]], start+int(from))
	}
	return dst, nil
}

func (m *unigram) appendUnknown(s *Scratch, dst []int32, part []byte, start int) []int32 {
	id := m.pieces.value(part)
	if id < 0 && m.fallback && m.hasBytes(part) {
		for i, b := range part {
			dst = append(dst, m.fallbackIDs[b])
			s.ended(start + i + 1)
		}
		return dst
	}
	s.ended(start + len(part))
	if id < 0 {
		id = m.unknown
	}
	return append(dst, id)
}

func (m *unigram) hasBytes(part []byte) bool {
	for _, b := range part {
		if m.fallbackIDs[b] < 0 {
			return false
		}
	}
	return true
}
