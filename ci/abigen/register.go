package main

import (
	"fmt"
	"strings"
)

// registerDoc says what the generated code leaves to its callers.
const registerDoc = `// register fills the table with the functions of a library: each by purego.RegisterLibFunc, which
// reads its name and the Go type of its field. The addresses are those of abi.Symbols, in their
// order; the caller has made sure that none is zero but those of optional functions, as purego
// panics where a symbol is missing. What stands for an optional one that the library lacks is
// written here.
//
// What an argument points at must neither move nor be freed while C uses it. An argument of a
// function that is called through a variable escapes to the heap, where nothing moves, and purego
// keeps it alive past the call.
`

// directDoc says why the generated code replaces the functions that register has set.
const directDoc = `// direct replaces the functions of one pointer by calls without reflection. The argument escapes to
// the heap, as it does through purego, and is kept alive past the call.
`

// writeRegister is loader/register_generated.go: the code that fills the table from a library.
func writeRegister(h *Header) string {
	var b strings.Builder
	b.WriteString(banner + "\npackage loader\n\nimport (\n" +
		"\t\"github.com/unum-cloud/uform-go/abi\"\n\t\"github.com/unum-cloud/uform-go/internal/native\"\n)\n\n")
	b.WriteString(registerDoc + "func register(library *abi.Library, handle uintptr, addresses []uintptr) {\n")
	for i, f := range h.Functions {
		call := fmt.Sprintf("native.RegisterLibFunc(&library.%s, handle, %q)\n", f.Go, f.C)
		if !f.Optional {
			b.WriteString(call)
			continue
		}
		fmt.Fprintf(&b, "if addresses[%d] != 0 {\n%s} else {\n", i, call)
		switch h.fallback(f) {
		case fallbackRefuse:
			fmt.Fprintf(&b, "library.%s = %s {\n%s}\n", f.Go, signature(f, "abi."), h.refusal(f))
		case fallbackIgnore:
			fmt.Fprintf(&b, "library.%s = func(%s) {}\n", f.Go, f.Parameters[0].Type.qualified("abi."))
		default:
			fmt.Fprintf(&b, "library.%s = nil\n", f.Go)
		}
		b.WriteString("}\n")
	}
	b.WriteString("}\n\n// refuseVerb writes to an outcome that the library lacks the verb.\n" +
		"func refuseVerb(outcome *abi.Outcome) {\n\tif outcome != nil {\n" +
		"\t\t*outcome = abi.Outcome{Status: abi.StatusUnsupported, Item: -1}\n\t}\n}\n\n" +
		"// clearOutput zeroes an output that the caller has passed.\n" +
		"func clearOutput[T any](output *T) {\n\tif output != nil {\n\t\tvar zero T\n\t\t*output = zero\n\t}\n}\n")
	return b.String()
}

// writeDirect is loader/direct_generated.go: the direct calls of the functions that take one
// pointer.
func writeDirect(h *Header) string {
	var b strings.Builder
	b.WriteString(banner + "\npackage loader\n\nimport (\n\t\"runtime\"\n\t\"unsafe\"\n\n" +
		"\t\"github.com/unum-cloud/uform-go/abi\"\n\t\"github.com/unum-cloud/uform-go/internal/native\"\n)\n\n")
	b.WriteString(directDoc + "func direct(library *abi.Library, addresses []uintptr) {\n")
	for i, f := range h.Functions {
		body, ok := h.directBody(f)
		if !ok {
			continue
		}
		assign := fmt.Sprintf("library.%s = %s {\n%s}\n", f.Go, signature(f, "abi."), body)
		if f.Optional {
			fmt.Fprintf(&b, "if function := addresses[%d]; function != 0 {\n%s}\n", i, assign)
		} else {
			fmt.Fprintf(&b, "{\nfunction := addresses[%d]\n%s}\n", i, assign)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// directBody returns the body of the closure that calls a function of one pointer at the address
// named function; it is empty for other functions.
func (h *Header) directBody(f Function) (string, bool) {
	if _, ok := h.structOf(f); !ok {
		return "", false
	}
	name := f.Parameters[0].Go
	call := fmt.Sprintf("native.Call(function, unsafe.Pointer(%s))", name)
	keep := fmt.Sprintf("runtime.KeepAlive(%s)\n", name)
	switch f.Result.Kind {
	case KindVoid:
		return call + "\n" + keep, true
	case KindEnum:
		return fmt.Sprintf("answer := %s(%s)\n%sreturn answer\n", f.Result.qualified("abi."), call, keep), true
	}
	return "", false
}

// refusal returns the body of the closure for a verb that the library lacks: it zeroes every output
// that a caller would read or free later, views and handles, and the outcome reports it.
func (h *Header) refusal(f Function) string {
	s, _ := h.structOf(f)
	name := f.Parameters[0].Go
	var b strings.Builder
	for _, field := range s.Fields {
		target, known := h.named(field.Type.Elem)
		if field.Type.Kind != KindPointer || !known {
			continue
		}
		if target.Kind == KindOpaque || target.Kind == KindStruct && strings.HasSuffix(target.Elem, "_view_t") {
			fmt.Fprintf(&b, "clearOutput(%s.%s)\n", name, field.Go)
		}
	}
	for _, field := range s.Fields {
		if field.Type.Elem == outcomeStruct {
			fmt.Fprintf(&b, "refuseVerb(%s.%s)\n", name, field.Go)
		}
	}
	return b.String()
}
