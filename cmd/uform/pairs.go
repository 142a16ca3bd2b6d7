package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// pair is two texts that belong together. Pairs that share a text, directly or through others, have
// one group: their texts are not contrasted.
type pair struct {
	left, right string
	group       uint32
}

// readPairs reads lines of two texts with a tab between them. Empty lines are skipped.
func readPairs(from io.Reader, name string) ([]pair, error) {
	var pairs []pair
	reader := bufio.NewReader(from)
	for number := 1; ; number++ {
		line, err := reader.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		ended := err != nil
		if line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); line != "" {
			left, right, found := strings.Cut(line, "\t")
			switch {
			case !utf8.ValidString(line):
				return nil, fmt.Errorf("%s:%d: the line is not UTF-8: convert it", name, number)
			case !found || strings.Contains(right, "\t"):
				return nil, fmt.Errorf("%s:%d: the line is not two texts with a tab between them", name, number)
			case strings.TrimSpace(left) == "" || strings.TrimSpace(right) == "":
				return nil, fmt.Errorf("%s:%d: the line lacks a text", name, number)
			}
			pairs = append(pairs, pair{left: left, right: right})
		}
		if ended {
			setGroups(pairs)
			return pairs, nil
		}
	}
}

// setGroups numbers the groups of pairs.
func setGroups(pairs []pair) {
	parent := make([]uint32, len(pairs))
	root := func(i uint32) uint32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := map[string]uint32{}
	for i := range pairs {
		parent[i] = uint32(i)
		for _, text := range []string{pairs[i].left, pairs[i].right} {
			if known, found := first[text]; found {
				parent[root(uint32(i))] = root(known)
			} else {
				first[text] = uint32(i)
			}
		}
	}
	for i := range pairs {
		pairs[i].group = root(uint32(i))
	}
}

// The share of pairs that is held out, and the most.
const (
	heldShare = 10
	mostHeld  = 1000
)

// split holds out a tenth of the pairs at random, the same ones for the same seed. A group is held
// out whole, so that no held text was learned from.
func split(pairs []pair, seed uint64) (learned, held []pair, err error) {
	members := map[uint32][]pair{}
	var groups []uint32
	for _, p := range pairs {
		if members[p.group] == nil {
			groups = append(groups, p.group)
		}
		members[p.group] = append(members[p.group], p)
	}
	if len(groups) < 4 { // two to learn from, which is one contrast, and two to evaluate on
		return nil, nil, fmt.Errorf("there are %d pairs that share no text: give at least 4", len(groups))
	}
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	wanted := min(mostHeld, max(2, len(pairs)/heldShare))
	heldGroups := 0
	for i, group := range groups {
		left := len(groups) - i
		if (len(held)+len(members[group]) <= wanted || heldGroups < 2) && left > 2 {
			held = append(held, members[group]...)
			heldGroups++
			continue
		}
		learned = append(learned, members[group]...)
	}
	if heldGroups < 2 {
		return nil, nil, fmt.Errorf("the pairs share too many texts to hold some out: give pairs of other texts")
	}
	return learned, held, nil
}
