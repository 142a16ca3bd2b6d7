package tokenizer

import (
	"iter"
	"maps"
)

// WithoutSpecials returns a tokenizer that puts no special tokens around a text.
func (t *Tokenizer) WithoutSpecials() *Tokenizer {
	plain := *t
	plain.around, plain.endsOnce = template{}, false
	return &plain
}

// Lowercased returns a tokenizer that makes lower case of a text first, character by character.
func (t *Tokenizer) Lowercased() *Tokenizer {
	lowered := *t
	lowered.normalizers = append(normalizers{lowercase{}}, t.normalizers...)
	return &lowered
}

// Around returns the special tokens before and after each text. The lists must not be changed.
func (t *Tokenizer) Around() (before, after []int32) { return t.around.before, t.around.after }

// Unknown returns the id of what the model has no token for. Byte-level models need none.
func (t *Tokenizer) Unknown() (id int32, ok bool) {
	switch m := t.model.(type) {
	case *wordPiece:
		return m.unknown, true
	case *bpe:
		return m.unknown, m.unknown >= 0
	case *unigram:
		return m.unknown, true
	case *afterTokens:
		return m.unknown, true
	}
	return 0, false
}

// Tokens returns all tokens as the file spells them, with their ids, in no order.
func (t *Tokenizer) Tokens() iter.Seq2[string, int32] { return maps.All(t.ids) }
