package chart

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// labelWords is how many words a label has.
const labelWords = 3

// Labels returns for each group the words that are typical for it: frequent in its texts, and more
// so than in all. A group whose texts have no words has an empty label.
func Labels(texts []string, groups []int) []string {
	count := 0
	for _, g := range groups {
		count = max(count, g+1)
	}
	all := map[string]int{}
	within, sizes := make([]map[string]int, count), make([]int, count)
	for g := range within {
		within[g] = map[string]int{}
	}
	for i, text := range texts {
		sizes[groups[i]]++
		for word := range wordsOf(text) {
			all[word]++
			within[groups[i]][word]++
		}
	}
	labels := make([]string, count)
	for g := range labels {
		score := func(word string) float64 {
			// One more text without the word, and one with it in all: a word of one text says
			// little.
			inside := float64(within[g][word]) / float64(sizes[g]+1)
			outside := float64(all[word]+1) / float64(len(texts)+1)
			return inside * math.Log(inside/outside)
		}
		words := slices.Collect(maps.Keys(within[g]))
		slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(score(b), score(a)), strings.Compare(a, b)) })
		if len(words) > 1 {
			words = slices.DeleteFunc(words, func(word string) bool { return score(word) <= 0 })
		}
		labels[g] = strings.Join(words[:min(labelWords, len(words))], ", ")
	}
	return labels
}

// wordsOf returns the words of a text, each once: runs of letters in lower case, of at least three,
// or two where letters are not of an alphabet.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\''
	}) {
		word = strings.Trim(word, "'")
		letters := len([]rune(word))
		if letters >= 3 || letters == 2 && len(word) > 4 {
			words[word] = true
		}
	}
	return words
}
