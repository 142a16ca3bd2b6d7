package folder

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/tokenizer"
)

var errNoPreprocessing = fmt.Errorf("the folder has none, so that it is not known how pictures are prepared: %w", fs.ErrNotExist)

var errNoConfig = fmt.Errorf("the folder has none, so that its architecture is not known: %w", fs.ErrNotExist)

// static are embeddings of tokens, whose mean is the embedding of a text.
type static struct {
	rows *table
	// places are the row of each id, nil where they are the ids; factors multiply the rows.
	places  []int32
	factors []float32
}

// read writes the row of an id to dst.
func (t *static) read(dst []float32, id int32) {
	row := id
	if t.places != nil {
		row = t.places[id]
	}
	t.rows.read(dst, int(row))
	if t.factors != nil {
		for i := range dst {
			dst[i] *= t.factors[id]
		}
	}
}

const (
	wordllamaWeights   = "l2_supercat_256.safetensors"
	wordllamaTokenizer = "l2_supercat_tokenizer_config.json"
)

// model2vec reads static embeddings as package model2vec does: without the unknown token, and of
// the first tokens only.
func (b *builder) model2vec() error {
	c := b.config
	normalized := c.flag("normalize", false)
	most, limited := 512, true
	if value, there := c.members["max_length"]; there && string(value) == "null" {
		limited = false
	} else {
		most = c.length("max_length", most)
	}
	if err := c.err(); err != nil {
		return err
	}
	if err := b.readStatic(); err != nil {
		return err
	}
	b.then = append(b.then, func(t *tokenizer.Tokenizer) error {
		tokens := &b.model.tokens
		tokens.dropped, tokens.drops = t.Unknown()
		if limited {
			tokens.most = most
			median := medianLength(t)
			tokens.mostRunes = min(most, longest/max(median, 1)) * median
			b.context = most
		}
		return nil
	})
	if normalized {
		b.add(step{kind: stepNormalize, offset: 1e-32})
	}
	return nil
}

// medianLength returns the median of the lengths of all tokens, in code points, rounded down.
func medianLength(t *tokenizer.Tokenizer) int {
	var lengths []int
	for token := range t.Tokens() {
		lengths = append(lengths, utf8.RuneCountInString(token))
	}
	slices.Sort(lengths)
	middle := len(lengths) / 2
	switch {
	case len(lengths) == 0:
		return 0
	case len(lengths)%2 == 0:
		return (lengths[middle-1] + lengths[middle]) / 2
	}
	return lengths[middle]
}

// readStatic reads static embeddings as sentence-transformers does: all tokens of a text take part.
func (b *builder) readStatic() (err error) {
	if b.weights, err = b.open(b.at); err != nil {
		return err
	}
	w := b.weights
	name := "embeddings"
	if !w.has(name) {
		name = "embedding.weight"
	}
	if err := b.staticTable(name); err != nil {
		return err
	}
	ids := b.model.static.rows.rows
	if w.has("mapping") {
		ids = w.rows("mapping")
		if err := b.mapping(ids); err != nil {
			return err
		}
	}
	if w.has("weights") {
		b.model.static.factors = b.loader.values(w, "weights", plainFloats, ids)
	}
	b.then = append(b.then, func(t *tokenizer.Tokenizer) error {
		if t.Size() > ids {
			return malformed("%s: embeddings of %d tokens, where the tokenizer has %d", w.name, ids, t.Size())
		}
		return b.staticTokens(t)
	})
	return b.loader.err
}

// staticTable takes the table of that name, whatever its size.
func (b *builder) staticTable(name string) error {
	l, w := b.loader, b.weights
	rows, columns := w.rows(name), w.columns(name)
	if w.has(name) && (rows == 0 || columns == 0 || columns > largestSize) {
		return malformed("%s: the tensor %q is %d × %d", w.name, name, rows, columns)
	}
	b.model.static = &static{rows: l.table(w, name, staticFloats, rows, columns)}
	b.width, b.columns = columns, columns
	return l.err
}

// staticTokens sets the tokenizer of static embeddings, which take no special tokens.
func (b *builder) staticTokens(t *tokenizer.Tokenizer) error {
	b.model.tokens.tokenizer = t.WithoutSpecials()
	b.context = longest
	return nil
}

// mapping reads the row of each id.
func (b *builder) mapping(ids int) error {
	tensor, err := b.weights.tensor("mapping", []model.DType{model.I64, model.I32}, ids)
	if err != nil {
		return err
	}
	places := make([]int32, ids)
	size := tensor.DType.Size()
	for i := range places {
		var row uint64
		for at := size - 1; at >= 0; at-- {
			row = row<<8 | uint64(tensor.Data[i*size+at])
		}
		if row >= uint64(b.model.static.rows.rows) {
			return malformed("%s: the tensor \"mapping\" has row %d for id %d of %d rows", b.weights.name, row, i, b.model.static.rows.rows)
		}
		places[i] = int32(row)
	}
	b.model.static.places = places
	b.loader.bytes += 4 * ids
	return nil
}

// wordllama reads the file that package wordllama carries. Ids past the table have its last row.
func (b *builder) wordllama() (err error) {
	b.model.details.Architecture = "wordllama"
	if b.weights, err = openWeights(b.root, wordllamaWeights); err != nil {
		return err
	}
	if err := b.staticTable("embedding.weight"); err != nil {
		return err
	}
	b.then = append(b.then, func(t *tokenizer.Tokenizer) error {
		tokens := &b.model.tokens
		tokens.last = int32(b.model.static.rows.rows - 1)
		tokens.clips = t.Size() > b.model.static.rows.rows
		return b.staticTokens(t)
	})
	return b.loader.err
}

// wordllamaTokenizer reads the tokenizer of the file that package wordllama carries.
func (b *builder) wordllamaTokenizer(ctx context.Context) (*tokenizer.Tokenizer, error) {
	text, err := b.root.read(wordllamaTokenizer)
	if err == nil && text == nil {
		err = unreadable(wordllamaTokenizer, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	t, err := tokenizer.Parse(ctx, text)
	if err != nil {
		err = fmt.Errorf("%s: %w", wordllamaTokenizer, err)
	}
	return t, err
}
