package corpus

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// Question is a text that a byte of Choices may follow; Answer is the index of the right one.
type Question struct {
	Text    string
	Choices string
	Answer  int
	Type    int
}

// The types of questions, and the names that a checkpoint gives them.
const (
	YesNo = iota
	FourChoices
)

// QuestionTypes are the names of the types.
var QuestionTypes = []string{"yes or no", "A to D"}

// kinds are what is asked about: what WordNet calls each, with an article.
var kinds = []struct{ name, said string }{
	{"person", "a person"}, {"animal", "an animal"}, {"location", "a place"}, {"artifact", "a thing that was made"},
	{"food", "food"}, {"plant", "a plant"}, {"feeling", "a feeling"}, {"act", "something that is done"},
}

// choices is how many of kinds stand to choice together.
const choices = 4

// Part tells what a question is for. No noun is asked about in two parts.
type Part int

const (
	Learning Part = iota
	Fitting       // of the calibration
	Judging
)

// Quiz asks of nouns what kind of thing they name, as WordNet tells of their most usual meaning. A fifth of the frequent
// ones are for fitting and judging.
type Quiz struct {
	// frequent words of each part and kind, and all that are to learn from.
	frequent [3][][]string
	all      [][]string
}

// NewQuiz gathers what can be asked about. senses are the most usual meanings of nouns.
func NewQuiz(sets []Synset, senses map[string]string, frequent []string) *Quiz {
	byOffset := map[string]*Synset{}
	for i := range sets {
		byOffset[sets[i].Offset] = &sets[i]
	}
	q := &Quiz{all: make([][]string, len(kinds))}
	for part := range q.frequent {
		q.frequent[part] = make([][]string, len(kinds))
	}
	known := map[string]bool{}
	for _, word := range frequent {
		if kind := kindOf(byOffset[senses[word]], byOffset); kind >= 0 && !known[word] {
			of := q.frequent[partOf(word)]
			of[kind] = append(of[kind], word)
			known[word] = true
		}
	}
	for _, word := range sortedKeys(senses) {
		if kind := kindOf(byOffset[senses[word]], byOffset); kind >= 0 && partOf(word) == Learning {
			q.all[kind] = append(q.all[kind], word)
		}
	}
	return q
}

// kindOf is the nearest kind above a meaning, −1 where there is none.
func kindOf(set *Synset, byOffset map[string]*Synset) int {
	for depth := 0; set != nil && depth < 20; depth++ {
		for _, word := range set.Words {
			for kind := range kinds {
				if kinds[kind].name == word {
					return kind
				}
			}
		}
		if len(set.Above) == 0 {
			break
		}
		set = byOffset[set.Above[0]]
	}
	return -1
}

func partOf(word string) Part {
	h := fnv.New32a()
	h.Write([]byte(word))
	switch h.Sum32() % 10 {
	case 0:
		return Fitting
	case 1:
		return Judging
	}
	return Learning
}

// Ask draws a question of a type for a part.
func (q *Quiz) Ask(draw *rand.Rand, questionType int, part Part) Question {
	if questionType == YesNo {
		asked := draw.IntN(len(kinds))
		right, answer := asked, 0
		if draw.IntN(2) == 0 {
			right, answer = (asked+1+draw.IntN(len(kinds)-1))%len(kinds), 1
		}
		return Question{
			Text: fmt.Sprintf("Is it %s, Y or N? %s", kinds[asked].said, q.word(draw, part, right)), Choices: "YN", Answer: answer, Type: YesNo,
		}
	}
	right := draw.IntN(choices)
	return Question{
		Text:    fmt.Sprintf("Is it A %s, B %s, C %s, D %s? %s", kinds[0].said, kinds[1].said, kinds[2].said, kinds[3].said, q.word(draw, part, right)),
		Choices: "ABCD", Answer: right, Type: FourChoices,
	}
}

func (q *Quiz) word(draw *rand.Rand, part Part, kind int) string {
	words := q.frequent[part][kind]
	if part == Learning && draw.IntN(2) == 0 {
		words = q.all[kind]
	}
	return words[draw.IntN(len(words))]
}

// Sizes are how many words there are of each kind: all to learn from, and those for judging.
func (q *Quiz) Sizes() (all, judging []int) {
	for kind := range kinds {
		all, judging = append(all, len(q.all[kind])), append(judging, len(q.frequent[Judging][kind]))
	}
	return all, judging
}
