// Package jsonfile reads JSON of files that others wrote. Its errors are in the words of the file:
// where it is, what is there, and what belongs there. None shows a name of Go.
package jsonfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode is [json.Unmarshal].
func Decode(data []byte, to any) error {
	err := json.Unmarshal(data, to)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return errEnds
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %s", syntax.Offset, strings.TrimPrefix(syntax.Error(), "json: "))
	case errors.As(err, &kind):
		wrong := fmt.Errorf("%s where %s belongs", found(kind.Value), wanted(kind.Type))
		if kind.Field != "" {
			return fmt.Errorf("%s: %w", kind.Field, wrong)
		}
		return wrong
	}
	return err
}

var errEnds = errors.New("the JSON ends before it is complete")

// found names what a file has. value is a kind, or "number" and the digits.
func found(value string) string {
	if digits, is := strings.CutPrefix(value, "number "); is {
		return digits[:min(len(digits), 40)]
	}
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + value
}

// wanted names what a type is decoded from.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[json.Number]() {
		return "a number"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}
