package uform

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/errors"
)

// embedSkipping embeds the texts that are not at fault, and reports the others to options.Skip.
func (r receiver) embedSkipping(ctx context.Context, texts []string, into *Arena, options *EmbedOptions) ([][]float32, error) {
	var faults []*Error
	good, items := make([]string, 0, len(texts)), make([]int, 0, len(texts))
	for i, text := range texts {
		if !utf8.ValidString(text) {
			faults = append(faults, notUTF8(text, i))
			continue
		}
		good, items = append(good, text), append(items, i)
	}
	rows, cut, err := r.embedOrCut(ctx, good, into, options)
	if err != nil {
		return nil, ofItem(err, items)
	}
	for _, c := range cut {
		rows[c.Item] = nil
		cause := fmt.Errorf("the text has %d bytes more than the model's context holds: split it, or unset Whole", c.Bytes)
		faults = append(faults, errors.New(encodingTexts, errors.ErrInvalidArgument, items[c.Item], cause))
	}
	vectors := make([][]float32, len(texts))
	for i, row := range rows {
		vectors[items[i]] = row
	}
	slices.SortFunc(faults, func(a, b *Error) int { return cmp.Compare(a.Item, b.Item) })
	for _, fault := range faults {
		options.Skip(fault)
	}
	return vectors, nil
}

// embedOrCut embeds texts, and with options.Whole returns those that are too long in place of
// failing: one call then finds all of them.
func (r receiver) embedOrCut(ctx context.Context, texts []string, into *Arena, options *EmbedOptions) ([][]float32, []Cut, error) {
	if !options.Whole {
		windowed := *options
		windowed.Skip = nil
		rows, err := r.embed(ctx, texts, into, &windowed)
		return rows, nil, err
	}
	encoding := options.encoding()
	encoding.Progress = options.Progress
	encoded, err := r.textEncode(ctx, Strings(texts), into, encoding)
	if err != nil {
		return nil, nil, err
	}
	rows, err := encoded.Embeddings.Copy()
	return rows, encoded.Cut, err
}
