package tokenizer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

type fileToken struct {
	ID         *uint32 `json:"id"`
	Content    string  `json:"content"`
	SingleWord bool    `json:"single_word"`
	LStrip     bool    `json:"lstrip"`
	RStrip     bool    `json:"rstrip"`
	Normalized bool    `json:"normalized"`
}

// Parse reads a tokenizer.json. Like the reference it takes the last of several entries of one
// name, and gives an added token the id that the vocabulary has for it. An error about what this
// package lacks wraps [errors.ErrUnsupported] and names it. Once ctx is done, Parse returns its
// error within the time of a few megabytes.
func Parse(ctx context.Context, data []byte) (*Tokenizer, error) {
	if len(data) > maxFile {
		return nil, unsupported("it has %d bytes; at most %d are read", len(data), maxFile)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	t := &Tokenizer{}
	p := parser{ctx: ctx, t: t}
	sections, err := p.members(data, "version", "normalizer", "pre_tokenizer", "model", "added_tokens", "post_processor")
	if err != nil {
		return nil, err
	}
	version := ""
	if err := p.member(sections, "version", &version); err != nil {
		return nil, err
	}
	if version != "" && version != "1.0" {
		return nil, unsupported("version %q is not supported; 1.0 is", version)
	}
	for _, section := range []struct {
		name string
		read func(data []byte) error
	}{
		{"normalizer", func(data []byte) error { return p.normalizer(data, 0) }},
		{"pre_tokenizer", func(data []byte) error { return p.preTokenizer(data, 0) }},
		{"model", p.model},
		{"added_tokens", p.addedTokens},
		{"post_processor", func(data []byte) (err error) {
			t.around, err = p.postProcessor(data, 0)
			return err
		}},
	} {
		if err := section.read(sections[section.name]); err != nil {
			return nil, fmt.Errorf("%s: %w", section.name, err)
		}
	}
	t.measure()
	return t, nil
}

// addedTokens reads the list of added tokens.
func (p *parser) addedTokens(data []byte) error {
	var tokens []fileToken
	if !absent(data) {
		err := jsonfile.EachElement(p.ctx, data, func(value []byte) error {
			var token fileToken
			if err := p.decode(value, &token); err != nil {
				return fmt.Errorf("token %d: %w", len(tokens), err)
			}
			tokens = append(tokens, token)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return p.addTokens(tokens)
}

// measure sets the size, once all ids are known.
func (t *Tokenizer) measure() {
	for _, id := range t.ids {
		t.size = max(t.size, int(id)+1)
	}
	for _, id := range append(append([]int32{}, t.around.before...), t.around.after...) {
		t.size = max(t.size, int(id)+1)
	}
}

// addTokens finds the ids of added tokens, and adds those to the vocabulary that are new.
func (p *parser) addTokens(tokens []fileToken) error {
	if len(tokens) > maxAdded {
		return unsupported("there are %d; at most %d are read", len(tokens), maxAdded)
	}
	t := p.t
	t.added, t.normalized = newAddedTokens(), newAddedTokens()
	size := len(t.ids)
	next, chosen := size, map[string]addedToken{}
	var order []string
	for _, token := range tokens {
		if token.Content == "" {
			continue
		}
		if len(token.Content) > longestPiece {
			return unsupported("%.40q… has %d bytes; at most %d are read", token.Content, len(token.Content), longestPiece)
		}
		id, known := t.ids[token.Content]
		if !known {
			if next > math.MaxInt32 {
				return fmt.Errorf("%q has no id left", token.Content)
			}
			id = int32(next)
			next++
		}
		if token.ID != nil && int64(*token.ID) != int64(id) {
			return fmt.Errorf("%q has id %d in the list and %d in the vocabulary", token.Content, *token.ID, id)
		}
		if _, again := chosen[token.Content]; !again {
			order = append(order, token.Content)
		}
		chosen[token.Content] = addedToken{token.Content, id, token.SingleWord, token.LStrip, token.RStrip, token.Normalized}
		t.ids[token.Content] = id
	}
	var s Scratch
	for _, content := range order {
		if err := p.goes(); err != nil {
			return err
		}
		token := chosen[content]
		if !token.normalized {
			if err := t.added.add(token, content); err != nil {
				return err
			}
			continue
		}
		s.text.reset(false)
		s.text.bytes = append(s.text.bytes, content...)
		s.limit = limitOf(len(content))
		if err := t.normalizers.normalize(&s); err != nil {
			return err
		}
		if err := t.normalized.add(token, string(s.text.bytes)); err != nil {
			return err
		}
	}
	return nil
}

// pattern is how files write what to look for.
type pattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

func (p pattern) matcher() (matcher, error) {
	switch {
	case p.String != nil && *p.String != "":
		return literal(*p.String), nil
	case p.Regex != nil:
		return newMatcher(*p.Regex)
	}
	return nil, unsupported("an empty pattern is not supported")
}

func (p *parser) normalizer(data json.RawMessage, depth int) error {
	if absent(data) {
		return nil
	}
	if err := p.step(depth); err != nil {
		return err
	}
	kind, err := p.kindName(data)
	if err != nil {
		return err
	}
	var n normalizer
	switch kind {
	case "Sequence":
		var f struct {
			Normalizers []json.RawMessage `json:"normalizers"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		for _, inner := range f.Normalizers {
			if err := p.normalizer(inner, depth+1); err != nil {
				return err
			}
		}
		return nil
	case "BertNormalizer":
		f := struct {
			Clean      bool  `json:"clean_text"`
			Ideographs bool  `json:"handle_chinese_chars"`
			Accents    *bool `json:"strip_accents"`
			Lower      bool  `json:"lowercase"`
		}{true, true, nil, true}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		accents := f.Lower
		if f.Accents != nil {
			accents = *f.Accents
		}
		n = newBertNormalizer(f.Clean, f.Ideographs, accents, f.Lower)
	case "NFC":
		n = unicodeForm{composes: true}
	case "NFD":
		n = unicodeForm{}
	case "NFKC":
		n = unicodeForm{composes: true, compatible: true}
	case "NFKD":
		n = unicodeForm{compatible: true}
	case "Lowercase":
		n = lowercase{}
	case "StripAccents":
		n = dropper(isCombining)
	case "Nmt":
		n = nmt{}
	case "ByteLevel":
		n = byteNormalizer{}
	case "Strip":
		var f struct {
			Left  bool `json:"strip_left"`
			Right bool `json:"strip_right"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		n = strip{f.Left, f.Right}
	case "Prepend":
		var f struct {
			Prepend string `json:"prepend"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		n = prepend(f.Prepend)
	case "Replace":
		var f struct {
			Pattern pattern `json:"pattern"`
			Content string  `json:"content"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		m, err := f.Pattern.matcher()
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		n = replace{m, f.Content}
	case "Precompiled":
		var f struct {
			Charsmap string `json:"precompiled_charsmap"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		charsmap, err := base64.StdEncoding.DecodeString(f.Charsmap)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		if n, err = newPrecompiled(charsmap); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	default:
		return unsupported("the type %q is not supported", kind)
	}
	p.t.normalizers = append(p.t.normalizers, n)
	return nil
}

func (p *parser) preTokenizer(data json.RawMessage, depth int) error {
	if absent(data) {
		return nil
	}
	if err := p.step(depth); err != nil {
		return err
	}
	kind, err := p.kindName(data)
	if err != nil {
		return err
	}
	var n preTokenizer
	var isBytes *byteLevel
	switch kind {
	case "Sequence":
		var f struct {
			PreTokenizers []json.RawMessage `json:"pretokenizers"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		for _, inner := range f.PreTokenizers {
			if err := p.preTokenizer(inner, depth+1); err != nil {
				return err
			}
		}
		return nil
	case "BertPreTokenizer":
		n = bertPreTokenizer{}
	case "ByteLevel":
		f := struct {
			PrefixSpace bool `json:"add_prefix_space"`
			Regex       bool `json:"use_regex"`
		}{true, true}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		isBytes = &byteLevel{prefixSpace: f.PrefixSpace, splits: f.Regex}
		n = isBytes
	case "Whitespace":
		n = &splitter{wordMatcher{}, removed, true}
	case "WhitespaceSplit":
		n = &splitter{flagMatcher(isSpace), removed, false}
	case "Digits":
		var f struct {
			Individual bool `json:"individual_digits"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		n = &splitter{flagMatcher(isNumeric), contiguous, false}
		if f.Individual {
			n = &splitter{flagMatcher(isNumeric), isolated, false}
		}
	case "Punctuation":
		f := struct {
			Behavior string `json:"behavior"`
		}{"Isolated"}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		b, ok := behaviors[f.Behavior]
		if !ok {
			return unsupported("%s: behavior %q is not supported", kind, f.Behavior)
		}
		n = &splitter{flagMatcher(isPunctuation), b, false}
	case "CharDelimiterSplit", "Delimiter":
		var f struct {
			Delimiter string `json:"delimiter"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		if utf8.RuneCountInString(f.Delimiter) != 1 {
			return fmt.Errorf("%s: %q is not one character", kind, f.Delimiter)
		}
		n = &splitter{literal(f.Delimiter), removed, false}
	case "Split":
		var f struct {
			Pattern  pattern `json:"pattern"`
			Behavior string  `json:"behavior"`
			Invert   bool    `json:"invert"`
		}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		m, err := f.Pattern.matcher()
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		b, ok := behaviors[f.Behavior]
		if !ok {
			return unsupported("%s: behavior %q is not supported", kind, f.Behavior)
		}
		n = &splitter{m, b, f.Invert}
	case "Metaspace":
		f := struct {
			Mark   string `json:"replacement"`
			Prefix *bool  `json:"add_prefix_space"`
			Scheme string `json:"prepend_scheme"`
			Split  *bool  `json:"split"`
		}{Scheme: "always"}
		if err := p.decode(data, &f); err != nil {
			return err
		}
		m := &metaspace{mark: f.Mark, splits: f.Split == nil || *f.Split}
		if utf8.RuneCountInString(f.Mark) != 1 {
			return fmt.Errorf("%s: %q is not one character", kind, f.Mark)
		}
		switch f.Scheme {
		case "always":
		case "first":
			m.scheme, p.t.needsOrigin = first, true
		case "never":
			m.scheme = never
		default:
			return unsupported("%s: prepend_scheme %q is not supported", kind, f.Scheme)
		}
		if f.Prefix != nil && !*f.Prefix {
			if m.scheme != never {
				return fmt.Errorf("%s: add_prefix_space is not what prepend_scheme says", kind)
			}
		}
		n = m
	default:
		return unsupported("the type %q is not supported", kind)
	}
	p.t.preTokenizers = append(p.t.preTokenizers, n)
	p.isBytes = isBytes
	return nil
}
