package tokenizer

import (
	"errors"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

func (p *parser) model(data []byte) error {
	if absent(data) {
		return errors.New("it is missing")
	}
	m, err := p.members(data, "type", "vocab", "merges", "unk_id", "unk_token", "byte_fallback", "continuing_subword_prefix",
		"max_input_chars_per_word", "dropout", "end_of_word_suffix", "fuse_unk", "ignore_merges")
	if err != nil {
		return err
	}
	kind := ""
	if err := p.member(m, "type", &kind); err != nil {
		return err
	}
	if kind == "" { // files of old releases leave it out
		switch {
		case m["merges"] != nil:
			kind = "BPE"
		case m["max_input_chars_per_word"] != nil:
			kind = "WordPiece"
		case m["unk_id"] != nil:
			kind = "Unigram"
		}
	}
	p.t.kind = kind
	switch kind {
	case "WordPiece":
		return p.wordPieceOf(m)
	case "BPE":
		return p.bpeOf(m)
	case "Unigram":
		return p.unigramOf(m)
	}
	return unsupported("the type %q is not supported; BPE, Unigram and WordPiece are", kind)
}

// vocabulary reads the ids of pieces.
func (p *parser) vocabulary(data []byte) error {
	p.t.ids = map[string]int32{}
	if absent(data) {
		return nil
	}
	return jsonfile.EachMember(p.ctx, data, func(piece string, value []byte) error {
		id, err := jsonfile.Unsigned(value)
		switch {
		case err != nil:
			return fmt.Errorf("the id of %.40q: %w", piece, err)
		case id > math.MaxInt32-1:
			return unsupported("the id of %.40q is %d; at most %d is read", piece, id, math.MaxInt32-1)
		case len(p.t.ids) == maxPieces:
			return unsupported("there are over %d pieces", maxPieces)
		}
		p.t.ids[piece] = int32(id)
		return nil
	})
}

func (p *parser) wordPieceOf(m object) error {
	var unknown, prefix string
	var longest *int
	for name, to := range map[string]any{
		"unk_token": &unknown, "continuing_subword_prefix": &prefix, "max_input_chars_per_word": &longest,
	} {
		if err := p.member(m, name, to); err != nil {
			return err
		}
	}
	if longest == nil {
		return errors.New("max_input_chars_per_word is missing")
	}
	if err := p.vocabulary(m["vocab"]); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	return p.wordPiece(unknown, prefix, *longest)
}
