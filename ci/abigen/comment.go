package main

import (
	"regexp"
	"strings"
)

// docComment is the Doxygen text right before a token, from all that separates it from the token
// before: without the comment's frame, one line for each of its own. A comment that precedes
// something else belongs to that.
func docComment(separator []byte) string {
	text := string(separator)
	start := strings.LastIndex(text, "/**")
	if start < 0 {
		return ""
	}
	body, rest, closed := strings.Cut(text[start+len("/**"):], "*/")
	if !closed || strings.TrimSpace(rest) != "" {
		return ""
	}
	var lines []string
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimSpace(line)
		if line == "*" {
			line = ""
		}
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "* ")))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// A Namer replaces C names inside a comment by Go names.
type Namer struct {
	// Names are the Go names of everything the header declares, by C name; Links are what a doc
	// link to it says.
	Names, Links map[string]string
	// Local are the Go names in scope, such as the fields of the struct that a comment stands in.
	Local map[string]string
}

// namer collects the names of a header. A package other than abi gives the qualifier its references
// need.
func (h *Header) namer(qualifier string) Namer {
	n := Namer{Names: map[string]string{}, Links: map[string]string{}}
	add := func(c, name, link string) {
		n.Names[c], n.Links[c] = qualifier+name, "["+qualifier+link+"]"
	}
	// Names first declared win: an entry point and its argument struct differ in C and not in Go.
	for _, f := range h.Functions {
		add(f.C, f.Go, "Library."+f.Go)
	}
	for _, o := range h.Opaques {
		add(o.C, o.Go, o.Go)
	}
	for _, s := range h.Structs {
		add(s.C, s.Go, s.Go)
	}
	for _, e := range h.Enums {
		add(e.C, e.Go, e.Go)
		for _, v := range e.Values {
			add(v.C, v.Go, v.Go)
		}
	}
	return n
}

// within is the namer for comments inside a struct, where a field in backticks is one of its own.
func (n Namer) within(s Struct) Namer {
	n.Local = map[string]string{}
	for _, f := range s.Fields {
		n.Local[f.C] = f.Go
	}
	return n
}

var (
	tagReference = regexp.MustCompile(`@(?:ref|sa)\s+(\w+)`)
	tagWord      = regexp.MustCompile(`@[bp]\s+(\w+)`)
	quoted       = regexp.MustCompile("`([^`]*)`")
	headerWord   = regexp.MustCompile(`"[^"]*"|\buform_\w+`) // quoted text stays as it is
	parameterTag = regexp.MustCompile(`^@param(?:\[\w+\])?\s+(\w+)\s*`)
)

// sentence cleans running text of Doxygen: references become doc links, C names become Go names,
// quotes are removed.
func (n Namer) sentence(text string) string {
	text = tagReference.ReplaceAllStringFunc(text, func(tag string) string {
		c := tagReference.FindStringSubmatch(tag)[1]
		if link, ok := n.Links[c]; ok {
			return link
		}
		return c
	})
	text = tagWord.ReplaceAllString(text, "$1")
	text = quoted.ReplaceAllStringFunc(text, func(code string) string {
		code = strings.Trim(code, "`")
		if name, ok := n.Local[code]; ok {
			return name
		}
		return code
	})
	return headerWord.ReplaceAllStringFunc(text, func(c string) string {
		if name, ok := n.Names[c]; ok {
			return name
		}
		return c
	})
}

// onlySees reports a comment that only names the function of an argument struct, which its type
// says already.
func onlySees(text string) bool {
	return strings.HasPrefix(text, "@sa ") && !strings.Contains(text, "\n")
}

// provenance is the mark of a declaration that says which page it comes from. It is for readers of
// the header.
var provenance = regexp.MustCompile(`\s*\[(seed|name|ours)\b[^\]]*\]`)

// paragraphs are the parts of a Go doc comment for the Doxygen text: prose, then parameters as list
// items, then the result.
func (n Namer) paragraphs(doxygen string) []string {
	doxygen = provenance.ReplaceAllString(doxygen, "")
	var prose, items, results []string
	parts := &prose
	for block := range strings.SplitSeq(doxygen, "\n\n") {
		parts = &prose
		fresh := true
		for line := range strings.SplitSeq(block, "\n") {
			switch tag := parameterTag.FindStringSubmatch(line); {
			case strings.HasPrefix(line, "@brief "):
				line = strings.TrimPrefix(line, "@brief ")
			case tag != nil:
				line = "  - " + parameterName(tag[1]) + ": " + line[len(tag[0]):]
				parts, fresh = &items, true
			case strings.HasPrefix(line, "@return "):
				line = "Returns " + lowerFirst(strings.TrimPrefix(line, "@return "))
				parts, fresh = &results, true
			}
			if fresh {
				*parts = append(*parts, line)
				fresh = false
			} else {
				last := &(*parts)[len(*parts)-1]
				*last += " " + line
			}
		}
	}
	var all []string
	for _, p := range prose {
		if p = strings.TrimSpace(n.sentence(p)); p != "" {
			all = append(all, p)
		}
	}
	if len(items) > 0 {
		for i := range items {
			items[i] = n.sentence(items[i])
		}
		all = append(all, strings.Join(items, "\n"))
	}
	for _, r := range results {
		all = append(all, n.sentence(r))
	}
	return all
}

// lowerFirst makes the first letter of a sentence lower-case, so that it can follow another word.
func lowerFirst(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == strings.ToUpper(first) && len(first) > 1 || strings.HasPrefix(first, "`") {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// docWidth is the longest line of a generated comment, without its indentation and slashes.
const docWidth = 93

// comment renders a Go doc comment: lead, when it is not empty, opens its first paragraph.
func comment(indent, lead string, paragraphs []string) string {
	if lead != "" {
		if len(paragraphs) > 0 && !strings.HasPrefix(paragraphs[0], "  - ") {
			paragraphs = append([]string{lead + " " + paragraphs[0]}, paragraphs[1:]...)
		} else {
			paragraphs = append([]string{lead}, paragraphs...)
		}
	}
	var b strings.Builder
	for i, p := range paragraphs {
		if i > 0 {
			b.WriteString(indent + "//\n")
		}
		for line := range strings.SplitSeq(p, "\n") {
			hanging := ""
			if strings.HasPrefix(line, "  - ") {
				hanging = "    "
			}
			for j, wrapped := range wrap(line, docWidth) {
				if j > 0 {
					wrapped = hanging + wrapped
				}
				b.WriteString(indent + "// " + wrapped + "\n")
			}
		}
	}
	return b.String()
}

// wrap breaks a line at spaces so that none is longer than width, its own indentation kept on the
// first.
func wrap(line string, width int) []string {
	lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	current := lead
	for i, word := range strings.Fields(line) {
		switch {
		case i == 0:
			current += word
		case len(current)+1+len(word) > width:
			lines = append(lines, current)
			current = word
		default:
			current += " " + word
		}
	}
	return append(lines, current)
}
