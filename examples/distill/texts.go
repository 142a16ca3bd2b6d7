package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// mostLine is the length in bytes of the longest line that is read.
const mostLine = 1 << 20

// readLines returns the lines of a file, each once, without those of white space alone.
func readLines(streams command.Streams, path string) ([]string, error) {
	file, err := streams.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return scanLines(file, path)
}

func scanLines(from io.Reader, path string) ([]string, error) {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(make([]byte, 64<<10), mostLine)
	seen := map[string]bool{}
	var lines []string
	number := 1
	for ; scanner.Scan(); number++ {
		line := scanner.Text()
		switch {
		case !utf8.ValidString(line):
			return nil, fmt.Errorf("%s: line %d is not UTF-8: convert it", path, number)
		case strings.TrimSpace(line) == "" || seen[line]:
			continue
		}
		seen[line] = true
		lines = append(lines, line)
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: line %d is longer than %d bytes: split it", path, number, mostLine)
	}
	return lines, scanner.Err()
}

// keyOf returns the letters and digits of a text in one case. Texts of one key are near copies.
func keyOf(text string) string {
	key := strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
	if key == "" {
		return text
	}
	return key
}

// lessons are the lines of a run.
type lessons struct {
	learned, held []string
	// dropped counts lines that are near copies of one that is held out or evaluated on.
	dropped int
}

const (
	leastHeld    = 50
	leastLearned = 50
	heldShare    = 0.05
)

// split holds out a twentieth of the lines at random, the same ones for the same seed. Neither they
// nor the texts of others are learned from, and no near copy of them.
func split(lines, others []string, seed uint64) (*lessons, error) {
	l := &lessons{}
	avoided := map[string]bool{}
	for _, text := range others {
		avoided[keyOf(text)] = true
	}
	of := map[string][]string{}
	var keys []string
	for _, line := range lines {
		key := keyOf(line)
		if avoided[key] {
			l.dropped++
			continue
		}
		if of[key] == nil {
			keys = append(keys, key)
		}
		of[key] = append(of[key], line)
	}
	held := max(leastHeld, int(heldShare*float64(len(keys))))
	if len(keys) < held+leastLearned {
		return nil, fmt.Errorf("%d different lines are too few: give at least %d", len(keys), leastHeld+leastLearned)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:held] {
		l.held = append(l.held, of[key][0])
		l.dropped += len(of[key]) - 1
	}
	for _, key := range keys[held:] {
		l.learned = append(l.learned, of[key]...)
	}
	return l, nil
}
