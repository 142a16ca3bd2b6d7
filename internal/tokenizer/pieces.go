package tokenizer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// pieceFiles are the models of SentencePiece that classes of tokenizers read.
var pieceFiles = map[string]string{
	"XLMRoberta": "sentencepiece.bpe.model",
	"Camembert":  "sentencepiece.bpe.model",
	"T5":         "spiece.model",
	"Siglip":     "spiece.model",
	"Llama":      "tokenizer.model",
}

// pieceClasses are the classes of models whose folders do not name one.
var pieceClasses = map[string]string{
	"xlm-roberta": "XLMRoberta", "camembert": "Camembert", "t5": "T5", "siglip": "Siglip", "llama": "Llama",
}

// piecesConfig is what the files beside a model of SentencePiece say.
type piecesConfig struct {
	Bos         *pieceToken           `json:"bos_token"`
	Eos         *pieceToken           `json:"eos_token"`
	Unknown     *pieceToken           `json:"unk_token"`
	Sep         *pieceToken           `json:"sep_token"`
	Pad         *pieceToken           `json:"pad_token"`
	Cls         *pieceToken           `json:"cls_token"`
	Mask        *pieceToken           `json:"mask_token"`
	Extra       pieceTokens           `json:"extra_special_tokens"`
	Additional  pieceTokens           `json:"additional_special_tokens"`
	Decoder     map[string]pieceToken `json:"added_tokens_decoder"`
	PrefixSpace *bool                 `json:"add_prefix_space"`
	Lower       *bool                 `json:"do_lower_case"`
	AddBos      bool                  `json:"add_bos_token"`
	AddEos      bool                  `json:"add_eos_token"`
	Legacy      *bool                 `json:"legacy"`
	ExtraIDs    *int                  `json:"extra_ids"`
}

// pieceToken is a special token, a string or an object. Without a word on it, one is found in the
// text as it is.
type pieceToken struct{ fileToken }

func (t *pieceToken) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return jsonfile.Decode(data, &t.Content)
	}
	var flags struct {
		Special    bool  `json:"special"`
		Normalized *bool `json:"normalized"`
	}
	if err := jsonfile.Decode(data, &flags); err != nil {
		return err
	}
	if err := jsonfile.Decode(data, &t.fileToken); err != nil {
		return err
	}
	t.ID = nil
	t.Normalized = flags.Normalized == nil && !flags.Special || flags.Normalized != nil && *flags.Normalized
	return nil
}

// pieceTokens are others, nil where the files list none. Newer folders have an empty object then.
type pieceTokens []pieceToken

func (t *pieceTokens) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return jsonfile.Decode(data, (*[]pieceToken)(t))
	}
	var named map[string]json.RawMessage
	if err := jsonfile.Decode(data, &named); err != nil {
		return err
	}
	if len(named) > 0 {
		return unsupported("extra_special_tokens that have names are not supported; save the tokenizer as tokenizer.json")
	}
	return nil
}

// orToken returns a token, or the usual one.
func orToken(token *pieceToken, otherwise fileToken) fileToken {
	if token == nil {
		return otherwise
	}
	return token.fileToken
}

// pieces makes the tokenizer of a folder that has a model of SentencePiece, as the class does that
// tokenizer_config.json names. found is a model that the folder has.
func (l loader) pieces(class, found string) (*Tokenizer, error) {
	if class == "" {
		var c struct {
			Class string `json:"tokenizer_class"`
			Model string `json:"model_type"`
		}
		if err := l.optional("config.json", &c); err != nil {
			return nil, err
		}
		if class = className(c.Class); class == "" {
			class = pieceClasses[c.Model]
		}
	}
	name, known := pieceFiles[class]
	if !known {
		return nil, unsupported("%s is not supported for the class %q; save the tokenizer as tokenizer.json", l.name(found), class+"Tokenizer")
	}
	data, err := l.read(name, maxFile)
	if err != nil {
		return nil, err
	}
	m, err := parseModelProto(l.ctx, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name(name), err)
	}
	var c piecesConfig
	if err := l.optional("tokenizer_config.json", &c); err != nil {
		return nil, err
	}
	if c.Decoder == nil { // folders of older releases
		if err := l.optional("special_tokens_map.json", &c); err != nil {
			return nil, err
		}
		added := map[string]uint32{}
		if err := l.optional("added_tokens.json", &added); err != nil {
			return nil, err
		}
		c.Decoder = map[string]pieceToken{}
		for token, id := range added {
			c.Decoder[strconv.FormatUint(uint64(id), 10)] = pieceToken{fileToken{Content: token, Normalized: !c.special(token)}}
		}
	}
	t, err := m.tokenizer(l.ctx, class, &c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name(name), err)
	}
	return t, nil
}

