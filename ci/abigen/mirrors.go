package main

import (
	"fmt"
	"strings"
)

// writeMirrors is abi/mirrors_generated.go: a Go struct of the same layout for each C struct, and
// the handles.
func writeMirrors(h *Header) string {
	var b strings.Builder
	n := h.namer("")
	b.WriteString(banner + "\npackage abi\n\nimport \"unsafe\"\n")
	for _, o := range h.Opaques {
		what := "An address that the library owns or an id of the engine, and zero where C has NULL. The collector does not follow it."
		if o.Callback {
			what = "The address of a C function, or zero for none."
		}
		b.WriteString("\n" + comment("", o.Go+" mirrors "+o.C+".", append(n.paragraphs(o.Doc), what)))
		fmt.Fprintf(&b, "type %s uintptr\n", o.Go)
	}
	for _, s := range h.Structs {
		inside := n.within(s)
		b.WriteString("\n" + comment("", s.Go+" mirrors "+s.C+".", h.structDoc(s, inside)))
		fmt.Fprintf(&b, "type %s struct {\n", s.Go)
		for _, f := range s.Fields {
			b.WriteString(comment("\t", "", inside.paragraphs(f.Doc)))
			fmt.Fprintf(&b, "\t%s %s\n", f.Go, f.Type.Go)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// structDoc returns what the header says of a struct, or which entry points take it, and what holds
// in Go alone.
func (h *Header) structDoc(s Struct, n Namer) []string {
	paragraphs := n.paragraphs(s.Doc)
	if onlySees(s.Doc) {
		paragraphs = nil
		var takers []string
		for _, f := range h.Functions {
			if len(f.Parameters) == 1 && f.Parameters[0].Type.Elem == s.C {
				takers = append(takers, "[Library."+f.Go+"]")
			}
		}
		if len(takers) > 0 {
			paragraphs = []string{"Arguments of " + strings.Join(takers, " and ") + "."}
		}
	}
	for _, f := range s.Fields {
		if f.Type.Kind == KindScalar && wide(f.Type.Go) {
			return append(paragraphs, "It holds 64-bit fields, which C may assume to lie on multiples of eight, while Go may align them "+
				"to four: on 32-bit targets allocate it by itself on the heap.")
		}
	}
	return paragraphs
}
