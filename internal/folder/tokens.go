package folder

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	stderrors "errors"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

// longest is the context of a model that takes any number of tokens.
const longest = math.MaxInt32

// tokens is how texts become ids.
type tokens struct {
	tokenizer *tokenizer.Tokenizer
	most      int // ids of a text, those around it included; 0 for no limit
	// losesEnd is set if a text that is cut loses its end token too, as UForm 3 does.
	losesEnd bool
	// fills is set if texts are filled up to most with fill, at their begin if fillsFirst.
	fills, fillsFirst bool
	fill              int32
	// drops is set if the id dropped is left out.
	drops   bool
	dropped int32
	// clips is set if ids past last become last.
	clips bool
	last  int32
	// mostRunes is how many code points of a text are read; 0 for no limit.
	mostRunes int

	prompts map[string]string
	lengths map[string]int // ids of a prompt, with those before it
	usual   string         // the name of the prompt of texts that name none
}

// pendingTokenizer is a tokenizer that another goroutine reads.
type pendingTokenizer struct {
	cancel    context.CancelFunc // ends the reading soon
	done      chan struct{}
	tokenizer *tokenizer.Tokenizer
	err       error
	raised    any // what that goroutine panicked with, as a file system may
}

// wait returns the tokenizer, once it is read.
func (p *pendingTokenizer) wait() (*tokenizer.Tokenizer, error) {
	<-p.done
	if p.raised != nil {
		panic(p.raised)
	}
	return p.tokenizer, p.err
}

// close ends the reading, so that nothing reads the source any more.
func (p *pendingTokenizer) close() {
	p.cancel()
	_, _ = p.wait()
}

// readTokenizer begins to read the tokenizer of the folder.
func (b *builder) readTokenizer() *pendingTokenizer {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pendingTokenizer{cancel: cancel, done: make(chan struct{})}
	read := func(ctx context.Context) (*tokenizer.Tokenizer, error) {
		return tokenizer.Load(ctx, b.at.source, b.at.path)
	}
	if b.root.has(wordllamaWeights) {
		read = b.wordllamaTokenizer
	}
	go func() {
		defer close(p.done)
		defer func() { p.raised = recover() }()
		var err error
		if p.tokenizer, err = read(ctx); err != nil {
			p.err = tokenizerFailure(err)
		}
	}()
	return p
}

// reportEvery is how often progress is reported while all else is done but the tokenizer.
const reportEvery = 20 * time.Millisecond

// awaitTokenizer returns the tokenizer once it is read, and until then reports progress, which may
// cancel the load.
func (b *builder) awaitTokenizer() (*tokenizer.Tokenizer, error) {
	p, l := b.tokenizer, b.loader
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.done:
			return p.wait()
		case <-ticker.C:
			if l.report(l.done); l.err != nil {
				return nil, l.err
			}
		}
	}
}

// tokenizerFailure gives an error of a tokenizer, which names its file, a status.
func tokenizerFailure(err error) error {
	var unread *fs.PathError
	_, known := errors.StatusOf(err)
	switch {
	case stderrors.Is(err, stderrors.ErrUnsupported):
		return fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	case known:
		return err
	case stderrors.Is(err, fs.ErrNotExist), stderrors.As(err, &unread):
		return fmt.Errorf("%w: %w", err, errors.ErrIO)
	}
	return malformed("%w", err)
}

// textTokens makes tokens for a tower that has so many positions.
func (b *builder) textTokens(t *tokenizer.Tokenizer, positions int) error {
	if rows := b.model.tower.words.rows; t.Size() > rows {
		return malformed("%s: a table of %d tokens, where the tokenizer has ids up to %d", b.weights.name, rows, t.Size()-1)
	}
	most, from := positions, b.config.file
	config, err := b.at.object("tokenizer_config.json")
	if err != nil {
		return err
	}
	if config != nil {
		if own := config.length("model_max_length", most); own < most {
			most, from = own, config.file
		}
		if side := config.text("truncation_side", "right"); side != "right" {
			return unsupported("%s: truncation_side %s", config.file, shortened([]byte(side)))
		}
		if err := config.err(); err != nil {
			return err
		}
	}
	var limits *object
	if b.listed {
		if limits, err = b.transformerConfig(); err != nil {
			return err
		}
	}
	if limits != nil {
		if limits.has("max_seq_length") {
			most, from = min(positions, limits.length("max_seq_length", most)), limits.file
		}
		if limits.flag("do_lower_case", false) {
			t = t.Lowercased()
		}
		if err := limits.err(); err != nil {
			return err
		}
	}
	before, after := t.Around()
	if around := len(before) + len(after); most <= around { // all texts would be the same
		return malformed("%s: %d tokens of a text, where %d stand around each", from, most, around)
	}
	b.model.tokens.tokenizer, b.model.tokens.most = t, most
	b.context = most
	return nil
}

