package model

// mostSizes is how many sizes of n-grams a configuration may have.
const mostSizes = 8

// grams finds the n-grams and words of a text, from its first byte to its last.
type grams struct {
	padded []byte // the text, of [pad]
	sizes  []int
	within bool
	words  bool

	start int    // within: the last space before the end of the n-grams
	word  uint64 // the hash of the bytes since a space
}

// scan returns the n-grams of a padded text.
func scan(padded []byte, sizes []int, within, words bool) grams {
	return grams{padded: padded, sizes: sizes, within: within, words: words, word: wordSeed}
}

// ending appends the hashes of all n-grams and of the word that end at padded[p]. Ends are asked for
// from 1 on, each once.
func (g *grams) ending(hashes []hash, p int) []hash {
	padded := g.padded
	longest := p + 1
	if g.within {
		// An n-gram within a word has spaces at its ends only.
		if padded[p-1] == ' ' {
			g.start = p - 1
		}
		longest = p + 1 - g.start
	}
	for _, size := range g.sizes {
		if size > longest {
			break
		}
		hashes = append(hashes, hashGram(padded[p+1-size:p+1]))
	}
	if !g.words {
		return hashes
	}
	if padded[p] == ' ' {
		g.word = wordSeed
		return hashes
	}
	if g.word = hashByte(g.word, padded[p]); padded[p+1] == ' ' {
		hashes = append(hashes, hash(g.word))
	}
	return hashes
}

// skip goes to padded[p] without the n-grams that end before it.
func (g *grams) skip(p int) {
	if g.padded == nil {
		return
	}
	g.start = p - 1
	for g.padded[g.start] != ' ' {
		g.start--
	}
	g.word = uint64(hashWord(g.padded[g.start+1 : p]))
}
