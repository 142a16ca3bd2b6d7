package tokenizer

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// matcher finds what a pattern of a file describes. A match is never empty.
type matcher interface {
	// next returns the first match at or after a byte of the text, -1 for none.
	next(text []byte, at int) (start, end int)
}

// characterClass is a regular expression of one class of characters and how often it repeats, which
// is all that real files use but for the expressions that scan.go knows.
type characterClass struct {
	parts         []classPart
	negated       bool
	least, utmost int
}

// classPart is a range, or a property.
type classPart struct {
	low, high rune
	flags     uint32
	negated   bool
}

func (k *characterClass) has(c rune) bool {
	for i := range k.parts {
		p := &k.parts[i]
		if p.flags != 0 {
			if is(c, p.flags) != p.negated {
				return !k.negated
			}
		} else if c >= p.low && c <= p.high {
			return !k.negated
		}
	}
	return k.negated
}

func (k *characterClass) next(text []byte, at int) (int, int) {
	for at < len(text) {
		start, count := at, 0
		for at < len(text) && count < k.utmost {
			c, size := utf8.DecodeRune(text[at:])
			if !k.has(c) {
				if count == 0 {
					start = at + size
				}
				if count > 0 {
					break
				}
				at += size
				continue
			}
			at += size
			count++
		}
		if count >= k.least && count > 0 {
			return start, at
		}
		if at < len(text) {
			_, size := utf8.DecodeRune(text[at:])
			at += size
		}
	}
	return -1, -1
}

// parseClass reads such an expression, false for any other.
func parseClass(pattern string) (*characterClass, bool) {
	k := &characterClass{least: 1, utmost: 1}
	rest, ok := pattern, true
	if strings.HasPrefix(rest, "[") {
		rest = rest[1:]
		if strings.HasPrefix(rest, "^") {
			k.negated, rest = true, rest[1:]
		}
		for first := true; ; first = false {
			if rest == "" || first && rest[0] == ']' || rest[0] == '[' || strings.HasPrefix(rest, "&&") {
				return nil, false
			}
			if rest[0] == ']' {
				rest = rest[1:]
				break
			}
			var part classPart
			// In brackets the reference takes some numbers for no word characters, which it takes
			// for such outside of them.
			if part, rest, ok = parseAtom(rest); !ok || part.flags == isRegexWord {
				return nil, false
			}
			if part.flags == 0 && len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
				var high classPart
				if high, rest, ok = parseAtom(rest[1:]); !ok || high.flags != 0 || high.low < part.low {
					return nil, false
				}
				part.high = high.low
			}
			k.parts = append(k.parts, part)
		}
	} else {
		if rest == "" || strings.ContainsRune(".^$*+?()|{", rune(rest[0])) {
			return nil, false
		}
		var part classPart
		if part, rest, ok = parseAtom(rest); !ok {
			return nil, false
		}
		k.parts = append(k.parts, part)
	}
	switch {
	case rest == "":
	case rest == "+":
		k.utmost = math.MaxInt
	case strings.HasPrefix(rest, "{") && strings.HasSuffix(rest, "}"):
		least, utmost, isRange := strings.Cut(rest[1:len(rest)-1], ",")
		var err error
		if k.least, err = strconv.Atoi(least); err != nil || k.least < 1 || k.least > 1000 {
			return nil, false
		}
		k.utmost = k.least
		if isRange && utmost == "" {
			k.utmost = math.MaxInt
		} else if isRange {
			if k.utmost, err = strconv.Atoi(utmost); err != nil || k.utmost < k.least {
				return nil, false
			}
		}
	default:
		return nil, false
	}
	return k, true
}

// parseAtom reads one character, or a property such as \s or \p{L}.
func parseAtom(text string) (part classPart, rest string, ok bool) {
	c, size := utf8.DecodeRuneInString(text)
	text = text[size:]
	if c != '\\' {
		return classPart{low: c, high: c}, text, true
	}
	if text == "" {
		return part, "", false
	}
	c, size = utf8.DecodeRuneInString(text)
	text = text[size:]
	switch c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 's', 'S':
		return classPart{flags: isRegexSpace, negated: c == 'S'}, text, true
	case 'd', 'D':
		return classPart{flags: isDigit, negated: c == 'D'}, text, true
	case 'w', 'W':
		return classPart{flags: isRegexWord, negated: c == 'W'}, text, true
	case 'p', 'P':
		for name, flags := range map[string]uint32{"{L}": isLetter, "{N}": isNumber} {
			if after, found := strings.CutPrefix(text, name); found {
				return classPart{flags: flags, negated: c == 'P'}, after, true
			}
		}
		return part, "", false
	default:
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			return part, "", false
		}
	}
	return classPart{low: c, high: c}, text, true
}

// newMatcher is the matcher of a regular expression.
func newMatcher(pattern string) (matcher, error) {
	if m, ok := scanners[pattern]; ok {
		return m, nil
	}
	if k, ok := parseClass(pattern); ok {
		return k, nil
	}
	return nil, unsupported("the regular expression %q is not supported", pattern)
}
