package corpus

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Kind is the source of a sentence.
type Kind byte

const (
	Listed  Kind = 's' // sentences.txt
	Paired  Kind = 'p' // pairs.txt
	Gloss   Kind = 'g' // WordNet: what a word means
	Example Kind = 'e' // WordNet: how it is used
	Package Kind = 'd' // Debian: what a package is
	Word    Kind = 'w' // a frequent English word
	Phrase  Kind = 'm' // WordNet: words of several parts
	// Translated are lines in other languages, whose target is that of the English line.
	Translated Kind = 't'
)

// Sentence is a text to train on.
type Sentence struct {
	Kind Kind
	Text string
}

// longest is the length at which a text is cut, in bytes; the teacher cuts longer ones too.
const longest = 400

// Folders are the folders of the sources.
type Folders struct {
	// Data holds sentences.txt.xz, pairs.txt.xz and sts-dev.csv.
	Data string
	// Sources is the folder that fetch.sh filled.
	Sources string
}

// WordNet returns the folder of its data files.
func (f Folders) WordNet() string { return filepath.Join(f.Sources, "wordnet") }

// Descriptions returns the folder of Debian's translations.
func (f Folders) Descriptions() string { return filepath.Join(f.Sources, "descriptions") }

// Sentences gathers every sentence once, without near copies of what is held, in an order that
// depends on the sources alone.
func (f Folders) Sentences(held Held) ([]Sentence, error) {
	g := gathering{held: held, seen: map[string]bool{}}
	for _, list := range []struct {
		kind Kind
		name string
	}{{Listed, "sentences.txt.xz"}, {Paired, "pairs.txt.xz"}} {
		lines, err := Lines(filepath.Join(f.Data, list.name))
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			g.add(list.kind, line)
		}
	}
	sets, err := ReadWordNet(f.WordNet())
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		g.add(Gloss, set.Gloss)
	}
	for _, set := range sets {
		for _, example := range set.Examples {
			g.add(Example, example)
		}
	}
	descriptions, err := ReadDescriptions(f.Descriptions(), "en")
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(descriptions) {
		g.add(Package, descriptions[name].Short)
		g.add(Package, descriptions[name].Long)
	}
	words, err := f.Words(60_000)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		g.add(Word, word)
	}
	for _, set := range sets {
		for _, word := range set.Words {
			if strings.Contains(word, " ") {
				g.add(Phrase, word)
			}
		}
	}
	return g.all, nil
}

// Words returns the most frequent English words, the most frequent first.
func (f Folders) Words(count int) ([]string, error) {
	lines, err := Lines(filepath.Join(f.Sources, "words.txt"))
	if err != nil {
		return nil, err
	}
	var words []string
	for _, line := range lines {
		if plain.MatchString(line) && len(words) < count {
			words = append(words, line)
		}
	}
	return words, nil
}

var plain = regexp.MustCompile(`^[a-z][a-z'\-]*[a-z]$`)

type gathering struct {
	held Held
	seen map[string]bool
	all  []Sentence
}

func (g *gathering) add(kind Kind, text string) {
	text = strings.TrimSpace(text)
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	if text == "" || g.seen[text] || g.held.Has(text) {
		return
	}
	g.seen[text] = true
	text = strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	g.all = append(g.all, Sentence{kind, text})
}

func sortedKeys[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// WriteSentences stores sentences, one a line, each after its kind.
func WriteSentences(path string, all []Sentence) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	for _, sentence := range all {
		fmt.Fprintf(out, "%c\t%s\n", sentence.Kind, sentence.Text)
	}
	if err := out.Flush(); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// ReadSentences reads what WriteSentences wrote.
func ReadSentences(path string) ([]Sentence, error) {
	lines, err := Lines(path)
	if err != nil {
		return nil, err
	}
	all := make([]Sentence, len(lines))
	for i, line := range lines {
		if len(line) < 3 || line[1] != '\t' {
			return nil, fmt.Errorf("%s: line %d has no kind", path, i+1)
		}
		all[i] = Sentence{Kind(line[0]), line[2:]}
	}
	return all, nil
}
