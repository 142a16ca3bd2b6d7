package uform_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

func TestWindows(t *testing.T) {
	const family = "👩\u200d👩\u200d👧"
	for name, c := range map[string]struct {
		text  string
		limit int
		want  []string
	}{
		"nothing":                       {"", 5, nil},
		"fits":                          {"12345", 5, []string{"12345"}},
		"at white space":                {"one two three", 8, []string{"one two ", "three"}},
		"in front of white space":       {"one tree", 8 - 1, []string{"one ", "tree"}},
		"white space begins behind it":  {"12345678 9", 8, []string{"12345678", " 9"}},
		"white space of other scripts":  {"один\u3000два", 12, []string{"один\u3000", "два"}},
		"white space too far in front":  {"1 23456789", 8, []string{"1 234567", "89"}},
		"no white space":                {"0123456789", 4, []string{"0123", "4567", "89"}},
		"nothing but white space":       {"          ", 4, []string{"    ", "    ", "  "}},
		"characters":                    {"абвгд", 5, []string{"аб", "вг", "д"}},
		"a character wider than all":    {"a💡б", 1, []string{"a", "💡", "б"}},
		"no limit at all":               {"ab", 0, []string{"a", "b"}},
		"less than no limit":            {"ab", -7, []string{"a", "b"}},
		"a combining mark":              {"abcde\u0301f", 5, []string{"abcd", "e\u0301f"}},
		"more marks than a window has":  {"e" + strings.Repeat("\u0301", 4), 5, []string{"e\u0301\u0301", "\u0301\u0301"}},
		"joined emoji":                  {"aaaaaaaaaa" + family, 20, []string{"aaaaaaaaaa", family}},
		"a tone of skin":                {"aaaa👍🏽", 8, []string{"aaaa", "👍🏽"}},
		"not UTF-8":                     {"ab\xff\xfecd", 3, []string{"ab\xff", "\xfecd"}},
		"continuations of nothing":      {"\x80\x80\x80\x80\x80", 2, []string{"\x80\x80", "\x80\x80", "\x80"}},
		"a character that is cut short": {"abc\xe2\x82", 4, []string{"abc\xe2", "\x82"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, slices.Collect(uform.Windows(c.text, c.limit)))
		})
	}
	endless := strings.Repeat("word ", 20<<20)
	require.Less(t, testing.AllocsPerRun(5, func() {
		for window := range uform.Windows(endless, 512) {
			require.Len(t, window, 510)
			break
		}
	}), 50.0, "windows are cut as they are asked for")
}

func FuzzWindows(f *testing.F) {
	f.Add("one two three", 8)
	f.Add("e\u0301\u0301", 2)
	f.Add("\xff\x80a", 1)
	f.Add("👩\u200d👩\u200d👧 👍🏽", 9)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		joined, before, valid := "", "", utf8.ValidString(text)
		for window := range uform.Windows(text, limit) {
			require.NotEmpty(t, window)
			if len(window) > limit {
				require.Equal(t, 1, utf8.RuneCountInString(window))
			}
			if valid {
				require.True(t, utf8.ValidString(window))
			}
			if first, _ := utf8.DecodeRuneInString(window); valid && before != "" && unicode.Is(unicode.M, first) {
				// Only a window that is a single character with its marks may be cut before another
				// mark.
				for i, character := range before {
					require.True(t, i == 0 || unicode.Is(unicode.M, character) || strings.ContainsAny(before, "\u200d🏻🏼🏽🏾🏿"), "%q %q", before, window)
				}
			}
			before = window
			joined += window
		}
		require.Equal(t, text, joined)
	})
}
