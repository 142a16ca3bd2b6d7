package main

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// initialisms are the words that Go spells in their own way; any word with a digit in it, such as
// bf16, is uppercase.
var initialisms = map[string]string{
	"cuda": "CUDA", "gpu": "GPU", "io": "IO", "numa": "NUMA", "ram": "RAM", "rocm": "ROCm", "vram": "VRAM",
}

// namesName is the file of the Go names that do not follow from the C ones, beside the header.
const namesName = "names.tsv"

// readNames reads a table of C names, of fields with that of their struct, and the Go names that
// stand for them:
//
//	uform_text_encode_t.texts	Texts
//
// A name that changes in C alone needs one line there and no change of Go code.
func readNames(table []byte) (map[string]string, error) {
	names := map[string]string{}
	for line := range strings.Lines(string(table)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, goName, found := strings.Cut(line, "\t")
		if !found || !token.IsIdentifier(goName) || !token.IsExported(goName) {
			return nil, fmt.Errorf("%s: %q is not a C name, a tab and an exported Go name", namesName, line)
		}
		names[c] = goName
	}
	return names, nil
}

// goName returns the name in the table for a C name, else the one that follows from it.
func (h *Header) goName(c, follows string) string {
	if name, ok := h.names[c]; ok {
		h.renamed[c] = true
		return name
	}
	return follows
}

// camel joins the words of a C name as an exported Go name: text_encode is TextEncode.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		switch spelled, known := initialisms[word]; {
		case known:
			b.WriteString(spelled)
		case strings.ContainsFunc(word, unicode.IsDigit):
			b.WriteString(strings.ToUpper(word))
		case word != "":
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// typeName is the Go name of a C type: uform_text_encode_t is TextEncode, uform_progress_callback_t
// is Progress.
func typeName(c string) string {
	return camel(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(c, "uform_"), "_t"), "_callback"))
}

// constantName is the Go name of an enumerator: uform_status_success_k is StatusSuccess.
func constantName(c string) string {
	return camel(strings.TrimSuffix(strings.TrimPrefix(c, "uform_"), "_k"))
}

// functionName is the Go name of an entry point: uform_text_encode is TextEncode.
func functionName(c string) string { return camel(strings.TrimPrefix(c, "uform_")) }

// shortName is an enumerator without the words it shares with its type: uform_caller_inclusive_k of
// uform_caller_exclusivity_t is "inclusive".
func shortName(enum, enumerator string) string {
	shared := strings.Split(strings.TrimSuffix(enum, "_t"), "_")
	words := strings.Split(strings.TrimSuffix(enumerator, "_k"), "_")
	n := 0
	for n < len(shared) && n < len(words)-1 && shared[n] == words[n] {
		n++
	}
	return strings.Join(words[n:], "_")
}

// tableNames are what the code that fills the table calls its own variables and imports.
var tableNames = []string{"abi", "addresses", "answer", "function", "handle", "library", "native", "runtime", "unsafe"}

// parameterName is the Go name of a C parameter; C names are lowercase words already.
func parameterName(c string) string {
	name := camel(c)
	if name == "" {
		return "_"
	}
	name = strings.ToLower(name[:1]) + name[1:]
	if token.IsKeyword(name) || slices.Contains(tableNames, name) {
		return name + "Value"
	}
	return name
}

// ownNames are declared by the generated files besides what the header names.
var ownNames = []string{
	"Library", "Extensions", "Symbol", "Symbols", "VersionMajor", "VersionMinor", "VersionPatch",
	"Fact", "Extent", "Layout", "Layouts", "DataModel", "LP64", "LLP64", "ILP32I386", "ILP32ARM", "RunningModel",
	"Expected", "Measured",
}

// checkNames refuses a header in which two declarations would get one Go name, and a line of the
// table of names whose C name the header does not have.
func (h *Header) checkNames() error {
	for c := range h.names {
		if !h.renamed[c] {
			return fmt.Errorf("%s: the header has no %s", namesName, c)
		}
	}
	taken := map[string]string{}
	for _, name := range ownNames {
		taken[name] = "the generator"
	}
	claim := func(name, by string) error {
		if other, clash := taken[name]; clash {
			return fmt.Errorf("%s: its Go name %s is taken by %s", by, name, other)
		}
		taken[name] = by
		return nil
	}
	var claims [][2]string
	for _, e := range h.Enums {
		claims = append(claims, [2]string{e.Go, e.C}, [2]string{e.Go + "Values", e.C})
		for _, v := range e.Values {
			claims = append(claims, [2]string{v.Go, v.C})
		}
	}
	for _, o := range h.Opaques {
		claims = append(claims, [2]string{o.Go, o.C})
	}
	for _, s := range h.Structs {
		claims = append(claims, [2]string{s.Go, s.C})
	}
	for _, c := range claims {
		if err := claim(c[0], c[1]); err != nil {
			return err
		}
	}
	for _, s := range h.Structs {
		fields := map[string]string{}
		for _, f := range s.Fields {
			if other, clash := fields[f.Go]; clash {
				return fmt.Errorf("%s.%s: its Go name %s is taken by %s", s.C, f.C, f.Go, other)
			}
			fields[f.Go] = f.C
		}
	}
	return nil
}
