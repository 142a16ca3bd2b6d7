package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Load reads the tokenizer of a folder in Hugging Face's layout: tokenizer.json where there is one,
// else vocab.txt, else vocab.json with merges.txt, else a model of SentencePiece. These say little
// of how texts are split, so tokenizer_config.json says for which model they are: those of BERT,
// DistilBERT, MPNet, RoBERTa, CLIP and GPT-2 are known, and with SentencePiece XLM-RoBERTa,
// CamemBERT, T5, SigLIP and Llama. Errors are those of [Parse], and of the files: one that is
// absent wraps [fs.ErrNotExist].
func Load(fsys fs.FS, folder string) (*Tokenizer, error) {
	l := loader{fsys, folder}
	data, err := l.read("tokenizer.json")
	if err == nil {
		return Parse(data)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := l.vocabularies()
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t.measure()
	return t, nil
}

type loader struct {
	fsys   fs.FS
	folder string
}

func (l loader) read(name string) ([]byte, error) {
	name = path.Join(l.folder, name)
	f, err := l.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: a file over %d bytes is %w", name, maxFile, errUnsupported)
	}
	return data, nil
}

// config is what tokenizer_config.json says. A token is a string or an object.
type config struct {
	Class       string       `json:"tokenizer_class"`
	Lower       *bool        `json:"do_lower_case"`
	Accents     *bool        `json:"strip_accents"`
	Ideographs  *bool        `json:"tokenize_chinese_chars"`
	PrefixSpace bool         `json:"add_prefix_space"`
	Unknown     *configToken `json:"unk_token"`
	Cls         *configToken `json:"cls_token"`
	Sep         *configToken `json:"sep_token"`
	Pad         *configToken `json:"pad_token"`
	Mask        *configToken `json:"mask_token"`
	Bos         *configToken `json:"bos_token"`
	Eos         *configToken `json:"eos_token"`
}

type configToken struct{ fileToken }

func (t *configToken) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &t.Content)
	}
	return json.Unmarshal(data, &t.fileToken)
}

func or(token *configToken, otherwise string) fileToken {
	if token == nil || token.Content == "" {
		return fileToken{Content: otherwise}
	}
	return token.fileToken
}

func isFalse(b *bool) bool { return b != nil && !*b }