// transformerConfig reads what sentence-transformers says of the transformer, nil where it says
// nothing. Its arguments for the Transformers library may not change what the model computes.
func (b *builder) transformerConfig() (*object, error) {
	for _, kind := range []string{"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"} {
		config, err := b.at.object("sentence_" + kind + "_config.json")
		if err != nil {
			return nil, err
		}
		if config == nil {
			continue
		}
		for _, name := range []string{"model_args", "config_args", "tokenizer_args", "model_kwargs", "config_kwargs", "processor_kwargs"} {
			for key := range config.object(name).members {
				if !harmless[key] {
					return nil, unsupported("%s: %s.%s", config.file, name, shortened([]byte(key)))
				}
			}
		}
		if task := config.text("transformer_task", "feature-extraction"); task != "feature-extraction" {
			return nil, unsupported("%s: transformer_task %s", config.file, shortened([]byte(task)))
		}
		return config, config.err()
	}
	return nil, nil
}

// harmless are arguments that do not change what a model computes in f32.
var harmless = map[string]bool{
	"trust_remote_code": true, "torch_dtype": true, "dtype": true, "attn_implementation": true, "add_pooling_layer": true,
	"revision": true, "use_fast": true, "use_safetensors": true, "low_cpu_mem_usage": true, "cache_dir": true, "use_flash_attn": true,
	"unpad_inputs": true, "use_memory_efficient_attention": true, "token": true, "use_auth_token": true, "local_files_only": true,
}

// fillUp has every text filled up with pad tokens.
func (b *builder) fillUp(config *object) error {
	tokens := &b.model.tokens
	fill := config.size("pad_token_id", 1)
	settings, err := b.at.object("tokenizer_config.json")
	if err != nil {
		return err
	}
	if settings != nil && settings.has("pad_token") {
		token := ""
		if settings.members["pad_token"][0] == '{' {
			token = settings.object("pad_token").text("content", "")
		} else {
			token = settings.text("pad_token", "")
		}
		id, known := tokens.tokenizer.ID(token)
		if !known {
			settings.fail("pad_token", "%s is not in the vocabulary", shortened([]byte(token)))
		}
		fill = int(id)
		tokens.fillsFirst = settings.text("padding_side", "right") == "left"
		if err := settings.err(); err != nil {
			return err
		}
	}
	if rows := b.model.tower.words.rows; fill >= rows {
		config.fail("pad_token_id", "%d of %d tokens", fill, rows)
	}
	tokens.fills, tokens.fill = true, int32(fill)
	if b.at.has("tokenizer.json") { // else the class lowers texts, where the folder says so
		tokens.tokenizer = tokens.tokenizer.Lowercased()
	}
	return config.err()
}

// prompts reads the prompts of a folder, and keeps how long they are where pooling leaves them out.
func (b *builder) prompts() error {
	tokens := &b.model.tokens
	config, err := b.root.object("config_sentence_transformers.json")
	if config == nil || err != nil {
		return err
	}
	tokens.prompts = config.texts("prompts")
	tokens.usual = config.text("default_prompt_name", "")
	if _, known := tokens.prompts[tokens.usual]; tokens.usual != "" && !known {
		config.fail("default_prompt_name", "%s is not among the prompts", shortened([]byte(tokens.usual)))
	}
	columns := config.size("truncate_dim", b.columns)
	if columns == 0 || columns > b.columns {
		config.fail("truncate_dim", "%d of %d columns", columns, b.columns)
	}
	if err := config.err(); err != nil {
		return err
	}
	b.model.details.DefaultPrompt = tokens.usual
	if columns < b.columns {
		// The length is what is left of it.
		b.add(step{kind: stepCut, outputs: columns})
	}
	for name, prompt := range tokens.prompts {
		length, err := tokens.measurePrompt(name, prompt)
		if err != nil {
			return fmt.Errorf("%s: the prompt %s: %w", config.file, shortened([]byte(name)), err)
		}
		if b.model.pooling != nil && !b.model.pooling.includePrompt {
			if tokens.lengths == nil {
				tokens.lengths = map[string]int{}
			}
			tokens.lengths[name] = length
		}
	}
	return nil
}

// longestPrompt bounds the bytes of a prompt, which are read again with every text.
const longestPrompt = 1 << 16

