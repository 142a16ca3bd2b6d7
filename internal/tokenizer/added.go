package tokenizer

import "unicode/utf8"

// addedToken is a token that is found in a text before the model sees it.
type addedToken struct {
	content                    string
	id                         int32
	singleWord, lstrip, rstrip bool
	normalized                 bool
}

// addedTokens finds tokens from the left, the longest first.
type addedTokens struct {
	pieces *trie
	tokens []addedToken
}

func newAddedTokens() *addedTokens { return &addedTokens{pieces: newTrie()} }

func (a *addedTokens) add(token addedToken, pattern string) error {
	if pattern == "" {
		return nil
	}
	a.tokens = append(a.tokens, token)
	return a.pieces.add(pattern, int32(len(a.tokens)-1))
}

// find returns the next token at or after a byte, and where it ends, -1 for none.
func (a *addedTokens) find(text []byte, at int) (start, end int, token *addedToken) {
	for ; at < len(text); at++ {
		node := a.pieces.first[text[at]]
		if node == 0 {
			continue
		}
		for i := at + 1; ; i++ {
			if value := a.pieces.values[node]; value >= 0 {
				end, token = i, &a.tokens[value]
			}
			if i == len(text) {
				break
			}
			if node = a.pieces.child(node, text[i]); node == 0 {
				break
			}
		}
		if token != nil {
			return at, end, token
		}
	}
	return -1, -1, nil
}

// split appends the tokens of a text and the parts between them. All of the text must be one part.
func (a *addedTokens) split(pieces []piece, text []byte) []piece {
	if len(a.tokens) == 0 {
		if len(text) == 0 {
			return pieces
		}
		return append(pieces, piece{0, int32(len(text)), isText})
	}
	last, spaceFrom, spaceTo := 0, -1, -1
	for at := 0; ; {
		start, end, token := a.find(text, at)
		if token == nil {
			break
		}
		at = end
		if token.singleWord {
			before, _ := utf8.DecodeLastRune(text[:start])
			after, _ := utf8.DecodeRune(text[end:])
			if start > 0 && is(before, isWord) || end < len(text) && is(after, isWord) {
				continue
			}
		}
		if token.lstrip {
			for start > last {
				c, size := utf8.DecodeLastRune(text[:start])
				if !is(c, isPatternSpace) {
					break
				}
				start -= size
			}
			start = max(start, last)
		}
		if token.rstrip {
			if end < spaceFrom || end > spaceTo { // a run of spaces is measured once
				spaceFrom, spaceTo = end, end
				for spaceTo < len(text) {
					c, size := utf8.DecodeRune(text[spaceTo:])
					if !is(c, isPatternSpace) {
						break
					}
					spaceTo += size
				}
			}
			end = spaceTo
		}
		if last < start {
			pieces = append(pieces, piece{int32(last), int32(start), isText})
		}
		pieces = append(pieces, piece{int32(start), int32(end), token.id})
		last = end
	}
	if last < len(text) {
		pieces = append(pieces, piece{int32(last), int32(len(text)), isText})
	}
	return pieces
}