func className(class string) string {
	return strings.TrimSuffix(strings.TrimSuffix(class, "Fast"), "Tokenizer")
}

// optional reads a JSON file that may be absent.
func (l loader) optional(name string, to any) error {
	data, err := l.read(name, maxValue)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := jsonfile.Decode(data, to); err != nil {
		return fmt.Errorf("%s: %w", l.name(name), err)
	}
	return nil
}

func (c *piecesConfig) special(content string) bool {
	for _, token := range []*pieceToken{c.Bos, c.Eos, c.Unknown, c.Sep, c.Pad, c.Cls, c.Mask} {
		if token != nil && token.Content == content {
			return true
		}
	}
	return false
}

// spaceMark is how SentencePiece writes a space.
const spaceMark = "\u2581"

// tokenizer makes the tokenizer of a class.
func (m *modelProto) tokenizer(ctx context.Context, class string, c *piecesConfig) (*Tokenizer, error) {
	p := parser{ctx: ctx, t: &Tokenizer{kind: "Unigram"}}
	plain := func(content string) fileToken { return fileToken{Content: content} }
	unknown, eos := orToken(c.Unknown, plain("<unk>")), orToken(c.Eos, plain("</s>"))
	named := []fileToken{orToken(c.Bos, plain("")), eos, unknown, orToken(c.Sep, plain("")), orToken(c.Pad, plain("")),
		orToken(c.Cls, plain("")), orToken(c.Mask, plain(""))}
	var extra []string
	if class == "T5" {
		count := 100
		if c.ExtraIDs != nil {
			count = *c.ExtraIDs
		}
		if count < 0 || count > maxPieces {
			return nil, fmt.Errorf("extra_ids is %d", count)
		}
		for i := range count {
			extra = append(extra, fmt.Sprintf("<extra_id_%d>", i))
		}
	}
	var first, last string
	var err error
	switch class {
	case "XLMRoberta", "Camembert":
		bos, pad, mask := orToken(c.Bos, plain("<s>")), orToken(c.Pad, plain("<pad>")), orToken(c.Mask, plain("<mask>"))
		if class == "Camembert" && c.Mask == nil {
			mask.LStrip = true
		}
		named = []fileToken{bos, eos, unknown, orToken(c.Sep, plain("</s>")), pad, orToken(c.Cls, plain("<s>")), mask}
		before, skipped := []string{bos.Content, pad.Content, eos.Content, unknown.Content}, 3
		if class == "Camembert" {
			before, skipped = []string{"<s>NOTUSED", pad.Content, "</s>NOTUSED", unknown.Content, "<unk>NOTUSED"}, 1
		}
		vocab := make([]scoredPiece, 0, len(before)+len(m.pieces)+1)
		for _, piece := range before {
			vocab = append(vocab, scoredPiece{piece: piece})
		}
		if class == "Camembert" {
			vocab[4].score = -100
		}
		vocab = append(vocab, m.scored(skipped)...)
		vocab = append(vocab, scoredPiece{piece: mask.Content})
		err = m.words(&p, vocab, 3, c)
		first, last = bos.Content, eos.Content
	case "T5":
		named[4] = orToken(c.Pad, plain("<pad>"))
		vocab := m.scored(0)
		for _, token := range slices.Backward(extra) {
			vocab = append(vocab, scoredPiece{piece: token})
		}
		c.PrefixSpace = nil
		err = m.words(&p, vocab, 2, c)
		last = "</s>"
	case "Siglip":
		named[4] = orToken(c.Pad, plain("</s>"))
		err = m.siglip(&p, unknown.Content, c)
		last = eos.Content
	case "Llama":
		named[0] = orToken(c.Bos, plain("<s>"))
		err = m.llama(&p, c)
		if c.AddBos {
			first = named[0].Content
		}
		if c.AddEos {
			last = eos.Content
		}
	}
	if err != nil {
		return nil, err
	}
	if err := p.addTokens(m.added(class, named, extra, c)); err != nil {
		return nil, err
	}
	for token, list := range map[string]*[]int32{first: &p.t.around.before, last: &p.t.around.after} {
		if token == "" {
			continue
		}
		id, ok := p.t.ids[token]
		if !ok {
			return nil, fmt.Errorf("the token %q is not in the vocabulary", token)
		}
		*list = []int32{id}
	}
	return p.t, nil
}

