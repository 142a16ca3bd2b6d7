package corpus

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Synset is a meaning: the words that have it, a gloss, and examples.
type Synset struct {
	Kind     string // noun, verb, adj or adv
	Words    []string
	Gloss    string
	Examples []string
	// Above are the offsets of its hypernyms.
	Above  []string
	Offset string
}

// ReadWordNet reads the data files of WordNet in a folder.
func ReadWordNet(folder string) ([]Synset, error) {
	var all []Synset
	for _, kind := range []string{"noun", "verb", "adj", "adv"} {
		lines, err := Lines(filepath.Join(folder, "data."+kind))
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			if strings.HasPrefix(line, "  ") {
				continue // the licence
			}
			if set, is := readSynset(kind, line); is {
				all = append(all, set)
			}
		}
	}
	return all, nil
}

// ReadSenses reads the most usual meaning of each noun: the offset of its synset, by the word.
func ReadSenses(folder string) (map[string]string, error) {
	lines, err := Lines(filepath.Join(folder, "index.noun"))
	if err != nil {
		return nil, err
	}
	senses := map[string]string{}
	for _, line := range lines {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "  ") || len(fields) < 7 {
			continue
		}
		pointers, err := strconv.Atoi(fields[3])
		if err != nil || len(fields) < 7+pointers {
			continue
		}
		// Meanings are the last fields, the most usual first, after the kinds of pointers and two
		// counts.
		senses[strings.ReplaceAll(fields[0], "_", " ")] = "noun" + fields[6+pointers]
	}
	return senses, nil
}

func readSynset(kind, line string) (Synset, bool) {
	data, gloss, _ := strings.Cut(line, " | ")
	fields := strings.Fields(data)
	if len(fields) < 6 {
		return Synset{}, false
	}
	set := Synset{Kind: kind, Offset: kind + fields[0]}
	count, err := strconv.ParseInt(fields[3], 16, 32)
	if err != nil || len(fields) < 4+2*int(count)+1 {
		return Synset{}, false
	}
	for i := range int(count) {
		word, _, _ := strings.Cut(fields[4+2*i], "(") // the syntax of an adjective
		set.Words = append(set.Words, strings.ReplaceAll(word, "_", " "))
	}
	for i := 4 + 2*int(count) + 1; i+3 < len(fields); i += 4 {
		if fields[i] == "@" || fields[i] == "@i" {
			set.Above = append(set.Above, kind+fields[i+1])
		}
	}
	for i, part := range strings.Split(gloss, `"`) {
		part = strings.Trim(part, " ;")
		switch {
		case part == "":
		case i%2 == 1:
			set.Examples = append(set.Examples, part)
		case set.Gloss == "":
			set.Gloss = part
		}
	}
	return set, set.Gloss != ""
}
