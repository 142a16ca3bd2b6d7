package jsonfile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A walk, and not [json.Decoder], because that takes four times as long for a vocabulary, and
// [json.Unmarshal] cannot be ended.

// How much is walked through between two looks at the context.
const (
	entriesBetween = 1024
	bytesBetween   = 1 << 20
)

// EachMember calls do with the members of an object in their order, of which some may have the same
// name. data must be UTF-8. Of a value only where it ends is known; whether it is JSON is found by
// who reads it. null has no members. When ctx is done, the walk ends with its error.
func EachMember(ctx context.Context, data []byte, do func(name string, value []byte) error) error {
	w := walker{ctx: ctx, data: data}
	return w.each('{', '}', "an object", func() error {
		w.space()
		if w.peek() != '"' {
			return w.wrong("the name of a member")
		}
		begin := w.at
		if err := w.text(); err != nil {
			return err
		}
		name, err := String(data[begin:w.at])
		if err != nil {
			return err
		}
		if w.space(); w.peek() != ':' {
			return w.wrong("a colon")
		}
		w.at++
		value, err := w.value()
		if err != nil {
			return err
		}
		return do(name, value)
	})
}

// EachElement is [EachMember] for the elements of a list.
func EachElement(ctx context.Context, data []byte, do func(value []byte) error) error {
	w := walker{ctx: ctx, data: data}
	return w.each('[', ']', "a list", func() error {
		value, err := w.value()
		if err != nil {
			return err
		}
		return do(value)
	})
}

// String decodes a string.
func String(value []byte) (string, error) {
	plain := len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"'
	if plain && !slices.ContainsFunc(value[1:len(value)-1], func(b byte) bool { return b < ' ' || b == '\\' || b == '"' }) {
		return string(value[1 : len(value)-1]), nil
	}
	var text *string
	if err := Decode(value, &text); err != nil {
		return "", err
	}
	if text == nil {
		return "", fmt.Errorf("null where a string belongs")
	}
	return *text, nil
}

// Number checks a number, and returns how the file writes it.
func Number(value []byte) (string, error) {
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return "", fmt.Errorf("%.40q where a number belongs", value)
	}
	var number json.Number
	if err := Decode(value, &number); err != nil {
		return "", err
	}
	return string(number), nil
}

// Unsigned decodes an integer that is not negative.
func Unsigned(value []byte) (uint64, error) {
	number, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || len(value) > 1 && value[0] == '0' {
		return 0, fmt.Errorf("%.40q where an integer of 0 or more belongs", value)
	}
	return number, nil
}

type walker struct {
	ctx   context.Context
	data  []byte
	at    int
	asked int // where the context was last looked at
}

// each calls entry at the begin of each entry between two brackets.
func (w *walker) each(open, shut byte, what string, entry func() error) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.space()
	if string(w.data[w.at:]) == "null" {
		return nil
	}
	if w.peek() != open {
		if kind := kindOf(w.peek()); kind != "" {
			return fmt.Errorf("%s where %s belongs", kind, what)
		}
		return w.wrong(what)
	}
	w.at++
	w.space()
	for count := 1; w.peek() != shut; count++ {
		if count%entriesBetween == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
		}
		if err := entry(); err != nil {
			return err
		}
		w.space()
		if w.peek() == shut {
			break
		}
		if w.peek() != ',' {
			return w.wrong("a comma")
		}
		w.at++
		if w.space(); w.peek() == shut {
			return w.wrong("another entry")
		}
	}
	w.at++
	if w.space(); w.at < len(w.data) {
		return w.wrong("the end")
	}
	return nil
}

// value returns the next value.
func (w *walker) value() ([]byte, error) {
	w.space()
	begin := w.at
	for depth := 0; ; {
		if w.at-w.asked > bytesBetween {
			w.asked = w.at
			if err := w.ctx.Err(); err != nil {
				return nil, err
			}
		}
		switch w.peek() {
		case '"':
			if err := w.text(); err != nil {
				return nil, err
			}
		case '{', '[':
			depth++
			w.at++
		case '}', ']', ',', ':':
			if depth == 0 {
				return nil, w.wrong("a value")
			}
			if c := w.data[w.at]; c == '}' || c == ']' {
				depth--
			}
			w.at++
		case 0:
			return nil, w.wrong("a value")
		default:
			for w.at < len(w.data) && !ends(w.data[w.at]) {
				w.at++
			}
		}
		if depth == 0 {
			return w.data[begin:w.at], nil
		}
		w.space()
	}
}

// ends reports whether a byte ends a number or a word.
func ends(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', '{', '}', '[', ']', '"', 0:
		return true
	}
	return false
}

// text goes past a string.
func (w *walker) text() error {
	for i := w.at + 1; i < len(w.data); i++ {
		switch w.data[i] {
		case '\\':
			i++
		case '"':
			w.at = i + 1
			return nil
		}
	}
	return errEnds
}

func (w *walker) space() {
	for w.at < len(w.data) && (w.data[w.at] == ' ' || w.data[w.at] == '\n' || w.data[w.at] == '\t' || w.data[w.at] == '\r') {
		w.at++
	}
}

// peek returns the next byte, 0 at the end.
func (w *walker) peek() byte {
	if w.at < len(w.data) {
		return w.data[w.at]
	}
	return 0
}

// kindOf names the kind of value that begins with a byte, empty for none.
func kindOf(first byte) string {
	switch {
	case first == '{':
		return "an object"
	case first == '[':
		return "a list"
	case first == '"':
		return "a string"
	case first == '-', first >= '0' && first <= '9':
		return "a number"
	}
	return ""
}

func (w *walker) wrong(belongs string) error {
	if w.at >= len(w.data) {
		return errEnds
	}
	return fmt.Errorf("not JSON at byte %d: %q where %s belongs", w.at, w.data[w.at], belongs)
}