func (l loader) vocabularies() (*Tokenizer, error) {
	var c config
	data, err := l.read("tokenizer_config.json")
	if err == nil {
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, fmt.Errorf("tokenizer_config.json: %w", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	class := className(c.Class)
	if data, err = l.read("vocab.txt"); err == nil {
		return parseVocabulary(string(data), class, &c)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	vocab, err := l.read("vocab.json")
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{"sentencepiece.bpe.model", "spiece.model", "tokenizer.model"} {
			if _, err := fs.Stat(l.fsys, path.Join(l.folder, name)); err == nil {
				return l.pieces(class, name)
			}
		}
		return nil, fmt.Errorf("the folder has neither tokenizer.json nor vocab.txt nor vocab.json nor a model of SentencePiece: %w", fs.ErrNotExist)
	} else if err != nil {
		return nil, err
	}
	merges, err := l.read("merges.txt")
	if err != nil {
		return nil, err
	}
	return parseMerges(vocab, string(merges), class, &c)
}

// parseVocabulary makes a tokenizer of a vocab.txt, which has a piece on each line.
func parseVocabulary(lines, class string, c *config) (*Tokenizer, error) {
	cls, sep, mask, pad := "[CLS]", "[SEP]", "[MASK]", "[PAD]"
	switch class {
	case "", "Bert", "DistilBert", "Electra":
	case "MPNet":
		cls, sep, mask, pad = "<s>", "</s>", "<mask>", "<pad>"
	default:
		return nil, fmt.Errorf("tokenizer_config.json: the class %q with a vocab.txt is %w", c.Class, errUnsupported)
	}
	ids, id := map[string]uint32{}, uint32(0)
	for line := range strings.Lines(lines) {
		ids[strings.TrimRight(line, "\r\n")] = id
		id++
	}
	p := parser{t: &Tokenizer{kind: "WordPiece"}}
	unknown := or(c.Unknown, "[UNK]")
	if err := p.wordPiece(ids, unknown.Content, "##", 100); err != nil {
		return nil, fmt.Errorf("vocab.txt: %w", err)
	}
	lower := !isFalse(c.Lower)
	accents := lower
	if c.Accents != nil {
		accents = *c.Accents
	}
	p.t.normalizers = normalizers{newBertNormalizer(true, !isFalse(c.Ideographs), accents, lower)}
	p.t.preTokenizers = []preTokenizer{bertPreTokenizer{}}
	masked := or(c.Mask, mask)
	masked.LStrip = masked.LStrip || class == "MPNet"
	first, last := or(c.Cls, cls), or(c.Sep, sep)
	return p.finish(first.Content, last.Content, "vocab.txt", first, last, unknown, masked, or(c.Pad, pad))
}

// finish adds special tokens, of which two stand around each text.
func (p *parser) finish(first, last, name string, tokens ...fileToken) (*Tokenizer, error) {
	var known []fileToken
	for _, token := range tokens {
		if _, ok := p.t.ids[token.Content]; ok {
			token.ID = nil
			known = append(known, token)
		}
	}
	if err := p.t.addTokens(known); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for token, list := range map[string]*[]int32{first: &p.t.around.before, last: &p.t.around.after} {
		if token == "" {
			continue
		}
		id, ok := p.t.ids[token]
		if !ok {
			return nil, fmt.Errorf("%s: the token %q is not in the vocabulary", name, token)
		}
		*list = []int32{id}
	}
	return p.t, nil
}

// parseMerges makes a tokenizer of a vocab.json and a merges.txt.
func parseMerges(vocab []byte, merges, class string, c *config) (*Tokenizer, error) {
	f := &bpeFile{}
	if err := json.Unmarshal(vocab, &f.Vocab); err != nil {
		return nil, fmt.Errorf("vocab.json: %w", err)
	}
	for line := range strings.Lines(merges) {
		var pair mergePair
		if err := pair.parse(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("merges.txt: %w", err)
		}
		f.Merges = append(f.Merges, pair)
	}
	p := parser{t: &Tokenizer{kind: "BPE"}, isBytes: &byteLevel{prefixSpace: c.PrefixSpace, splits: true}}
	p.t.preTokenizers = []preTokenizer{p.isBytes}
	var first, last fileToken
	switch class {
	case "Roberta":
		first, last = or(c.Cls, "<s>"), or(c.Sep, "</s>")
	case "CLIP":
		first, last = or(c.Bos, "<|startoftext|>"), or(c.Eos, "<|endoftext|>")
		unknown := or(c.Unknown, "<|endoftext|>").Content
		suffix := "</w>"
		f.Unknown, f.Suffix = &unknown, &suffix
		spaces, _ := parseClass(`\s+`)
		p.t.normalizers = normalizers{unicodeForm{composes: true}, replace{spaces, " "}, lowercase{}}
		p.isBytes.prefixSpace = false
		p.t.preTokenizers = []preTokenizer{
			&splitter{scanners[contractions+`|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`], removed, true}, p.isBytes}
	case "GPT2":
	default:
		return nil, fmt.Errorf("tokenizer_config.json: the class %q with a vocab.json is %w", c.Class, errUnsupported)
	}
	if err := p.bpe(f); err != nil {
		return nil, fmt.Errorf("merges.txt: %w", err)
	}
	masked := or(c.Mask, "<mask>")
	masked.LStrip = masked.LStrip || class == "Roberta"
	return p.finish(first.Content, last.Content, "vocab.json", first, last, or(c.Unknown, "<unk>"), or(c.Pad, "<pad>"), masked,
		or(c.Bos, ""), or(c.Eos, "<|endoftext|>"))
}
