package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// wordPiece takes the longest piece from the left, again and again; a word that does not end so is
// unknown as a whole.
type wordPiece struct {
	pieces    *trie
	continued uint32 // the node that all pieces after the first begin at
	goesOn    bool   // whether there are such pieces
	unknown   int32
	longest   int // code points of a word that is not unknown at once
}

// wordPiece makes the model of the vocabulary.
func (p *parser) wordPiece(unknown, prefix string, longest int) error {
	w := &wordPiece{pieces: newTrie(), longest: longest}
	for piece, id := range p.t.ids {
		if err := p.goes(); err != nil {
			return err
		}
		if piece == "" {
			continue
		}
		if err := w.pieces.add(piece, id); err != nil {
			return err
		}
	}
	id, ok := p.t.ids[unknown]
	if !ok {
		return fmt.Errorf("the unknown token %.80q is not in the vocabulary", unknown)
	}
	w.unknown = id
	w.continued, w.goesOn = w.pieces.walk(0, []byte(prefix))
	p.t.model = w
	return nil
}

// countRunes is utf8.RuneCount, which allocates in Go 1.26.
func countRunes(word []byte) (count int) {
	for _, b := range word {
		if utf8.RuneStart(b) {
			count++
		}
	}
	return count
}

func (w *wordPiece) encode(s *Scratch, dst []int32, start, end int) ([]int32, error) {
	word := s.text.bytes[start:end]
	if len(word) > w.longest && countRunes(word) > w.longest {
		s.ended(end)
		return append(dst, w.unknown), nil
	}
	before, beforeEnds := len(dst), len(s.ends)
	for at := 0; at < len(word); {
		node, found, foundEnd := uint32(0), int32(-1), 0
		if at > 0 {
			node = w.continued
		}
		if at == 0 || w.goesOn {
			for i := at; i < len(word); i++ {
				if node = w.pieces.child(node, word[i]); node == 0 {
					break
				}
				if value := w.pieces.values[node]; value >= 0 {
					found, foundEnd = value, i+1
				}
			}
		}
		if found < 0 {
			s.ends = s.ends[:beforeEnds]
			s.ended(end)
			return append(dst[:before], w.unknown), nil
		}
		dst = append(dst, found)
		s.ended(start + foundEnd)
		at = foundEnd
	}
	return dst, nil
}