// measurePrompt returns how many ids stand before those of a text. A prompt that leaves none to the
// text is refused, since all texts would be the same.
func (t *tokens) measurePrompt(name, prompt string) (int, error) {
	switch {
	case name == NoPrompt:
		return 0, malformed("the name stands for no prompt")
	case !utf8.ValidString(prompt):
		return 0, malformed("not UTF-8")
	case len(prompt) > longestPrompt:
		return 0, unsupported("%d bytes, over %d", len(prompt), longestPrompt)
	case prompt == "":
		return 0, nil
	}
	ids, _, err := t.tokenizer.Encode(new(tokenizer.Scratch), nil, []byte(prompt), t.most)
	if err != nil {
		return 0, malformed("%w", err)
	}
	if t.most > 0 && len(ids) >= t.most || t.mostRunes > 0 && utf8.RuneCountInString(prompt) >= t.mostRunes {
		return 0, unsupported("it leaves none of %d tokens to a text", t.most)
	}
	length := len(ids)
	if _, after := t.tokenizer.Around(); len(after) > 0 {
		length-- // sentence-transformers takes off one, however many there are
	}
	return length, nil
}

// NoPrompt stands for a name where the texts have no prompt, not even the default one.
const NoPrompt = "\x00"

// Tokenize appends the ids of a text to dst, with a prompt before the text and the special tokens
// of the model around both. prompt is a name of [Details.Prompts], or [NoPrompt]; an empty one is
// the default prompt. A text that is too long for the model loses ids at its end, but not its end
// token; only UForm 3 loses that too, as its own code does.
//
// covered is how many bytes of the text the ids stand for, those of the prompt not counted. A text
// that is not UTF-8 is [errors.ErrMalformed], and an unknown prompt [errors.ErrInvalidArgument],
// which lists those that there are. A model of pictures alone is [errors.ErrUnsupported].
func (m *Model) Tokenize(s *Scratch, dst []int32, text []byte, prompt string) (ids []int32, covered int, err error) {
	if !m.texts() {
		return dst, 0, errNoTexts
	}
	t := &m.tokens
	before := ""
	if prompt == "" {
		prompt = t.usual
	}
	if prompt != "" && prompt != NoPrompt {
		known := false
		if before, known = t.prompts[prompt]; !known {
			return dst, 0, t.unknownPrompt(prompt)
		}
	}
	if before != "" {
		s.prompted = append(append(s.prompted[:0], before...), text...)
		text = s.prompted
	}
	start := len(dst)
	ids, covered, err = t.encode(&s.tokens, dst, text)
	if err != nil {
		if _, has := errors.StatusOf(err); !has {
			err = fmt.Errorf("%w: %w", err, errors.ErrMalformed)
		}
		return dst[:start], 0, err
	}
	return ids, max(0, covered-len(before)), nil
}

var errNoTexts = fmt.Errorf("the model has no texts: %w", errors.ErrUnsupported)

func (t *tokens) unknownPrompt(name string) error {
	names := slices.Sorted(maps.Keys(t.prompts))
	if len(names) == 0 {
		return fmt.Errorf("no prompt %q: the folder has none: %w", name, errors.ErrInvalidArgument)
	}
	return fmt.Errorf("no prompt %q: the folder has %s: %w", name, strings.Join(names, ", "), errors.ErrInvalidArgument)
}

// encode appends the ids of a text, with its prompt.
func (t *tokens) encode(s *tokenizer.Scratch, dst []int32, text []byte) (ids []int32, covered int, err error) {
	if t.mostRunes > 0 {
		text = cutRunes(text, t.mostRunes)
	}
	start, most := len(dst), t.most
	_, after := t.tokenizer.Around()
	if t.losesEnd {
		most += len(after)
	}
	ids, covered, err = t.tokenizer.Encode(s, dst, text, most)
	if err != nil {
		return ids, 0, err
	}
	if t.losesEnd && len(ids)-start > t.most {
		ids = ids[:start+t.most]
	}
	own := ids[start:]
	if t.clips {
		for i, id := range own {
			own[i] = min(id, t.last)
		}
	}
	if t.drops {
		own = slices.DeleteFunc(own, func(id int32) bool { return id == t.dropped })
		ids = ids[:start+len(own)]
	}
	if t.fills {
		for missing := t.most - len(own); missing > 0; missing-- {
			ids = append(ids, t.fill)
		}
		if t.fillsFirst {
			rotate(ids[start:], len(own))
		}
	}
	return ids, covered, nil
}

// rotate moves the first count ids to the end.
func rotate(ids []int32, count int) {
	slices.Reverse(ids[:count])
	slices.Reverse(ids[count:])
	slices.Reverse(ids)
}

// cutRunes returns the first code points of a text. What follows is checked by nobody.
func cutRunes(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	for at := 0; at < len(text); most-- {
		if most == 0 {
			return text[:at]
		}
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return text
}
