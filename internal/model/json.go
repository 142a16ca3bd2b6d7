package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/errors"
)

// deepestJSON is how deep objects and arrays may nest, the outermost counted.
const deepestJSON = 16

// reader walks one JSON text token by token. Unlike decoding into values it detects duplicate
// names, and skipped values take no memory. Every value is consumed by exactly one of its methods.
type reader struct {
	decoder *json.Decoder
	depth   int
}

// newReader refuses everything but one JSON value in UTF-8, so that the reader's methods only have
// to check types.
func newReader(text []byte) (*reader, error) {
	if !utf8.Valid(text) {
		return nil, malformed("not UTF-8")
	}
	if !json.Valid(text) {
		return nil, malformed("not JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return &reader{decoder: decoder}, nil
}

// malformed returns an error that wraps [errors.ErrMalformed].
func malformed(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrMalformed)...)
}

func (r *reader) token() (json.Token, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, malformed("not JSON: %v", err)
	}
	return token, nil
}

func (r *reader) descend() error {
	if r.depth++; r.depth > deepestJSON {
		return malformed("nests deeper than %d", deepestJSON)
	}
	return nil
}

// object calls member for each member, which consumes its value.
func (r *reader) object(member func(name string) error) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return malformed("%s instead of an object", kindOf(token))
	}
	return r.objectBody(member)
}

func (r *reader) objectBody(member func(name string) error) error {
	if err := r.descend(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.decoder.More() {
		token, err := r.token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return malformed("%q occurs twice", name)
		}
		seen[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	r.depth--
	_, err := r.token()
	return err
}

// array calls element for each element, which consumes it.
func (r *reader) array(element func(index int) error) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return malformed("%s instead of an array", kindOf(token))
	}
	return r.arrayBody(element)
}

func (r *reader) arrayBody(element func(index int) error) error {
	if err := r.descend(); err != nil {
		return err
	}
	for index := 0; r.decoder.More(); index++ {
		if err := element(index); err != nil {
			return err
		}
	}
	r.depth--
	_, err := r.token()
	return err
}

// skip consumes one value of any type, with the same checks as if it were read.
func (r *reader) skip() error {
	token, err := r.token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return r.objectBody(func(string) error { return r.skip() })
	case json.Delim('['):
		return r.arrayBody(func(int) error { return r.skip() })
	}
	return nil
}

func (r *reader) text() (string, error) {
	token, err := r.token()
	if err != nil {
		return "", err
	}
	text, ok := token.(string)
	if !ok {
		return "", malformed("%s instead of a string", kindOf(token))
	}
	return text, nil
}

func (r *reader) boolean() (bool, error) {
	token, err := r.token()
	if err != nil {
		return false, err
	}
	value, ok := token.(bool)
	if !ok {
		return false, malformed("%s instead of a boolean", kindOf(token))
	}
	return value, nil
}

func (r *reader) literal() (string, error) {
	token, err := r.token()
	if err != nil {
		return "", err
	}
	number, ok := token.(json.Number)
	if !ok {
		return "", malformed("%s instead of a number", kindOf(token))
	}
	return number.String(), nil
}

// number reads any JSON number that a float64 holds.
func (r *reader) number() (float64, error) {
	literal, err := r.literal()
	if err != nil {
		return 0, err
	}
	value, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return 0, malformed("%s is too large", literal)
	}
	return value, nil
}

// natural reads an integer of at least zero, written in digits alone, of at most 63 bits.
func (r *reader) natural() (int64, error) {
	literal, err := r.literal()
	if err != nil {
		return 0, err
	}
	value, err := strconv.ParseUint(literal, 10, 63)
	if err != nil {
		return 0, malformed("%s is not an integer of 0 or more in 63 bits", literal)
	}
	return int64(value), nil
}

// size reads a natural number that fits into an int.
func (r *reader) size() (int, error) {
	value, err := r.natural()
	if err == nil && value > math.MaxInt {
		err = malformed("%d is too large for this machine", value)
	}
	return int(value), err
}

// kindOf names the kind of an unexpected token, for an error.
func kindOf(token json.Token) string {
	switch token.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case nil:
		return "null"
	}
	if token == json.Delim('{') {
		return "an object"
	}
	return "an array"
}
