package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestDocComment(t *testing.T) {
	for _, test := range []struct{ name, separator, want string }{
		{"none", "\n\n", ""},
		{"line", "\n/** Where it lives. [seed] */\n", "Where it lives. [seed]"},
		{"plain comment", "/* ---- Errors ---- */\n", ""},
		{"after a section", "\n/* ---- Errors ---- */\n\n/** A. */\n", "A."},
		{"the nearest", "/** Of another. */\n/** Of this. */\n", "Of this."},
		{"of something before", "/** Of a macro. */ 1\n", ""},
		{"block", "/**\n *  @brief One\n *         more.\n *\n *  Two.\n */\n", "@brief One\nmore.\n\nTwo."},
		{"not closed", "/** A", ""},
	} {
		require.Equal(t, test.want, docComment([]byte(test.separator)), test.name)
	}
}

// sample is a namer for a header of one declaration of each sort.
func sample() Namer {
	h := &Header{
		Enums:     []Enum{{C: "uform_mood_t", Go: "Mood", Values: []Value{{C: "uform_mood_parked_k", Go: "MoodParked"}}}},
		Opaques:   []Opaque{{C: "uform_arena_t", Go: "Arena"}},
		Structs:   []Struct{{C: "uform_arena_init_t", Go: "ArenaInit", Fields: []Field{{C: "arena", Go: "Arena"}}}},
		Functions: []Function{{C: "uform_arena_init", Go: "ArenaInit"}},
	}
	return h.namer("").within(h.Structs[0])
}

func TestSentences(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Made by @ref uform_arena_init.", "Made by [Library.ArenaInit]."},
		{"Takes @ref uform_arena_init_t.", "Takes [ArenaInit]."},
		{"See @ref uform_later.", "See uform_later."},
		{"Is `uform_mood_parked_k`, a uform_mood_t.", "Is MoodParked, a Mood."},
		{"The `arena`, and `i` of `capacity`.", "The Arena, and i of capacity."},
		{"Never above @p total. @b Required.", "Never above total. Required."},
		{"A name as in \"uform_arena_init_t\".", "A name as in \"uform_arena_init_t\"."},
		{"The bit `1u << uform_mood_t`. [name]", "The bit 1u << Mood. [name]"},
	} {
		require.Equal(t, test.want, sample().sentence(test.text))
	}
}

func TestParagraphs(t *testing.T) {
	doxygen := "@brief One\nmore.\n@param[in] name Any\ntext.\n@param[out] count A number.\n@return Bytes, or none.\n\nTwo."
	require.Equal(t, []string{
		"One more.", "Two.", "  - name: Any text.\n  - count: A number.", "Returns bytes, or none.",
	}, sample().paragraphs(doxygen))
	require.Equal(t, []string{"Returns NULL."}, sample().paragraphs("@return NULL."))
	require.Equal(t, []string{"Returns true to go on."}, sample().paragraphs("@return `true` to go on."))
	require.Empty(t, sample().paragraphs(""))
	require.True(t, onlySees("@sa uform_arena_init"))
	require.False(t, onlySees("@brief Makes one.\n@sa uform_arena_init"))
}

func TestComments(t *testing.T) {
	require.Equal(t, "// A is a. One.\n//\n// Two.\n", comment("", "A is a.", []string{"One.", "Two."}))
	require.Equal(t, "\t// A is a.\n\t//\n\t//   - b: c\n", comment("\t", "A is a.", []string{"  - b: c"}))
	require.Equal(t, "// A is a.\n", comment("", "A is a.", nil))
	require.Empty(t, comment("", "", nil))
	long := strings.Repeat("word ", 60)
	for line := range strings.Lines(comment("\t", "A.", []string{long, "  - b: " + long})) {
		require.LessOrEqual(t, len(line), docWidth+len("\t//     \n"))
	}
}

// No tag, quote or C name of the header is left in the generated comments, except for names in C
// that they are about.
func TestHeaderCommentsBecomeGos(t *testing.T) {
	h, table, err := parseAll(alone(headerText(t)))
	require.NoError(t, err)
	files, err := render(h, table)
	require.NoError(t, err)
	for _, f := range files {
		for line := range strings.Lines(string(f.Text)) {
			_, text, found := strings.Cut(line, "// ")
			if !found {
				continue
			}
			require.NotRegexp(t, "[`@]", text, f.Path)
			text = regexp.MustCompile(`(is|mirrors) uform_\w+\.|"uform_[^"]+"`).ReplaceAllString(text, "")
			require.NotContains(t, text, "uform_", f.Path)
		}
	}
}

func FuzzComments(f *testing.F) {
	for piece := range strings.SplitSeq(headerText(f), "\n\n") {
		f.Add(piece)
	}
	f.Add("/** @param */")
	f.Add("/** @param[in] _ */")
	f.Fuzz(func(t *testing.T, text string) {
		written := comment("\t", "A is a.", sample().paragraphs(docComment([]byte("/**"+text+"*/"))))
		require.True(t, strings.HasPrefix(written, "\t// A is a."))
		for line := range strings.Lines(written) {
			require.True(t, strings.HasPrefix(line, "\t//"), "%q is no comment", line)
		}
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(written))
		}
	})
}
