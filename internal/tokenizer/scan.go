package tokenizer

import "unicode/utf8"

// scanner is a family of regular expressions that split a text into words, as GPT-2's does, in one
// pass.
type scanner struct {
	specials   []string
	anyCase    bool // of contractions
	leadingAny bool // a word takes any one character before its letters, not just a space
	leading    bool // a word, number or other run takes one space before it
	numbers    int  // digits of a run at most, 0 for no limit
	// breaks: other runs take line breaks after them, white space ends with its last line break.
	breaks      bool
	skipsSpaces bool // white space is no match
}

const contractions = `'s|'t|'re|'ve|'m|'ll|'d`

// scanners are the expressions of real files.
var scanners = map[string]matcher{
	contractions + `| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`: &scanner{leading: true},
	contractions + `|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`:                  &scanner{numbers: 1, skipsSpaces: true},
	`<\|startoftext\|>|<\|endoftext\|>|` + contractions + `|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`: &scanner{
		specials: []string{"<|startoftext|>", "<|endoftext|>"}, numbers: 1, skipsSpaces: true},
	`(?i:` + contractions + `)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`: &scanner{
		anyCase: true, leadingAny: true, leading: true, numbers: 3, breaks: true},
	`(?i:` + contractions + `)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`: &scanner{
		anyCase: true, leadingAny: true, leading: true, numbers: 1, breaks: true},
}

var gpt2 = scanners[contractions+`| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`]

const (
	kindLetter = iota
	kindNumber
	kindSpace
	kindOther
)

func kindOf(c rune) int {
	flags := recordOf(c).flags
	switch {
	case flags&isLetter != 0:
		return kindLetter
	case flags&isNumber != 0:
		return kindNumber
	case flags&isRegexSpace != 0:
		return kindSpace
	}
	return kindOther
}

// run returns where the characters of a kind end, after at most so many, 0 for all.
func run(text []byte, at, kind, most int) int {
	for count := 0; at < len(text) && (most == 0 || count < most); count++ {
		c, size := rune(text[at]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[at:])
		}
		if kindOf(c) != kind {
			break
		}
		at += size
	}
	return at
}

func (r *scanner) next(text []byte, at int) (start, end int) {
	for at < len(text) {
		if end := r.match(text, at); end > at {
			return at, end
		}
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return -1, -1
}

// match returns where the match at this place ends, the place itself for none.
func (r *scanner) match(text []byte, at int) int {
	for _, special := range r.specials {
		if end := at + len(special); end <= len(text) && string(text[at:end]) == special {
			return end
		}
	}
	c, size := utf8.DecodeRune(text[at:])
	if c == '\'' {
		if end := r.contraction(text, at+1); end > 0 {
			return end
		}
	}
	kind, after := kindOf(c), at+size
	afterKind := -1
	if after < len(text) {
		c, _ := utf8.DecodeRune(text[after:])
		afterKind = kindOf(c)
	}
	switch {
	case kind == kindLetter:
		return run(text, after, kindLetter, 0)
	case r.leadingAny && kind != kindNumber && c != '\r' && c != '\n' && afterKind == kindLetter:
		return run(text, after, kindLetter, 0)
	case kind == kindNumber:
		if r.numbers == 1 {
			return after
		}
		return run(text, at, kindNumber, r.numbers)
	case kind == kindOther:
		return r.others(text, after)
	case r.leading && c == ' ' && afterKind == kindOther:
		return r.others(text, after)
	case r.leading && !r.leadingAny && c == ' ' && (afterKind == kindLetter || afterKind == kindNumber):
		return run(text, after, afterKind, r.numbers)
	case r.skipsSpaces:
		return at
	}
	end := run(text, at, kindSpace, 0)
	if r.breaks {
		for i := end - 1; i >= at; i-- {
			if text[i] == '\n' || text[i] == '\r' {
				return i + 1
			}
		}
	}
	if end < len(text) {
		if _, size := utf8.DecodeLastRune(text[at:end]); end-size > at {
			end -= size // the last one belongs to what follows
		}
	}
	return end
}

func (r *scanner) others(text []byte, at int) int {
	at = run(text, at, kindOther, 0)
	for r.breaks && at < len(text) && (text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// contraction returns where one ends whose apostrophe stands before this place, 0 for none.
func (r *scanner) contraction(text []byte, at int) int {
	letter := func(i int) byte {
		if i >= len(text) {
			return 0
		}
		b := text[i]
		if r.anyCase && b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		return b
	}
	switch letter(at) {
	case 's', 't', 'm', 'd':
		return at + 1
	case 'r', 'v':
		if letter(at+1) == 'e' {
			return at + 2
		}
	case 'l':
		if letter(at+1) == 'l' {
			return at + 2
		}
	case "ſ"[0]: // also an s where case is ignored
		if r.anyCase && letter(at+1) == "ſ"[1] {
			return at + 2
		}
	}
	return 0
}
