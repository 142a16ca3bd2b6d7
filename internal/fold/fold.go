package fold

import "unicode/utf8"

// Folder has the working memory of folds, which grows to what the longest cluster of a text needed.
// The zero value is ready. One goroutine at a time may use it.
type Folder struct {
	cluster, sorting cluster
	letters, spaces  []int32
}

// Append appends a folded text to dst. Bytes that are not UTF-8, such as those at the ends of a cut
// text, are copied. Time and memory are linear in the text, and each byte of the text gives at most
// three.
func (f *Folder) Append(dst, text []byte) []byte {
	start := len(dst)
	dst = f.foldLetters(dst, text, nil)
	return dst[:start+foldSpaces(dst[start:], nil)]
}

// AppendPlaces is Append, and also returns for each byte of the text the index of the folded byte
// it became: places count from the first appended byte. If nothing is left of a text, places are
// all 0. They are valid until the next call.
func (f *Folder) AppendPlaces(dst, text []byte) (folded []byte, places []int32) {
	start := len(dst)
	letters := grow(&f.letters, len(text))
	dst = f.foldLetters(dst, text, letters)
	spaces := grow(&f.spaces, len(dst)-start)
	left := foldSpaces(dst[start:], spaces)
	for i, place := range letters {
		letters[i] = min(spaces[place], int32(max(left-1, 0)))
	}
	return dst[:start+left], letters
}

// Bytes returns the memory that is held.
func (f *Folder) Bytes() int {
	held := 0
	for _, c := range []*cluster{&f.cluster, &f.sorting} {
		held += 4*cap(c.points) + cap(c.classes)
	}
	return held + 4*(cap(f.letters)+cap(f.spaces))
}

func grow(buffer *[]int32, length int) []int32 {
	if cap(*buffer) < length {
		*buffer = make([]int32, length)
	}
	*buffer = (*buffer)[:length]
	return *buffer
}

// foldLetters appends a text in composed lower case, with all white space as spaces.
func (f *Folder) foldLetters(dst, text []byte, places []int32) []byte {
	start := len(dst)
	for i := 0; i < len(text); {
		begin, length := i, len(dst)
		if end := asciiEnd(text, i); end > i {
			dst = append(dst, text[i:end]...)
			smallASCII(dst[length:])
			i = end
		} else if c, size := utf8.DecodeRune(text[i:]); c == utf8.RuneError && size == 1 {
			dst = append(dst, text[i])
			i++
		} else {
			end := clusterEnd(text, i+size)
			if r := recordOf(c); end == i+size && r.flags&plain != 0 {
				dst = utf8.AppendRune(dst, c+r.difference)
			} else {
				dst = f.foldCluster(dst, text[i:end])
			}
			i = end
		}
		if places != nil {
			for k := range places[begin:i] {
				places[begin+k] = int32(min(length+k, len(dst)-1) - start)
			}
		}
	}
	return dst
}

// asciiEnd returns the end of the run of ASCII that begins at i, without a last byte that a mark
// may follow.
func asciiEnd(text []byte, i int) int {
	end := i
	for end < len(text) && text[end] < utf8.RuneSelf {
		end++
	}
	if end < len(text) && end > i {
		end--
	}
	return end
}

func smallASCII(text []byte) {
	for i, b := range text {
		if b-'A' < 26 {
			text[i] = b + ('a' - 'A')
		} else if b-0x09 < 5 {
			text[i] = ' '
		}
	}
}

// clusterEnd returns the index of the next character from i on that starts a cluster: nothing
// before it changes it, and it changes nothing before it.
func clusterEnd(text []byte, i int) int {
	for i < len(text) && text[i] >= utf8.RuneSelf {
		c, size := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && size == 1 || recordOf(c).flags&starts != 0 {
			break
		}
		i += size
	}
	return i
}

// longestRun is how many marks are kept of a run that stands alone.
const longestRun = 3

// foldSpaces folds runs of spaces and of punctuation in place, and returns how many bytes are left.
// If places is not nil it receives the new index of each byte, which is the end of the text for
// bytes cut off there.
func foldSpaces(text []byte, places []int32) int {
	to, apart := 0, false // apart: a space is due before the next character
	for i := 0; i < len(text); {
		if b := text[i]; places == nil && b > ' ' && b < utf8.RuneSelf && (i+1 == len(text) || text[i+1] != b) {
			if apart && to > 0 {
				text[to] = ' '
				to++
			}
			apart = false
			text[to] = b
			to++
			i++
			continue
		}
		if text[i] == ' ' {
			if places != nil {
				places[i] = int32(to)
			}
			apart = true
			i++
			continue
		}
		size := 1
		if text[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(text[i:])
		}
		end := runEnd(text, i, size)
		kept := end
		if end > i+size {
			// Nothing was written at or after to yet, and if to equals i everything before it is
			// unchanged.
			if i > 0 && text[i-1] != ' ' || end < len(text) && text[end] != ' ' {
				for k := i; places != nil && k < end; k++ {
					places[k] = int32(to)
				}
				apart = true
				i = end
				continue
			}
			kept = min(end, i+longestRun*size)
		}
		if apart && to > 0 {
			text[to] = ' '
			to++
		}
		apart = false
		for k := i; places != nil && k < end; k++ {
			places[k] = int32(to + min(k, kept-1) - i)
		}
		to += copy(text[to:], text[i:kept])
		i = end
	}
	return to
}

// runEnd returns the end of the run of a punctuation mark that begins with a character of size
// bytes at i. A character of another kind is a run of its own.
func runEnd(text []byte, i, size int) int {
	end := i + size
	for end+size <= len(text) && string(text[end:end+size]) == string(text[i:i+size]) {
		if end == i+size {
			if c, _ := utf8.DecodeRune(text[i:]); c == utf8.RuneError || recordOf(c).flags&punctuation == 0 {
				break
			}
		}
		end += size
	}
	return end
}
