package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// pair is two texts that belong together.
type pair struct{ left, right string }

// readPairs reads lines of two texts with a tab between them. Empty lines are skipped.
func readPairs(streams command.Streams, path string) ([]pair, error) {
	file, err := streams.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, command.At(path, err)
	}
	var pairs []pair
	for number, line := range strings.Split(string(content), "\n") {
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			continue
		}
		left, right, found := strings.Cut(line, "\t")
		switch {
		case !found || strings.Contains(right, "\t"):
			return nil, fmt.Errorf("%s:%d: the line is not two texts with a tab between them", path, number+1)
		case !utf8.ValidString(line):
			return nil, fmt.Errorf("%s:%d: the line is not UTF-8: convert it", path, number+1)
		case left == "" || right == "":
			return nil, fmt.Errorf("%s:%d: the line lacks a text", path, number+1)
		}
		pairs = append(pairs, pair{left, right})
	}
	return pairs, nil
}

// split holds out a tenth of the pairs at random, the same ones for the same seed.
func split(all []pair, seed uint64) (learned, held []pair, err error) {
	const least = 4 // two to train on, which is one contrast, and two to evaluate on
	if len(all) < least {
		return nil, nil, fmt.Errorf("%d pairs are too few: give at least %d", len(all), least)
	}
	all = append([]pair(nil), all...)
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	count := min(500, max(2, len(all)/10))
	return all[count:], all[:count], nil
}

// groups numbers pairs so that those that share a text have one number: they must not be negatives
// of each other.
func groups(pairs []pair) []uint32 {
	numbers := make([]uint32, len(pairs))
	known := map[string]uint32{}
	for i, p := range pairs {
		number, found := known["<"+p.left]
		if !found {
			if number, found = known[">"+p.right]; !found {
				number = uint32(i)
			}
		}
		known["<"+p.left], known[">"+p.right] = number, number
		numbers[i] = number
	}
	return numbers
}
