package uform

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Windows cuts a text into windows of at most limit bytes, such as the context of a model whose
// tokens are bytes: for programs that want a vector for each part of a long text. [Model.Windows]
// does it for any model. Joined, the windows are the text; an empty text has none. They share its
// memory and are cut as the range gets to them.
//
// A window ends at white space where its second half has some, which stays with the window before
// it or the one behind; else between two characters. A character is never cut, and keeps its
// combining marks, as an emoji keeps its joiners, unless a window could not hold them. Where limit
// is less than the next character takes, that character is a window of its own, and longer than
// limit. Bytes that are not UTF-8 count as characters of one byte and stay where they are, for the
// verb that gets them to refuse.
func Windows(text string, limit int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := text; rest != ""; {
			end := windowEnd(rest, limit)
			if !yield(rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// windowEnd is where the first window of a text ends, which is not empty.
func windowEnd(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	last := lastBound(text, max(limit, 0))
	if last == 0 {
		_, size := utf8.DecodeRuneInString(text)
		return size
	}
	apart := 0 // the last bound that no character is joined over
	for end := last; end > 0 && (apart == 0 || end > limit/2); {
		before, size := utf8.DecodeLastRuneInString(text[:end])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !joined(before, after) {
			if end > limit/2 && (unicode.IsSpace(before) || unicode.IsSpace(after)) {
				return end
			}
			if apart == 0 {
				apart = end
			}
		}
		end -= size
	}
	if apart == 0 {
		return last
	}
	return apart
}

// lastBound is the last bound between two characters that is not past limit, in a text that goes on
// there.
func lastBound(text string, limit int) int {
	start := limit
	for start > max(0, limit-utf8.UTFMax+1) && !utf8.RuneStart(text[start]) {
		start--
	}
	if _, size := utf8.DecodeRuneInString(text[start:]); start+size > limit {
		return start
	}
	return limit // bytes that are no character
}

const zeroWidthJoiner = '\u200d'

// joined reports whether two characters that follow each other are seen as one.
func joined(before, after rune) bool {
	skinTone := after >= '\U0001f3fb' && after <= '\U0001f3ff'
	return unicode.Is(unicode.M, after) || skinTone || after == zeroWidthJoiner || before == zeroWidthJoiner
}
