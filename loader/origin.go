package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Kinds of origins.
const (
	// KindNative is a shared library.
	KindNative = "native"
	// KindEmbedded is the engine inside of this program. [Variable] asks for it by this word.
	KindEmbedded = "embedded"
)

// Origin tells where a library comes from, and how much of what it claims was checked. It is a
// plain value: goroutines may share one that none of them changes.
type Origin struct {
	// Kind is [KindNative] or [KindEmbedded].
	Kind string
	// Path is the absolute path that a shared library was opened by; empty for the engine.
	Path string
	// Version is what the library calls itself, such as "4.0.0"; empty where it does not say.
	Version string
	// Skipped are the candidates of a better rank that could not be used, in the order in which
	// they were tried.
	Skipped []Candidate
	// Proven are the checks that the library passed, Unproven those that it gave no means for.
	Proven, Unproven []string
}

// Candidate is a library that was considered, and why it was not used. It is a plain value:
// goroutines may share one that none of them changes.
type Candidate struct {
	// Path is where it would be.
	Path string
	// Reason is never nil. It wraps [fs.ErrNotExist] where nothing is there.
	Reason error
}

// String is the path and the reason.
func (candidate Candidate) String() string {
	return fmt.Sprintf("%s: %v", candidate.Path, candidate.Reason)
}

// String is one line for a log: kind, version, path, then what was proven, and which libraries were
// there but skipped.
func (origin Origin) String() string {
	var text strings.Builder
	text.WriteString(origin.Kind)
	for _, word := range []string{origin.Version, origin.Path} {
		if word != "" {
			text.WriteString(" " + word)
		}
	}
	list := func(title string, entries []string) {
		if len(entries) > 0 {
			text.WriteString("; " + title + ": " + strings.Join(entries, ", "))
		}
	}
	list("proven", origin.Proven)
	list("not proven", origin.Unproven)
	var skipped []string
	for _, candidate := range origin.Skipped {
		if !errors.Is(candidate.Reason, fs.ErrNotExist) {
			skipped = append(skipped, candidate.String())
		}
	}
	list("skipped", skipped)
	return text.String()
}
