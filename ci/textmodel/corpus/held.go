package corpus

import (
	"strings"
	"unicode"
)

// Held are texts that nothing is learned from, since a model is evaluated on them.
type Held map[string]bool

// NewHeld returns the texts of scored pairs.
func NewHeld(scored []Scored) Held {
	held := Held{}
	for _, s := range scored {
		for _, text := range s.Pair {
			held.Add(text)
		}
	}
	return held
}

// Add adds a text.
func (h Held) Add(text string) { h[keyOf(text)] = true }

// Has reports whether a text is one of those, or differs from it only in case, white space and
// punctuation.
func (h Held) Has(text string) bool { return h[keyOf(text)] }

// Without returns the pairs of which neither text is held.
func (h Held) Without(pairs []Pair) []Pair {
	var rest []Pair
	for _, pair := range pairs {
		if !h.Has(pair[0]) && !h.Has(pair[1]) {
			rest = append(rest, pair)
		}
	}
	return rest
}

// keyOf returns the letters and digits of a text in one case, or a text of neither as it is.
func keyOf(text string) string {
	key := strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
	if key == "" {
		return text
	}
	return key
}
