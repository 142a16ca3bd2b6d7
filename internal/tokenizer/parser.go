package tokenizer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/unum-cloud/uform-go/internal/jsonfile"
)

// Limits of files. Real ones stay far below: the largest tokenizer.json, those of vocabularies of a
// quarter of a million pieces, have 17 to 35 MB.
const (
	maxFile   = 64 << 20
	maxValue  = 8 << 20 // of what is decoded at once, which nothing can end
	maxPieces = 1 << 21
	maxAdded  = 1 << 16 // tokens besides the model's
	maxDepth  = 32      // of sequences in sequences
	maxSteps  = 200
)

// unsupported is an error about what this package lacks. It is [errors.ErrUnsupported].
func unsupported(format string, arguments ...any) error {
	return &unsupportedError{fmt.Sprintf(format, arguments...)}
}

type unsupportedError struct{ text string }

func (e *unsupportedError) Error() string { return e.text }

func (e *unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

// parser makes a tokenizer of the parts of a file.
type parser struct {
	ctx     context.Context // of the call that the parser lives for
	t       *Tokenizer
	steps   int
	entries int
	isBytes *byteLevel // the last pre-tokenizer, where it is of that kind
}

// goes counts an entry of a table, and looks at the context once in a while.
func (p *parser) goes() error {
	if p.entries++; p.entries%1024 != 0 {
		return nil
	}
	return p.ctx.Err()
}

// step counts a step of normalizing and what comes after.
func (p *parser) step(depth int) error {
	if p.steps++; depth > maxDepth || p.steps > maxSteps {
		return unsupported("sequences of over %d levels or %d steps are not supported", maxDepth, maxSteps)
	}
	return nil
}

// decode decodes a value of bounded length.
func (p *parser) decode(data []byte, to any) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if len(data) > maxValue {
		return unsupported("it has %d bytes; at most %d are read", len(data), maxValue)
	}
	return jsonfile.Decode(data, to)
}

// object is members of a JSON object.
type object map[string]json.RawMessage

// members reads those members of an object that have some names. Of several of a name it takes the
// last.
func (p *parser) members(data []byte, names ...string) (object, error) {
	o := object{}
	return o, jsonfile.EachMember(p.ctx, data, func(name string, value []byte) error {
		if slices.Contains(names, name) {
			o[name] = value
		}
		return nil
	})
}

// member decodes a member of an object, and leaves what it is read into alone where it is absent.
func (p *parser) member(o object, name string, to any) error {
	if len(o[name]) == 0 {
		return nil
	}
	if err := p.decode(o[name], to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// entries reads the entries of a list, none where it is absent. one names an entry in errors.
func entries[T any](p *parser, data json.RawMessage, one string, read func(value []byte) (T, error)) (all []T, err error) {
	if absent(data) {
		return nil, nil
	}
	err = jsonfile.EachElement(p.ctx, data, func(value []byte) error {
		entry, err := read(value)
		switch {
		case err != nil:
			return fmt.Errorf("%s %d: %w", one, len(all), err)
		case len(all) == maxPieces:
			return unsupported("there are over %d", maxPieces)
		}
		all = append(all, entry)
		return nil
	})
	return all, err
}

func absent(data json.RawMessage) bool { return len(data) == 0 || bytes.Equal(data, []byte("null")) }

// kindName reads which kind of step an object is.
func (p *parser) kindName(data []byte) (string, error) {
	var tagged struct {
		Type string `json:"type"`
	}
	err := p.decode(data, &tagged)
	return tagged.Type, err
}
