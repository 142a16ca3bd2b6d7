package main

import (
	"errors"
	"fmt"

	"modernc.org/cc/v4"
)

// A Kind classifies a C type for the generator.
type Kind int

const (
	KindVoid    Kind = iota // no result
	KindScalar              // an integer or a float of the same width in Go
	KindEnum                // an enumeration of the header
	KindOpaque              // a handle or a callback
	KindStruct              // a struct by value
	KindArray               // a fixed array of char
	KindText                // a pointer to NUL-terminated text
	KindPointer             // a pointer to a struct, an enumeration, a handle or a scalar
	KindAddress             // an address the collector must not follow
	KindUntyped             // a pointer to void
	KindForeign             // a typed pointer, perhaps to device memory that Go must not read
)

// Type is a C type together with the Go type that stands for it.
type Type struct {
	Kind Kind
	Go   string // as spelled inside package abi
	Elem string // C name of a KindPointer's target, or of the type itself
}

// addresses are the fields whose value the library owns and which outlives the call that wrote it.
// The collector must never see them: a stale address in a pointer would abort the program. A
// callback's state is recognized by its place, see fieldType.
var addresses = map[string]bool{
	"uform_outcome_t.message": true,
	"uform_outcome_t.call":    true,
}

// deviceAddresses are typed pointers into the library's memory, perhaps that of a device, so they
// have no element type.
var deviceAddresses = map[string]bool{
	"uform_rows_tape_view_t.offsets": true,
}

// scalars are the Go types of the C types that are spelled by typedef.
var scalars = map[string]string{
	"size_t": "uintptr", "uintptr_t": "uintptr",
	"int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16",
	"int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
}

// plain are the Go types of the C types that have no typedef.
var plain = map[cc.Kind]string{
	cc.Int: "int32", cc.UInt: "uint32", cc.Float: "float32", cc.Double: "float64", cc.Bool: "uint8",
}

// typedefName returns the typedef's name where a type was written by one, else "".
func typedefName(t cc.Type) string {
	if d := t.Typedef(); d != nil {
		return d.Name()
	}
	return ""
}

// named returns the type that the header declared before by this name.
func (h *Header) named(c string) (Type, bool) {
	for _, e := range h.Enums {
		if e.C == c {
			return Type{Kind: KindEnum, Go: e.Go, Elem: c}, true
		}
	}
	for _, o := range h.Opaques {
		if o.C == c {
			return Type{Kind: KindOpaque, Go: o.Go, Elem: c}, true
		}
	}
	for _, s := range h.Structs {
		if s.C == c {
			return Type{Kind: KindStruct, Go: s.Go, Elem: c}, true
		}
	}
	return Type{}, false
}

// value is the rule for every type that is not written as a pointer or an array.
func (h *Header) value(t cc.Type) (Type, error) {
	name := typedefName(t)
	if known, ok := h.named(name); ok {
		return known, nil
	}
	if goName, ok := scalars[name]; ok {
		return Type{Kind: KindScalar, Go: goName, Elem: name}, nil
	}
	if goName, ok := plain[t.Kind()]; ok && name == "" {
		return Type{Kind: KindScalar, Go: goName}, nil
	}
	return Type{}, fmt.Errorf("no rule for the type %s", t)
}

// fieldType is the Go type of one field, next in s.
func (h *Header) fieldType(s Struct, field string, t cc.Type) (Type, error) {
	path := s.C + "." + field
	if addresses[path] {
		return Type{Kind: KindAddress, Go: "uintptr"}, nil
	}
	if array, ok := t.(*cc.ArrayType); ok {
		if array.Elem().Kind() != cc.Char || array.Len() < 1 {
			return Type{}, errors.New("only arrays of char of a fixed length have a rule")
		}
		return Type{Kind: KindArray, Go: fmt.Sprintf("[%d]byte", array.Len())}, nil
	}
	pointer, ok := t.(*cc.PointerType)
	if !ok || typedefName(t) != "" {
		return h.value(t)
	}
	elem := pointer.Elem()
	switch {
	case deviceAddresses[path]:
		return Type{Kind: KindForeign, Go: "unsafe.Pointer"}, nil
	case elem.Kind() == cc.Void && h.followsCallback(s):
		return Type{Kind: KindAddress, Go: "uintptr"}, nil
	case elem.Kind() == cc.Void:
		return Type{Kind: KindUntyped, Go: "unsafe.Pointer"}, nil
	case elem.Kind() == cc.Char:
		return Type{Kind: KindText, Go: "*byte"}, nil
	}
	target, err := h.value(elem)
	if err != nil {
		return Type{}, err
	}
	return Type{Kind: KindPointer, Go: "*" + target.Go, Elem: target.Elem}, nil
}

// followsCallback is whether the field before is a callback: then a void pointer is the callback's
// state, which the library passes back and never reads.
func (h *Header) followsCallback(s Struct) bool {
	if len(s.Fields) == 0 {
		return false
	}
	before := s.Fields[len(s.Fields)-1].Type
	for _, o := range h.Opaques {
		if o.Callback && o.C == before.Elem {
			return true
		}
	}
	return false
}

// parameterType is the Go type of one parameter. Floats and structs by value are refused: some
// ports of purego pass them wrongly.
func (h *Header) parameterType(t cc.Type) (Type, error) {
	if pointer, ok := t.(*cc.PointerType); ok && typedefName(t) == "" {
		elem := pointer.Elem()
		if elem.Kind() == cc.Char {
			return Type{Kind: KindText, Go: "string"}, nil
		}
		target, err := h.value(elem)
		if err != nil {
			return Type{}, err
		}
		return Type{Kind: KindPointer, Go: "*" + target.Go, Elem: target.Elem}, nil
	}
	kind, err := h.value(t)
	switch {
	case err != nil:
		return kind, err
	case kind.Kind == KindStruct, t.Kind() == cc.Float, t.Kind() == cc.Double:
		return kind, fmt.Errorf("%s by value cannot be passed portably", kind.Go)
	case kind.Kind == KindScalar && wide(kind.Go):
		return kind, fmt.Errorf("%s takes two registers on 32-bit targets", kind.Go)
	}
	return kind, nil
}

// resultType is the Go type of a result, which must fit one register everywhere.
func (h *Header) resultType(t cc.Type) (Type, error) {
	if t.Kind() == cc.Void {
		return Type{Kind: KindVoid}, nil
	}
	kind, err := h.parameterType(t)
	switch {
	case err != nil:
		return kind, err
	case kind.Kind == KindPointer, kind.Kind == KindOpaque:
		return kind, fmt.Errorf("%s as a result has no rule; results go through argument structs", kind.Go)
	}
	return kind, nil
}

// wide reports whether a Go scalar has 64 bits on every target.
func wide(name string) bool { return name == "int64" || name == "uint64" || name == "float64" }
