package tokenizer

import (
	"encoding/json"
	"fmt"
	"math"
)

func (p *parser) model(data json.RawMessage) error {
	if absent(data) {
		return fmt.Errorf("it is missing")
	}
	kind, err := kindName(data)
	if err != nil {
		return err
	}
	if kind == "" { // files of old releases leave it out
		var has map[string]json.RawMessage
		if err := json.Unmarshal(data, &has); err != nil {
			return err
		}
		switch {
		case has["merges"] != nil:
			kind = "BPE"
		case has["max_input_chars_per_word"] != nil:
			kind = "WordPiece"
		case has["unk_id"] != nil:
			kind = "Unigram"
		}
	}
	p.t.kind = kind
	switch kind {
	case "WordPiece":
		var f struct {
			Unknown string            `json:"unk_token"`
			Prefix  string            `json:"continuing_subword_prefix"`
			Longest *int              `json:"max_input_chars_per_word"`
			Vocab   map[string]uint32 `json:"vocab"`
		}
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		if f.Longest == nil {
			return fmt.Errorf("WordPiece: max_input_chars_per_word is missing")
		}
		return p.wordPiece(f.Vocab, f.Unknown, f.Prefix, *f.Longest)
	case "BPE":
		var f bpeFile
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		return p.bpe(&f)
	case "Unigram":
		var f unigramFile
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		return p.unigram(&f)
	}
	return fmt.Errorf("%q is %w", kind, errUnsupported)
}

// vocabulary checks the ids of a file.
func (p *parser) vocabulary(ids map[string]uint32) error {
	p.t.ids = make(map[string]int32, len(ids))
	for piece, id := range ids {
		if id > math.MaxInt32-1 {
			return fmt.Errorf("the id %d of %q is %w", id, piece, errUnsupported)
		}
		p.t.ids[piece] = int32(id)
	}
	return nil
}

func (p *parser) wordPiece(ids map[string]uint32, unknown, prefix string, longest int) error {
	if err := p.vocabulary(ids); err != nil {
		return err
	}
	m, err := newWordPiece(p.t.ids, unknown, prefix, longest)
	if err != nil {
		return err
	}
	p.t.model = m
	return nil
}
