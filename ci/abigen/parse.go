package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing/fstest"

	"modernc.org/cc/v4"
)

// headerName is the header's name in the positions of errors.
const headerName = "uform.h"

// Headers are the texts of the header's files by their paths below abi: headerName, which includes
// the others, and namesName, which is not C.
type Headers map[string][]byte

// A Target is one C implementation to lay the header out for.
type Target struct{ OS, Arch string }

func (t Target) String() string { return t.OS + "/" + t.Arch }

// Header is the header as one target sees it, every list in the order of declaration.
type Header struct {
	Version   [3]int64 // major, minor, patch
	Enums     []Enum
	Opaques   []Opaque
	Structs   []Struct
	Functions []Function

	names   map[string]string // Go names from the table, by C names
	renamed map[string]bool   // those of them that the header has
}

// Enum is one enumeration; Size is what the target gives it, in bytes.
type Enum struct {
	C, Go, Doc string
	Values     []Value
	Size       int64
}

// Value is one enumerator; Short is its C name without what it shares with the enumeration's.
type Value struct {
	C, Go, Short, Doc string
	Number            int64
}

// Opaque is a typedef whose values this binding only passes on: a handle, or a pointer to a
// function.
type Opaque struct {
	C, Go, Doc string
	Callback   bool
}

// Struct is one struct with its size on the target, in bytes.
type Struct struct {
	C, Go, Doc string
	Fields     []Field
	Size       int64
}

// Field is one field of a struct with its place on the target, in bytes.
type Field struct {
	C, Go, Doc    string
	Type          Type
	Offset, Width int64
}

// Function is one entry point.
type Function struct {
	C, Go, Doc string
	Parameters []Parameter
	Result     Type
	Optional   bool
}

// Parameter is one parameter of an entry point.
type Parameter struct {
	C, Go string
	Type  Type
}

// The three standard headers that uform.h includes, reduced to what it needs, so that parsing reads
// no file of the machine.
var standardHeaders = map[string]string{
	"stdint.h": `
typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;
typedef __SIZE_TYPE__ uintptr_t; typedef __PTRDIFF_TYPE__ intptr_t;
`,
	"stddef.h": `
typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define NULL ((void*)0)
#define offsetof(type, field) ((size_t)&(((type*)0)->field))
`,
	"stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
}

// predefined are the macros that a compiler for the target predefines. UFORM_API is always plain
// extern: the parser drops a declaration with __declspec without an error.
func predefined(abi *cc.ABI, target Target) string {
	word := "long"
	switch {
	case abi.Types[cc.Ptr].Size == 4:
		word = "int"
	case target.OS == "windows":
		word = "long long"
	}
	return "#define __SIZE_TYPE__ unsigned " + word + "\n#define __PTRDIFF_TYPE__ " + word +
		"\n#define __STDC_VERSION__ 201112L\n#define UFORM_API extern\n"
}

