package main

import (
	"fmt"
	"strings"
)

// nativeConstraint is where the loader can open shared libraries; it stands on all of the loader's files that do.
const nativeConstraint = "//go:build !uform_static && (" +
	"(linux && !android && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64)) || " +
	"(linux && !android && s390x && (cgo || go1.27)) || " +
	"(darwin && !ios && (amd64 || arm64)) || " +
	"(windows && (386 || amd64 || arm64)) || " +
	"(netbsd && (amd64 || arm64)) || " +
	"(freebsd && cgo && (amd64 || arm64)))\n"

// bindDoc names the primitives that the generated code is written against.
const bindDoc = `// bind fills the table from the addresses of abi.Symbols, in their order and zero for one that the library lacks. The
// caller has made sure that none is zero but optional ones.
//
// It leans on the primitives of this package: call for a function that takes one pointer, callStatus for one that
// answers 32 bits besides, syscallN for every other one, cString and goString for text. Conversions to uintptr extend the
// sign and those from it cut off, as C leaves the upper half of a register undefined. The memory an argument points
// at must neither move nor go while C has it: call and callStatus see to that themselves, syscallN carries
// uintptrescapes, and each closure here keeps what it was given alive past the call.
`

// writeBind is loader/bind_generated.go: the code that fills the table from symbol addresses, without reflection.
func writeBind(h *Header) string {
	var b strings.Builder
	b.WriteString(banner + "\n" + nativeConstraint + "\npackage loader\n\nimport (\n\t\"runtime\"\n\t\"unsafe\"\n\n" +
		"\t\"github.com/unum-cloud/uform-go/abi\"\n)\n\n")
	b.WriteString(bindDoc + "func bind(library *abi.Library, addresses []uintptr) {\n")
	for i, f := range h.Functions {
		assign := fmt.Sprintf("library.%s = %s {\n%s}", f.Go, signature(f, "abi."), h.body(f))
		if !f.Optional {
			fmt.Fprintf(&b, "\t{\n\t\tfunction := addresses[%d]\n\t\t%s\n\t}\n", i, assign)
			continue
		}
		fmt.Fprintf(&b, "\tif function := addresses[%d]; function != 0 {\n\t\t%s\n\t}", i, assign)
		switch h.fallback(f) {
		case fallbackRefuse:
			fmt.Fprintf(&b, " else {\n\t\tlibrary.%s = %s {\n%s}\n\t}\n", f.Go, signature(f, "abi."), h.refusal(f))
		case fallbackIgnore:
			fmt.Fprintf(&b, " else {\n\t\tlibrary.%s = func(%s) {}\n\t}\n", f.Go, f.Parameters[0].Type.qualified("abi."))
		default:
			fmt.Fprintf(&b, " else {\n\t\tlibrary.%s = nil\n\t}\n", f.Go)
		}
	}
	b.WriteString("}\n\n// refuseVerb makes an outcome say that the library lacks the verb.\n" +
		"func refuseVerb(outcome *abi.Outcome) {\n\tif outcome != nil {\n" +
		"\t\t*outcome = abi.Outcome{Status: abi.StatusUnsupported, Item: -1}\n\t}\n}\n\n" +
		"// clearOutput zeroes an output that was asked for.\n" +
		"func clearOutput[T any](output *T) {\n\tif output != nil {\n\t\tvar zero T\n\t\t*output = zero\n\t}\n}\n")
	return b.String()
}

// body is the inside of the closure that calls one entry point at the address named function.
func (h *Header) body(f Function) string {
	if _, ok := h.structOf(f); ok {
		name := f.Parameters[0].Go
		argument := fmt.Sprintf("(function, unsafe.Pointer(%s))", name)
		keep := fmt.Sprintf("runtime.KeepAlive(%s)\n", name)
		switch f.Result.Kind {
		case KindVoid:
			return "call" + argument + "\n" + keep
		case KindEnum:
			return fmt.Sprintf("status := %s(callStatus%s)\n%sreturn status\n", f.Result.qualified("abi."), argument, keep)
		}
	}
	var before, keep strings.Builder
	arguments := []string{"function"}
	for _, p := range f.Parameters {
		switch p.Type.Kind {
		case KindText:
			fmt.Fprintf(&before, "%sText := cString(%s)\n", p.Go, p.Go)
			fmt.Fprintf(&keep, "runtime.KeepAlive(%sText)\n", p.Go)
			arguments = append(arguments, fmt.Sprintf("uintptr(unsafe.Pointer(%sText))", p.Go))
		case KindPointer:
			fmt.Fprintf(&keep, "runtime.KeepAlive(%s)\n", p.Go)
			arguments = append(arguments, fmt.Sprintf("uintptr(unsafe.Pointer(%s))", p.Go))
		default:
			arguments = append(arguments, fmt.Sprintf("uintptr(%s)", p.Go))
		}
	}
	call := fmt.Sprintf("syscallN(%s)", strings.Join(arguments, ", "))
	var result string
	switch f.Result.Kind {
	case KindVoid:
		return before.String() + call + "\n" + keep.String()
	case KindText:
		result = "goString(" + call + ")"
	default:
		result = fmt.Sprintf("%s(%s)", f.Result.qualified("abi."), call)
		if f.Result.Go == "uintptr" {
			result = call
		}
	}
	if keep.Len() == 0 {
		return before.String() + "return " + result + "\n"
	}
	return before.String() + "result := " + result + "\n" + keep.String() + "return result\n"
}

// refusal is the inside of the closure for a verb the library lacks: every output that a caller would read or free
// later, views and handles, is zeroed, and the outcome says so.
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
