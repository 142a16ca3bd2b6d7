package tokenizer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// template is what stands around the tokens of a text.
type template struct{ before, after []int32 }

// around puts this template around another.
func (t template) around(inner template) template {
	return template{append(append([]int32{}, t.before...), inner.before...), append(append([]int32{}, inner.after...), t.after...)}
}

// special is a token with its id, as post-processors write it.
type special struct {
	token string
	id    uint32
}

// decodePair reads a list of two values.
func decodePair(data []byte, do func(first, second []byte) error) error {
	var pair [2][]byte
	count := 0
	err := jsonfile.EachElement(context.Background(), data, func(value []byte) error {
		if count < len(pair) {
			pair[count] = value
		}
		count++
		return nil
	})
	if err != nil {
		return err
	}
	if count != len(pair) {
		return fmt.Errorf("a list of %d where two belong", count)
	}
	return do(pair[0], pair[1])
}

func (s *special) UnmarshalJSON(data []byte) error {
	return decodePair(data, func(first, second []byte) (err error) {
		if s.token, err = jsonfile.String(first); err != nil {
			return err
		}
		id, err := jsonfile.Unsigned(second)
		s.id = uint32(min(id, math.MaxUint32))
		return err
	})
}

func (p *parser) postProcessor(data json.RawMessage, depth int) (around template, err error) {
	if absent(data) {
		return around, nil
	}
	if err := p.step(depth); err != nil {
		return around, err
	}
	kind, err := p.kindName(data)
	if err != nil {
		return around, err
	}
	switch kind {
	case "Sequence":
		var f struct {
			Processors []json.RawMessage `json:"processors"`
		}
		if err := p.decode(data, &f); err != nil {
			return around, err
		}
		for _, inner := range f.Processors {
			outer, err := p.postProcessor(inner, depth+1)
			if err != nil {
				return around, err
			}
			around = outer.around(around)
		}
		return around, nil
	case "ByteLevel": // changes offsets alone
		return around, nil
	case "BertProcessing", "RobertaProcessing":
		var f struct {
			Sep *special `json:"sep"`
			Cls *special `json:"cls"`
		}
		if err := p.decode(data, &f); err != nil {
			return around, err
		}
		if f.Sep == nil || f.Cls == nil {
			return around, fmt.Errorf("%s: sep or cls is missing", kind)
		}
		if around.before, err = appendIDs(nil, f.Cls.id); err == nil {
			around.after, err = appendIDs(nil, f.Sep.id)
		}
		return around, err
	case "TemplateProcessing":
		around, err := p.parseTemplate(data)
		if err != nil {
			return around, fmt.Errorf("%s: %w", kind, err)
		}
		return around, nil
	}
	return around, unsupported("the type %q is not supported", kind)
}

func appendIDs(dst []int32, ids ...uint32) ([]int32, error) {
	for _, id := range ids {
		if id > math.MaxInt32-1 {
			return dst, unsupported("the id %d is too large; at most %d is read", id, math.MaxInt32-1)
		}
		dst = append(dst, int32(id))
	}
	return dst, nil
}

func (p *parser) parseTemplate(data json.RawMessage) (around template, err error) {
	var f struct {
		Single []struct {
			Special *struct {
				ID string `json:"id"`
			} `json:"SpecialToken"`
			Sequence *struct {
				ID string `json:"id"`
			} `json:"Sequence"`
		} `json:"single"`
		Tokens map[string]struct {
			IDs []uint32 `json:"ids"`
		} `json:"special_tokens"`
	}
	if err := p.decode(data, &f); err != nil {
		return around, err
	}
	seen := false
	for _, part := range f.Single {
		switch {
		case part.Sequence != nil:
			if seen || part.Sequence.ID != "A" {
				return around, unsupported("a template that does not have the one text once is not supported")
			}
			seen = true
		case part.Special != nil:
			token, ok := f.Tokens[part.Special.ID]
			if !ok {
				return around, fmt.Errorf("%q is not among the special tokens", part.Special.ID)
			}
			list := &around.before
			if seen {
				list = &around.after
			}
			if *list, err = appendIDs(*list, token.IDs...); err != nil {
				return around, err
			}
		default:
			return around, unsupported("an empty part of a template is not supported")
		}
	}
	if !seen {
		return around, unsupported("a template that does not have the one text once is not supported")
	}
	return around, nil
}