// added lists the tokens that are found before the model sees a text: those that the files list,
// the named ones, and others. The files' list of others takes the place of the model's own.
func (m *modelProto) added(class string, named []fileToken, extra []string, c *piecesConfig) []fileToken {
	var tokens []fileToken
	type placed struct {
		id    int
		token fileToken
	}
	var listed []placed
	inList := map[string]fileToken{}
	for id, token := range c.Decoder {
		number, _ := strconv.Atoi(id)
		listed = append(listed, placed{number, token.fileToken})
		inList[token.Content] = token.fileToken
	}
	slices.SortFunc(listed, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.token.Content, b.token.Content))
	})
	for _, one := range listed {
		tokens = append(tokens, one.token)
	}
	others := c.Additional
	if len(c.Extra) > 0 || others == nil {
		others = c.Extra
	}
	if others != nil {
		for _, token := range others {
			named = append(named, token.fileToken)
		}
	} else if class != "Siglip" { // where SentencePiece itself finds them
		for _, piece := range m.pieces {
			if piece.kind == controlPiece || piece.kind == userPiece {
				named = append(named, fileToken{Content: piece.text})
			}
		}
		for _, token := range extra {
			named = append(named, fileToken{Content: token})
		}
	}
	for _, token := range named {
		if _, listed := inList[token.Content]; !listed {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// scored returns the pieces from one on.
func (m *modelProto) scored(from int) []scoredPiece {
	var list []scoredPiece
	for _, p := range m.pieces[min(from, len(m.pieces)):] {
		list = append(list, scoredPiece{p.text, float64(p.score)})
	}
	return list
}

// words makes a tokenizer that splits at white space, as the classes of XLM-R, CamemBERT and T5 do.
func (m *modelProto) words(p *parser, vocab []scoredPiece, unknown int, c *piecesConfig) error {
	if m.model != unigramPieces {
		return unsupported("model_type %d is not supported for this class; %d, unigram, is", m.model, unigramPieces)
	}
	if err := p.unigram(&unigramFile{unknown: &unknown, vocab: vocab}); err != nil {
		return err
	}
	if len(m.charsmap) > 0 {
		n, err := newPrecompiled(m.charsmap)
		if err != nil {
			return err
		}
		p.t.normalizers = normalizers{n}
	}
	marks := &metaspace{mark: spaceMark, splits: true}
	if isFalse(c.PrefixSpace) {
		marks.scheme = never
	}
	p.t.preTokenizers = []preTokenizer{&splitter{flagMatcher(isSpace), removed, false}, marks}
	return nil
}

// llama makes a tokenizer of byte-pair encoding, whose merges are all pairs of pieces that make a
// piece.
func (m *modelProto) llama(p *parser, c *piecesConfig) error {
	if m.model != bpePieces {
		return unsupported("model_type %d is not supported for this class; %d, bpe, is", m.model, bpePieces)
	}
	p.t.kind = "BPE"
	f := &bpeFile{fusesUnknown: true, byteFallback: true}
	ids := make(map[string]int32, len(m.pieces))
	p.t.ids = ids
	work := 0
	for id, piece := range m.pieces {
		if _, again := ids[piece.text]; again {
			return fmt.Errorf("the piece %q is there twice", piece.text)
		}
		ids[piece.text] = int32(id)
		if work += len(piece.text) * len(piece.text); work > maxMergeWork {
			return unsupported("pieces as long as those up to %d are not supported: their merges take too long to find", id)
		}
	}
	for _, piece := range m.pieces {
		if err := p.goes(); err != nil {
			return err
		}
		for at := range piece.text {
			_, left := ids[piece.text[:at]]
			_, right := ids[piece.text[at:]]
			if at > 0 && left && right {
				f.merges = append(f.merges, mergePair{piece.text[:at], piece.text[at:]})
			}
		}
	}
	if err := p.bpe(f); err != nil {
		return err
	}
	marks := &metaspace{mark: spaceMark, scheme: first}
	if isFalse(c.PrefixSpace) {
		marks.scheme = never
	} else if c.Legacy != nil && *c.Legacy {
		marks.scheme = always
	}
	p.t.needsOrigin = marks.scheme == first
	p.t.preTokenizers = []preTokenizer{marks}
	return nil
}

// maxMergeWork bounds the sum of the squares of the lengths of pieces, which finding merges takes.
const maxMergeWork = 1 << 30
