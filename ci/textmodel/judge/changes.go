package judge

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// Change is how the second sentence of a pair is changed, which should count for little.
type Change struct {
	Name string
	Of   func(string) string
}

var (
	eachWord  = regexp.MustCompile(`\S+`)
	eachThird = regexp.MustCompile(`((?:\S+ ){2})`)
)

// Changes are those that a model is evaluated on.
var Changes = []Change{
	{"in capitals", strings.ToUpper},
	{"eight spaces in front", func(s string) string { return "        " + s }},
	{"double spaces", func(s string) string { return strings.ReplaceAll(s, " ", "  ") }},
	{"wrapped and indented", func(s string) string { return "    " + eachThird.ReplaceAllString(s, "$1\n    ") }},
	{"no-break spaces for spaces", func(s string) string { return strings.ReplaceAll(s, " ", "\u00A0") }},
	{"40 spaces behind", func(s string) string { return s + strings.Repeat(" ", 40) }},
	{"21 dots behind", func(s string) string { return s + strings.Repeat(".", 21) }},
	{"`**bold**` words, each", func(s string) string { return eachWord.ReplaceAllString(s, "**$0**") }},
	{"an error in every third word", Typing},
	{"two letters swapped in every third word", Swapping},
}

// Typing makes an error in every third word of four letters or more: two letters swapped, one left
// out, one doubled, or one wrong. The same text always gets the same errors.
func Typing(text string) string { return misspell(text, 4) }

// Swapping is like Typing, and only swaps letters.
func Swapping(text string) string { return misspell(text, 1) }

// misspell makes the first kinds of errors.
func misspell(text string, kinds int) string {
	random := rand.New(rand.NewPCG(uint64(len(text)), 5))
	words := strings.Split(text, " ")
	long := 0
	for i, word := range words {
		if len(word) < 4 || strings.ContainsFunc(word, func(r rune) bool { return r > '~' }) {
			continue
		}
		if long++; long%3 != 1 {
			continue
		}
		at := 1 + random.IntN(len(word)-2)
		switch random.IntN(kinds) {
		case 0:
			words[i] = word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:]
		case 1:
			words[i] = word[:at] + word[at+1:]
		case 2:
			words[i] = word[:at] + word[at:at+1] + word[at:]
		default:
			words[i] = word[:at] + string(rune('a'+random.IntN(26))) + word[at+1:]
		}
	}
	return strings.Join(words, " ")
}
