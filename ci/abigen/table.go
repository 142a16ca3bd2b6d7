package main

import (
	"fmt"
	"strings"
)

// tableDoc is the doc comment of the table.
const tableDoc = `// Library is the table of entry points, one field for each function of the header and in its order.
// Implementations fill it, and callers call through it.
//
// The loader fills it from a shared library, the engine with Go functions. Argument structs,
// outcomes, arenas and views mean the same on both sides. A verb that an implementation lacks is
// never nil: it reports [StatusUnsupported] through its outcome and clears the outputs it was
// given. The optional functions without an outcome may be nil, but those that free something are
// not.
`

// writeTable is abi/table_generated.go: the table of entry points and the symbols it is filled
// from.
func writeTable(h *Header) string {
	var b strings.Builder
	n := h.namer("")
	b.WriteString(banner + "\npackage abi\n\n" + tableDoc + "type Library struct {\n")
	for _, f := range h.Functions {
		paragraphs := n.paragraphs(f.Doc)
		if f.Optional && h.fallback(f) == fallbackNil {
			paragraphs = append(paragraphs, "It is nil where the library lacks it.")
		}
		b.WriteString(comment("\t", f.Go+" is "+f.C+".", paragraphs))
		fmt.Fprintf(&b, "\t%s %s\n\n", f.Go, signature(f, ""))
	}
	b.WriteString("\t// Extensions are optional functions beyond the header.\n\tExtensions\n}\n\n")
	b.WriteString("// Symbol is one function that a shared library exports.\ntype Symbol struct {\n" +
		"\t// Name is the C name.\n\tName string\n" +
		"\t// Optional is whether a library may lack it.\n\tOptional bool\n}\n\n" +
		"// Symbols are the functions of the header, in the order of the fields of [Library]. Read only.\n" +
		"var Symbols = []Symbol{\n")
	for _, f := range h.Functions {
		fmt.Fprintf(&b, "\t{Name: %q, Optional: %t},\n", f.C, f.Optional)
	}
	b.WriteString("}\n")
	return b.String()
}

// signature is the Go type of an entry point; its types of package abi get the qualifier.
func signature(f Function, qualifier string) string {
	var parameters []string
	for i, p := range f.Parameters {
		// Neighbours of one type share its name, as Go writes them.
		if i+1 < len(f.Parameters) && f.Parameters[i+1].Type.Go == p.Type.Go {
			parameters = append(parameters, p.Go)
			continue
		}
		parameters = append(parameters, p.Go+" "+p.Type.qualified(qualifier))
	}
	text := "func(" + strings.Join(parameters, ", ") + ")"
	if f.Result.Kind != KindVoid {
		text += " " + f.Result.qualified(qualifier)
	}
	return text
}

// qualified returns the Go type as spelled outside of package abi.
func (t Type) qualified(qualifier string) string {
	name := strings.TrimPrefix(t.Go, "*")
	if name[0] >= 'A' && name[0] <= 'Z' {
		name = qualifier + name
	}
	return t.Go[:len(t.Go)-len(strings.TrimPrefix(t.Go, "*"))] + name
}

// structOf is the argument struct of an entry point that takes a pointer to one and nothing else.
func (h *Header) structOf(f Function) (Struct, bool) {
	if len(f.Parameters) != 1 || f.Parameters[0].Type.Kind != KindPointer {
		return Struct{}, false
	}
	for _, s := range h.Structs {
		if s.C == f.Parameters[0].Type.Elem {
			return s, true
		}
	}
	return Struct{}, false
}

// outcomeStruct is the struct that a verb reports through.
const outcomeStruct = "uform_outcome_t"

// A fallback is what the table holds for an optional entry point that a library lacks.
type fallback int

const (
	fallbackNil    fallback = iota // nil: callers check before they call
	fallbackRefuse                 // a verb that reports "unsupported"
	fallbackIgnore                 // a free that does nothing: no such handle exists
)

func (h *Header) fallback(f Function) fallback {
	if s, ok := h.structOf(f); ok && f.Result.Kind == KindVoid {
		for _, field := range s.Fields {
			if field.Type.Kind == KindPointer && field.Type.Elem == outcomeStruct {
				return fallbackRefuse
			}
		}
	}
	if len(f.Parameters) == 1 && f.Parameters[0].Type.Kind == KindOpaque && f.Result.Kind == KindVoid {
		return fallbackIgnore
	}
	return fallbackNil
}
