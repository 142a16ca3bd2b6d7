package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// model makes tokens of a piece of the text of a Scratch.
type model interface {
	encode(s *Scratch, dst []int32, start, end int) ([]int32, error)
}

// Tokenizer makes tokens of texts. It does not change once made: any number of goroutines may use
// it, each with a [Scratch] of its own.
type Tokenizer struct {
	kind              string
	added, normalized *addedTokens // in the text as it is, and in the normalized one
	normalizers       normalizers
	preTokenizers     []preTokenizer
	model             model
	around            template
	needsOrigin       bool // a step asks where a piece begins
	endsOnce          bool // a text that ends with the last token gets no second one
	ids               map[string]int32
	size              int
}

// Kind is the model: "WordPiece", "BPE" or "Unigram".
func (t *Tokenizer) Kind() string { return t.kind }

// Size is one more than the largest id that Encode may append. An embedding table needs as many
// rows.
func (t *Tokenizer) Size() int { return t.size }

// ID is the id of a token as its file spells it.
func (t *Tokenizer) ID(token string) (id int32, ok bool) {
	id, ok = t.ids[token]
	return id, ok
}

// Encode appends the ids of a text to dst, with the special tokens that the file puts around it. At
// most max ids are appended: the ones past it are left out from the end of the text, so that the
// special tokens stay. A max of 0 or less is no limit.
//
// covered is how many bytes of the text the ids stand for: all of them where nothing was left out,
// else up to the end of the last character that has a part in an id. A text that is not UTF-8, one
// over 1 GiB, and a max that leaves no room for the special tokens are errors. Encode takes time
// and memory in proportion to the text, and allocates nothing once the scratch and dst have grown.
func (t *Tokenizer) Encode(s *Scratch, dst []int32, text []byte, max int) (ids []int32, covered int, err error) {
	if len(text) > 1<<30 {
		return dst, 0, unsupported("tokenizer: the text has %d bytes; at most %d are read", len(text), 1<<30)
	}
	if !utf8.Valid(text) {
		at := 0
		for c, size := utf8.DecodeRune(text); c != utf8.RuneError || size != 1; c, size = utf8.DecodeRune(text[at:]) {
			at += size
		}
		return dst, 0, fmt.Errorf("tokenizer: the text is not UTF-8 at byte %d", at)
	}
	room := math.MaxInt
	if max > 0 {
		if room = max - len(t.around.before) - len(t.around.after); room < 0 {
			return dst, 0, fmt.Errorf("tokenizer: %d tokens leave no room for the special ones, which are %d", max,
				max-room)
		}
	}
	start := len(dst)
	dst = append(dst, t.around.before...)
	first := len(dst)
	dst, err = t.encode(s, dst, text, room, t.needsOrigin)
	if err == nil {
		covered = len(text)
		if len(dst)-first > room {
			// Where tokens end matters only for a text that is cut, so it is asked for once that is
			// known.
			if !t.needsOrigin {
				dst, err = t.encode(s, dst[:first], text, room, true)
			}
			dst, covered = dst[:first+room], 0
			if room > 0 {
				covered = int(s.ends[room-1])
			}
		}
	}
	if err != nil {
		return dst[:start], 0, fmt.Errorf("tokenizer: %w", err)
	}
	if t.endsOnce && len(dst) > first && dst[len(dst)-1] == t.around.after[0] {
		return dst, covered, nil
	}
	return append(dst, t.around.after...), covered, nil
}

// encode appends the ids of a text, and stops where they are more than there is room for.
func (t *Tokenizer) encode(s *Scratch, dst []int32, text []byte, room int, tracked bool) ([]int32, error) {
	s.ends = s.ends[:0]
	if len(t.added.tokens) == 0 {
		return t.encodePart(s, dst, text, 0, room, tracked)
	}
	first := len(dst)
	var err error
	// A part between two tokens goes through all stages before the next is looked for.
	s.outer = t.added.split(s.outer[:0], text)
	for _, part := range s.outer {
		if part.id != isText {
			dst = append(dst, part.id)
			if tracked {
				s.ends = append(s.ends, part.end)
			}
		} else if dst, err = t.encodePart(s, dst, text[part.start:part.end], int(part.start), room-(len(dst)-first),
			tracked); err != nil {
			return dst, err
		}
		if len(dst)-first > room {
			break
		}
	}
	return dst, nil
}

// encodePart appends the ids of a part of a text that has none of the tokens that are found before
// normalizing.
func (t *Tokenizer) encodePart(s *Scratch, dst []int32, text []byte, offset, room int, tracked bool) ([]int32, error) {
	first := len(dst)
	s.text.reset(tracked)
	s.text.bytes = append(s.text.bytes, text...)
	if tracked {
		for i := 0; i < len(text); {
			_, size := utf8.DecodeRune(text[i:])
			for range size {
				s.text.spans = append(s.text.spans, span{int32(offset + i), int32(offset + i + size)})
			}
			i += size
		}
	}
	s.limit = limitOf(len(text))
	if err := t.normalizers.normalize(s); err != nil {
		return dst, err
	}
	s.pieces = t.normalized.split(s.pieces[:0], s.text.bytes)
	for _, p := range t.preTokenizers {
		p.split(s)
		if err := s.grown(); err != nil {
			return dst, err
		}
	}
	for _, p := range s.pieces {
		if p.id != isText {
			dst = append(dst, p.id)
			s.ended(int(p.end))
		} else if p.start < p.end {
			var err error
			if dst, err = t.model.encode(s, dst, int(p.start), int(p.end)); err != nil {
				return dst, err
			}
		}
		if len(dst)-first > room {
			break
		}
	}
	if tracked {
		for i := len(s.ends) - (len(dst) - first); i < len(s.ends); i++ {
			s.ends[i] = s.text.spans[s.ends[i]-1].to
		}
	}
	return dst, nil
}
