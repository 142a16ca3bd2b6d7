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

// Origin says where a library comes from, and which checks it passed.
type Origin struct {
	// Kind is [KindNative] or [KindEmbedded].
	Kind string
	// Path is the absolute path that a shared library was opened by; empty for the engine.
	Path string
	// Version is the version that the library reports, such as "4.0.0"; empty if it reports none.
	Version string
	// Skipped are the libraries that were tried before and could not be used, in that order.
	Skipped []Candidate
	// Proven are the checks that the library passed, Unproven those that could not be made because
	// it has no function for them.
	Proven, Unproven []string
}

// Candidate is a library that was tried, and why it was not used.
type Candidate struct {
	// Path is the path that was tried.
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