// parse reads the header for one target. It also evaluates the header's own static assertions, and
// refuses every construct it has no rule for.
func parse(target Target, headers Headers) (header *Header, err error) {
	// The parser expects code that compiles; other text must be an error too.
	defer func() {
		if cause := recover(); cause != nil {
			header, err = nil, fmt.Errorf("%s: the C parser failed: %v", headerName, cause)
		}
	}()
	abi, err := cc.NewABI(target.OS, target.Arch)
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	for name, text := range standardHeaders {
		files["sys/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range headers {
		files[name] = &fstest.MapFile{Data: text}
	}
	config := &cc.Config{
		ABI: abi, Header: true, EvalAllMacros: true, UnsignedEnums: target.OS != "windows",
		FSOnly: true, FS: files, IncludePaths: []string{"", "."}, SysIncludePaths: []string{"sys", "."},
	}
	ast, err := cc.Translate(config, []cc.Source{
		{Name: "<predefined>", Value: predefined(abi, target)},
		{Name: "<builtin>", Value: "int __predefined_declarator;\n"},
		{Name: headerName, Value: string(headers[headerName])},
		// After an incomplete declaration the parser skips to a token that may follow. At the end
		// of the text it would never stop, so this declaration is appended.
		{Name: "<end>", Value: "\n; void __end_of_header(int a[1], int b);\n"},
	})
	if err != nil {
		return nil, brief(err, headers)
	}
	h := &Header{renamed: map[string]bool{}}
	if h.names, err = readNames(headers[namesName]); err != nil {
		return nil, err
	}
	for unit := ast.TranslationUnit; unit != nil; unit = unit.TranslationUnit {
		if d := unit.ExternalDeclaration; d != nil && headers[d.Position().Filename] != nil {
			if err := h.declaration(d); err != nil {
				return nil, err
			}
		}
	}
	for i, name := range []string{"UFORM_VERSION_MAJOR", "UFORM_VERSION_MINOR", "UFORM_VERSION_PATCH"} {
		macro := ast.Macros[name]
		if macro == nil {
			return nil, fmt.Errorf("%s: not defined", name)
		}
		if h.Version[i], err = integer(macro.Value()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return h, h.checkNames()
}

// brief returns the parser's first error with its line: after one wrong declaration the parser
// refuses most of what follows.
func brief(err error, headers Headers) error {
	complaints := strings.Split(err.Error(), "\n")
	first := complaints[0]
	if place := complaintPlace.FindStringSubmatch(first); place != nil {
		lines := strings.Split(string(headers[place[1]]), "\n")
		if line, err := strconv.Atoi(place[2]); err == nil && line >= 1 && line <= len(lines) {
			first += ", in: " + strings.TrimSpace(lines[line-1])
		}
	}
	if len(complaints) > 1 {
		first += fmt.Sprintf(" (and %d more errors)", len(complaints)-1)
	}
	return errors.New(first)
}

// complaintPlace matches a position in the parser's errors: a file and a line.
var complaintPlace = regexp.MustCompile(`^([^:]+):(\d+):\d+:`)

// integer reads a constant as the parser evaluated it.
func integer(value cc.Value) (int64, error) {
	switch v := value.(type) {
	case cc.Int64Value:
		return int64(v), nil
	case cc.UInt64Value:
		return int64(v), nil
	}
	return 0, fmt.Errorf("%v is not an integer constant", value)
}

// commentBefore is the documentation of a declaration: the parser stores it with the first token of
// the declaration.
func commentBefore(n cc.Node) string {
	tokens := cc.NodeTokens(n)
	if len(tokens) == 0 {
		return ""
	}
	return docComment(tokens[0].Sep())
}

// declaration adds one external declaration of the header.
func (h *Header) declaration(external *cc.ExternalDeclaration) error {
	d := external.Declaration
	where := external.Position()
	if external.Case != cc.ExternalDeclarationDecl || d == nil {
		return fmt.Errorf("%v: neither a declaration nor a definition of a type; the generator has no rule for it", where)
	}
	list := d.InitDeclaratorList
	// An assertion has been evaluated already; its semicolon is parsed as an empty declaration.
	if d.Case == cc.DeclarationAssert || d.DeclarationSpecifiers == nil && list == nil {
		return nil
	}
	if d.Case != cc.DeclarationDecl || list == nil || list.InitDeclaratorList != nil {
		return fmt.Errorf("%v: %s: expected one name per declaration", where, excerpt(d))
	}
	declarator := list.InitDeclarator.Declarator
	name, doc := declarator.Name(), commentBefore(d)
	err := errors.New("expected a typedef of an enum, a struct or a pointer, or a function")
	switch t := declarator.Type().(type) {
	case *cc.EnumType:
		if declarator.IsTypename() {
			err = h.enum(name, doc, t, d)
		}
	case *cc.StructType:
		if declarator.IsTypename() {
			err = h.structure(name, doc, t, d)
		}
	case *cc.PointerType:
		if declarator.IsTypename() {
			err = h.opaque(name, doc, t)
		}
	case *cc.FunctionType:
		if !declarator.IsTypename() {
			err = h.function(name, doc, t)
		}
	}
	if err != nil {
		return fmt.Errorf("%v: %s: %w", where, name, err)
	}
	return nil
}

// excerpt is the beginning of a declaration, for an error about one that has no single name.
func excerpt(n cc.Node) string {
	text := strings.Join(strings.Fields(cc.NodeSource(n)), " ")
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return text
}

func (h *Header) enum(name, doc string, t *cc.EnumType, d *cc.Declaration) error {
	e := Enum{C: name, Go: h.goName(name, typeName(name)), Doc: doc, Size: t.Size()}
	specifier := find[*cc.EnumSpecifier](d)
	if specifier == nil || specifier.Case != cc.EnumSpecifierDef {
		return errors.New("the enumeration is not defined in its typedef")
	}
	for list := specifier.EnumeratorList; list != nil; list = list.EnumeratorList {
		c := list.Enumerator.Token.SrcStr()
		number, err := integer(list.Enumerator.Value())
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		if number != int64(int32(number)) {
			return fmt.Errorf("%s: %d does not fit 32 bits", c, number)
		}
		e.Values = append(e.Values, Value{
			C: c, Go: h.goName(c, constantName(c)), Short: shortName(name, c), Number: number,
			Doc: docComment(list.Enumerator.Token.Sep()),
		})
	}
	h.Enums = append(h.Enums, e)
	return nil
}

func (h *Header) opaque(name, doc string, t *cc.PointerType) error {
	o := Opaque{C: name, Go: h.goName(name, typeName(name)), Doc: doc}
	switch elem := t.Elem().(type) {
	case *cc.FunctionType:
		o.Callback = true
	case *cc.StructType:
		if !elem.IsIncomplete() {
			return errors.New("a handle points at an opaque struct, this one is defined")
		}
	default:
		return fmt.Errorf("a typedef of a pointer to %s is neither a handle nor a callback", elem)
	}
	h.Opaques = append(h.Opaques, o)
	return nil
}

func (h *Header) structure(name, doc string, t *cc.StructType, d *cc.Declaration) error {
	s := Struct{C: name, Go: h.goName(name, typeName(name)), Doc: doc, Size: t.Size()}
	specifier := find[*cc.StructOrUnionSpecifier](d)
	if specifier == nil || specifier.Case != cc.StructOrUnionSpecifierDef {
		return errors.New("the struct is not defined in its typedef")
	}
	for list := specifier.StructDeclarationList; list != nil; list = list.StructDeclarationList {
		if list.StructDeclaration.Case != cc.StructDeclarationDecl {
			return errors.New("only fields may stand in a struct")
		}
		fieldDoc := commentBefore(list.StructDeclaration)
		names := list.StructDeclaration.StructDeclaratorList
		if names == nil {
			return errors.New("a field without a name; the generator has no rule for it")
		}
		for ; names != nil; names = names.StructDeclaratorList {
			i := len(s.Fields)
			if i >= t.NumFields() || names.StructDeclarator.Declarator == nil {
				return fmt.Errorf("field %d has no name", i)
			}
			place := t.FieldByIndex(i)
			c := place.Name()
			if c != names.StructDeclarator.Declarator.Name() {
				return fmt.Errorf("field %d is %s to the parser and %s in the text", i, c,
					names.StructDeclarator.Declarator.Name())
			}
			if place.IsBitfield() {
				return fmt.Errorf("%s.%s: bit-fields have no portable layout", name, c)
			}
			kind, err := h.fieldType(s, c, place.Type())
			if err != nil {
				return fmt.Errorf("%s.%s: %w", name, c, err)
			}
			s.Fields = append(s.Fields, Field{
				C: c, Go: h.goName(name+"."+c, camel(c)), Doc: fieldDoc, Type: kind, Offset: place.Offset(), Width: place.Type().Size(),
			})
		}
	}
	if len(s.Fields) != t.NumFields() {
		return fmt.Errorf("%d fields in the text, %d to the parser", len(s.Fields), t.NumFields())
	}
	h.Structs = append(h.Structs, s)
	return nil
}

func (h *Header) function(name, doc string, t *cc.FunctionType) error {
	f := Function{C: name, Go: h.goName(name, functionName(name)), Doc: doc, Optional: strings.Contains(doc, "@b Optional")}
	if t.IsVariadic() {
		return errors.New("a variadic function cannot be called portably")
	}
	for i, p := range t.Parameters() {
		if p.Type().Kind() == cc.Void {
			continue
		}
		kind, err := h.parameterType(p.Type())
		if err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
		if p.Name() == "" {
			return fmt.Errorf("parameter %d has no name", i+1)
		}
		f.Parameters = append(f.Parameters, Parameter{C: p.Name(), Go: parameterName(p.Name()), Type: kind})
	}
	var err error
	if f.Result, err = h.resultType(t.Result()); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	h.Functions = append(h.Functions, f)
	return nil
}

// find is the specifier of a declaration with the given node type, or nil.
func find[N *cc.EnumSpecifier | *cc.StructOrUnionSpecifier](d *cc.Declaration) N {
	for s := d.DeclarationSpecifiers; s != nil; s = s.DeclarationSpecifiers {
		if s.TypeSpecifier == nil {
			continue
		}
		if n, ok := any(s.TypeSpecifier.EnumSpecifier).(N); ok && n != nil {
			return n
		}
		if n, ok := any(s.TypeSpecifier.StructOrUnionSpecifier).(N); ok && n != nil {
			return n
		}
	}
	return nil
}
