package teacher

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	// separator stands for a space in pieces.
	separator = '▁'
	// reserved pieces come first and match no text.
	reserved = 6
	// longest is the most pieces of a text that are used.
	longest = 128
)

// piece is an entry of the vocabulary.
type piece struct {
	index  int32
	score  float64
	length int // in characters
}

// vocabulary finds the best cut of a text into pieces: the one with the largest sum of scores.
type vocabulary struct {
	pieces  map[string]piece
	lengths []int // in characters, by index
	most    int
}

func readVocabulary(path string) (*vocabulary, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries [][2]any
	if err := json.Unmarshal(file, &entries); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v := &vocabulary{pieces: map[string]piece{}}
	for i, entry := range entries {
		text, isText := entry[0].(string)
		if !isText {
			return nil, fmt.Errorf("%s: entry %d is not a piece", path, i)
		}
		score, _ := entry[1].(float64) // pieces with a colon have none, which counts as zero
		length := len([]rune(text))
		v.lengths = append(v.lengths, length)
		v.most = max(v.most, length)
		if i >= reserved {
			v.pieces[text] = piece{int32(i), score, length}
		}
	}
	return v, nil
}

// cut returns the pieces of a text, at most longest of them. A run of characters that no piece
// holds is one piece 0.
func (v *vocabulary) cut(text string) []int32 {
	text = norm.NFKC.String(text)
	if text == "" {
		return nil
	}
	runes := []rune(string(separator) + strings.ReplaceAll(text, " ", string(separator)))
	n := len(runes)
	best, word := make([]float64, n+1), make([]int32, n+1)
	reach := func(end int, p piece) {
		if score := p.score + best[end-p.length]; best[end] == 0 || score >= best[end] {
			best[end], word[end] = score, p.index
		}
	}
	// Candidates that end at a position are tried in the order of their beginnings, which decides
	// ties.
	for end := 1; end <= n; end++ {
		for start := max(0, end-v.most); start < end; start++ {
			if p, known := v.pieces[string(runes[start:end])]; known {
				reach(end, p)
			} else if end == start+1 && !v.begins(runes[start:]) {
				reach(end, piece{0, 0, 1})
			}
		}
	}
	var cut []int32
	for at := n; at > 0; {
		index, length := word[at], 1
		if index != 0 {
			length = v.lengths[index]
		}
		if index != 0 || len(cut) == 0 || cut[len(cut)-1] != 0 {
			cut = append(cut, index)
		}
		at -= length
	}
	for i, j := 0, len(cut)-1; i < j; i, j = i+1, j-1 {
		cut[i], cut[j] = cut[j], cut[i]
	}
	return cut[:min(len(cut), longest)]
}

// begins reports whether some piece is the beginning of a text.
func (v *vocabulary) begins(runes []rune) bool {
	for end := 1; end <= min(v.most, len(runes)); end++ {
		if _, known := v.pieces[string(runes[:end])]; known {
			return true
		}
	}
	return false
}
