package tokenizer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/gitlfs"
	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// Load reads the tokenizer of a folder in Hugging Face's layout: tokenizer.json where there is one,
// else vocab.txt, else vocab.json with merges.txt, else a model of SentencePiece. These say little
// of how texts are split, so tokenizer_config.json says for which model they are: those of BERT,
// DistilBERT, MPNet, RoBERTa, CLIP and GPT-2 are known, and with SentencePiece XLM-RoBERTa,
// CamemBERT, T5, SigLIP and Llama. Errors are those of [Parse], and of the files: one that is
// absent wraps [fs.ErrNotExist].
//
// An error begins with the name of the file at fault, as fsys knows it. A file of over 64 MiB, and
// a configuration of over 8, are refused. Once ctx is done, Load returns its error soon, as far as
// reads of fsys end.
func Load(ctx context.Context, fsys fs.FS, folder string) (*Tokenizer, error) {
	l := loader{ctx, fsys, folder}
	const whole = "tokenizer.json"
	data, err := l.read(whole, maxFile)
	if err == nil {
		t, err := Parse(ctx, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name(whole), err)
		}
		return t, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	t, err := l.vocabularies()
	if err != nil {
		return nil, err
	}
	t.measure()
	return t, nil
}

type loader struct {
	ctx    context.Context // of the call of Load
	fsys   fs.FS
	folder string
}

// name is that of a file, for the file system and for errors.
func (l loader) name(file string) string { return path.Join(l.folder, file) }

// read returns a file of at most so many bytes.
func (l loader) read(file string, most int) ([]byte, error) {
	name := l.name(file)
	f, err := l.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(endingReader{l.ctx, f}, int64(most)+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > most:
		return nil, unsupported("%s has over %d bytes, where the largest of real models have a fraction of that", name, most)
	case gitlfs.IsPointer(data):
		return nil, fmt.Errorf("%s %w", name, gitlfs.ErrPointer)
	}
	return data, nil
}

// endingReader ends with the error of a context that is done.
type endingReader struct {
	ctx  context.Context
	file io.Reader
}

func (r endingReader) Read(into []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(into)
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
		return jsonfile.Decode(data, &t.Content)
	}
	return jsonfile.Decode(data, &t.fileToken)
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
	data, err := l.read("tokenizer_config.json", maxValue)
	if err == nil {
		if err := jsonfile.Decode(data, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name("tokenizer_config.json"), err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	class := className(c.Class)
	if data, err = l.read("vocab.txt", maxFile); err == nil {
		return l.parseVocabulary(string(data), class, &c)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	vocab, err := l.read("vocab.json", maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{"sentencepiece.bpe.model", "spiece.model", "tokenizer.model"} {
			if _, err := fs.Stat(l.fsys, path.Join(l.folder, name)); err == nil {
				return l.pieces(class, name)
			}
		}
		return nil, fmt.Errorf("%s: there is none, nor a vocab.txt, a vocab.json or a model of SentencePiece: %w", l.name("tokenizer.json"), fs.ErrNotExist)
	} else if err != nil {
		return nil, err
	}
	merges, err := l.read("merges.txt", maxFile)
	if err != nil {
		return nil, err
	}
	return l.parseMerges(vocab, string(merges), class, &c)
}

// parseVocabulary makes a tokenizer of a vocab.txt, which has a piece on each line.
func (l loader) parseVocabulary(lines, class string, c *config) (*Tokenizer, error) {
	cls, sep, mask, pad := "[CLS]", "[SEP]", "[MASK]", "[PAD]"
	switch class {
	case "", "Bert", "DistilBert", "Electra":
	case "MPNet":
		cls, sep, mask, pad = "<s>", "</s>", "<mask>", "<pad>"
	default:
		return nil, unsupported("%s: the class %q is not supported with a vocab.txt; save the tokenizer as tokenizer.json", l.name("tokenizer_config.json"), c.Class)
	}
	p := parser{ctx: l.ctx, t: &Tokenizer{kind: "WordPiece", ids: map[string]int32{}}}
	id := int32(0)
	for line := range strings.Lines(lines) {
		if err := p.goes(); err != nil {
			return nil, err
		}
		if id == maxPieces {
			return nil, unsupported("%s: there are over %d pieces", l.name("vocab.txt"), maxPieces)
		}
		p.t.ids[strings.TrimRight(line, "\r\n")] = id
		id++
	}
	unknown := or(c.Unknown, "[UNK]")
	if err := p.wordPiece(unknown.Content, "##", 100); err != nil {
		return nil, fmt.Errorf("%s: %w", l.name("vocab.txt"), err)
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
	return p.finish(first.Content, last.Content, l.name("vocab.txt"), first, last, unknown, masked, or(c.Pad, pad))
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
	if err := p.addTokens(known); err != nil {
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
func (l loader) parseMerges(vocab []byte, merges, class string, c *config) (*Tokenizer, error) {
	f := &bpeFile{}
	p := parser{ctx: l.ctx, t: &Tokenizer{kind: "BPE"}, isBytes: &byteLevel{prefixSpace: c.PrefixSpace, splits: true}}
	if !utf8.Valid(vocab) {
		return nil, fmt.Errorf("%s: it is not UTF-8", l.name("vocab.json"))
	}
	if err := p.vocabulary(vocab); err != nil {
		return nil, fmt.Errorf("%s: %w", l.name("vocab.json"), err)
	}
	for line := range strings.Lines(merges) {
		if err := p.goes(); err != nil {
			return nil, err
		}
		if len(f.merges) == maxPieces {
			return nil, unsupported("%s: there are over %d merges", l.name("merges.txt"), maxPieces)
		}
		var pair mergePair
		if err := pair.parse(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name("merges.txt"), err)
		}
		f.merges = append(f.merges, pair)
	}
	p.t.preTokenizers = []preTokenizer{p.isBytes}
	var first, last fileToken
	switch class {
	case "Roberta":
		first, last = or(c.Cls, "<s>"), or(c.Sep, "</s>")
	case "CLIP":
		first, last = or(c.Bos, "<|startoftext|>"), or(c.Eos, "<|endoftext|>")
		unknown := or(c.Unknown, "<|endoftext|>").Content
		suffix := "</w>"
		f.unknown, f.suffix = &unknown, &suffix
		spaces, _ := parseClass(`\s+`)
		p.t.normalizers = normalizers{unicodeForm{composes: true}, replace{spaces, " "}, lowercase{}}
		p.isBytes.prefixSpace = false
		p.t.preTokenizers = []preTokenizer{
			&splitter{scanners[contractions+`|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`], removed, true}, p.isBytes}
	case "GPT2":
	default:
		return nil, unsupported("%s: the class %q is not supported with a vocab.json; save the tokenizer as tokenizer.json", l.name("tokenizer_config.json"), c.Class)
	}
	if err := p.bpe(f); err != nil {
		return nil, fmt.Errorf("%s: %w", l.name("merges.txt"), err)
	}
	masked := or(c.Mask, "<mask>")
	masked.LStrip = masked.LStrip || class == "Roberta"
	return p.finish(first.Content, last.Content, l.name("vocab.json"), first, last, or(c.Unknown, "<unk>"), or(c.Pad, "<pad>"), masked,
		or(c.Bos, ""), or(c.Eos, "<|endoftext|>"))
}
