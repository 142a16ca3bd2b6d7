package train

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// Noise changes texts to learn from, while their targets stay those of the clean ones, so that a
// model learns to overlook what changes. Each member is the share of texts, from 0 to 1, that are
// changed in that way; the zero value changes none.
type Noise struct {
	// Typos misspells up to a third of the words: two letters are swapped, or one is left out,
	// doubled or wrong.
	Typos float64
	// Case writes the text in capitals, in small letters, or with a capital for each word.
	Case float64
	// Punctuation leaves out the punctuation, doubles it, or adds a mark at the end.
	Punctuation float64
}

// Apply returns a text as a hurried person might type it. It takes the same random numbers in the
// same order for the same text and state of random, and never returns an empty text.
func (n *Noise) Apply(random *rand.Rand, text string) string {
	typos, letters, marks := random.Float64() < n.Typos, random.Float64() < n.Case, random.Float64() < n.Punctuation
	if typos {
		text = mistype(random, text)
	}
	if letters {
		text = recase(random, text)
	}
	if marks {
		text = repunctuate(random, text)
	}
	if strings.TrimSpace(text) == "" { // it was punctuation alone
		return "?"
	}
	return text
}

// mistype misspells up to a third of the words, at least one.
func mistype(random *rand.Rand, text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return text
	}
	for range 1 + random.IntN((len(words)+2)/3) {
		at := random.IntN(len(words))
		words[at] = misspell(random, words[at])
	}
	return strings.Join(words, " ")
}

// misspell swaps two neighbours, or leaves out, doubles or replaces a letter, mostly not the first.
// A word of one letter stays.
func misspell(random *rand.Rand, word string) string {
	letters := []rune(word)
	if len(letters) < 2 {
		return word
	}
	at := 1 + random.IntN(len(letters)-1)
	switch random.IntN(4) {
	case 0:
		at = min(at, len(letters)-2)
		letters[at], letters[at+1] = letters[at+1], letters[at]
	case 1:
		letters = append(letters[:at], letters[at+1:]...)
	case 2:
		letters = append(letters[:at], letters[at-1:]...)
	case 3:
		letters[at] = letters[random.IntN(len(letters))]
	}
	return string(letters)
}

// recase writes the text in capitals, in small letters, or with a capital for each word.
func recase(random *rand.Rand, text string) string {
	switch random.IntN(3) {
	case 0:
		return strings.ToUpper(text)
	case 1:
		return strings.ToLower(text)
	}
	before := ' '
	return strings.Map(func(c rune) rune {
		first := unicode.IsSpace(before)
		before = c
		if first {
			return unicode.ToTitle(c)
		}
		return c
	}, text)
}

// repunctuate leaves out the punctuation, doubles it, or adds a mark at the end.
func repunctuate(random *rand.Rand, text string) string {
	const marks = ".!?,;:"
	switch random.IntN(3) {
	case 0:
		return strings.Map(func(c rune) rune {
			if unicode.IsPunct(c) {
				return -1
			}
			return c
		}, text)
	case 1:
		var doubled strings.Builder
		for _, c := range text {
			doubled.WriteRune(c)
			if unicode.IsPunct(c) {
				doubled.WriteRune(c)
			}
		}
		return doubled.String()
	}
	at := random.IntN(len(marks))
	return text + marks[at:at+1]
}
