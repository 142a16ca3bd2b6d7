package judge

import (
	"math/rand/v2"
	"strings"
)

// Typing makes an error in every third word of four letters or more: two letters swapped, one left
// out, one doubled, or one wrong. The same text always gets the same errors.
func Typing(text string) string {
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
		switch random.IntN(4) {
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
