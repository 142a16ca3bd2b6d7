package corpus

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// Question is a text and the bytes that may follow it; Answer is the index of the right one in
// Choices.
type Question struct {
	Text    string
	Choices string
	Answer  int
	Type    int
}

// The types of questions, and their names in a checkpoint.
const (
	YesNo = iota
	FourChoices
)

// QuestionTypes are the names of the types.
var QuestionTypes = []string{"yes or no", "A to D"}

// kinds are the kinds of things in questions: WordNet's name, and the name with an article.
var kinds = []struct{ name, said string }{
	{"person", "a person"}, {"animal", "an animal"}, {"location", "a place"}, {"artifact", "a thing that was made"},
	{"food", "food"}, {"plant", "a plant"}, {"feeling", "a feeling"}, {"act", "something that is done"},
}

// choices is how many kinds one question offers.
const choices = 4

// Part is the use of a question. No noun is in two parts.
type Part int

const (
	Learning Part = iota
	Fitting       // of the calibration
	Judging
)

// Quiz asks of nouns what kind of thing they name, by WordNet's most usual meaning. A fifth of the
// frequent nouns is for calibration and evaluation.
type Quiz struct {
	// frequent words of each part and kind, and all words for training.
	frequent [3][][]string
	all      [][]string
}

// NewQuiz gathers the nouns. senses are their most usual meanings.
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

// kindOf returns the nearest kind above a meaning, −1 if there is none.
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

// Sizes returns the number of words of each kind: all for training, and those for evaluation.
func (q *Quiz) Sizes() (all, judging []int) {
	for kind := range kinds {
		all, judging = append(all, len(q.all[kind])), append(judging, len(q.frequent[Judging][kind]))
	}
	return all, judging
}
