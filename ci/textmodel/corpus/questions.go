package corpus

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
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

// Quiz asks questions whose answers follow from WordNet and from pairs that mean the same. What is asked for judging is of
// words and pairs that are not asked for learning.
type Quiz struct {
	pairs [2][]Pair // to learn from, and held
	kinds [2][]kind
	names []string // of all kinds of things
}

// kind is a word and what it is a kind of, near and far.
type kind struct {
	word  string
	above []string
}

// NewQuiz gathers what can be asked about. Only frequent words are.
func NewQuiz(pairs []Pair, sets []Synset, frequent []string) *Quiz {
	q := &Quiz{}
	for _, pair := range pairs {
		if len(pair[0]) <= 80 && len(pair[1]) <= 80 && len(pair[0]) >= 12 && len(pair[1]) >= 12 {
			side := sideOf(pair[0])
			q.pairs[side] = append(q.pairs[side], pair)
		}
	}
	known := map[string]bool{}
	for _, word := range frequent {
		known[word] = true
	}
	byOffset := map[string]*Synset{}
	for i := range sets {
		byOffset[sets[i].Offset] = &sets[i]
	}
	taken, named := map[string]bool{}, map[string]int{}
	for i := range sets {
		set := &sets[i]
		word := set.Words[0]
		if set.Kind != "noun" || !known[word] || taken[word] {
			continue
		}
		taken[word] = true // its first meaning is the usual one
		var above []string
		for at, depth := set, 0; len(at.Above) > 0 && depth < 7; depth++ {
			at = byOffset[at.Above[0]]
			if at == nil {
				break
			}
			if name := at.Words[0]; known[name] && !tooGeneral[name] {
				above = append(above, name)
			}
		}
		if len(above) == 0 {
			continue
		}
		for _, name := range above {
			named[name]++
		}
		side := sideOf(word)
		q.kinds[side] = append(q.kinds[side], kind{word, above})
	}
	for _, name := range sortedKeys(named) {
		if named[name] >= 15 {
			q.names = append(q.names, name)
		}
	}
	for side := range q.kinds {
		for i := range q.kinds[side] {
			k := &q.kinds[side][i]
			kept := k.above[:0]
			for _, name := range k.above {
				if named[name] >= 15 {
					kept = append(kept, name)
				}
			}
			k.above = kept
		}
		kept := q.kinds[side][:0]
		for _, k := range q.kinds[side] {
			if len(k.above) > 0 {
				kept = append(kept, k)
			}
		}
		q.kinds[side] = kept
	}
	return q
}

// tooGeneral are kinds that say nothing.
var tooGeneral = map[string]bool{
	"entity": true, "object": true, "whole": true, "thing": true, "matter": true, "abstraction": true, "unit": true, "group": true,
	"state": true, "event": true, "act": true, "part": true, "attribute": true, "property": true, "relation": true, "cause": true,
}

// sideOf is 1 for a tenth, which are held.
func sideOf(text string) int {
	h := fnv.New32a()
	h.Write([]byte(text))
	if h.Sum32()%10 == 0 {
		return 1
	}
	return 0
}

// Ask draws a question of a type, from what is held or from the rest.
func (q *Quiz) Ask(draw *rand.Rand, questionType int, held bool) Question {
	side := 0
	if held {
		side = 1
	}
	switch {
	case questionType == YesNo && draw.IntN(2) == 0:
		return q.same(draw, side)
	case questionType == YesNo:
		return q.isKind(draw, side)
	case draw.IntN(2) == 0:
		return q.closest(draw, side)
	}
	return q.whichKind(draw, side)
}

func yesNo(text string, yes bool) Question {
	question := Question{Text: text, Choices: "YN", Type: YesNo}
	if !yes {
		question.Answer = 1
	}
	return question
}

func (q *Quiz) same(draw *rand.Rand, side int) Question {
	pairs := q.pairs[side]
	pair := pairs[draw.IntN(len(pairs))]
	yes := draw.IntN(2) == 0
	if !yes {
		pair[1] = pairs[draw.IntN(len(pairs))][draw.IntN(2)]
	}
	return yesNo(fmt.Sprintf("Do these mean the same?\n%s\n%s\nAnswer Y or N: ", pair[0], pair[1]), yes)
}

func (q *Quiz) isKind(draw *rand.Rand, side int) Question {
	k := q.kinds[side][draw.IntN(len(q.kinds[side]))]
	yes := draw.IntN(2) == 0
	name := k.above[draw.IntN(len(k.above))]
	for !yes && k.is(name) {
		// A wrong kind is one that other words are of, as often as they are.
		other := q.kinds[side][draw.IntN(len(q.kinds[side]))]
		name = other.above[draw.IntN(len(other.above))]
	}
	return yesNo(fmt.Sprintf("Is %s a kind of %s? Answer Y or N: ", k.word, name), yes)
}

func (k *kind) is(name string) bool {
	for _, above := range k.above {
		if above == name {
			return true
		}
	}
	return k.word == name
}

func four(draw *rand.Rand, text, right string, wrong func() string) Question {
	question := Question{Choices: "ABCD", Answer: draw.IntN(4), Type: FourChoices}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", text)
	for i := range 4 {
		option := right
		if i != question.Answer {
			option = wrong()
		}
		fmt.Fprintf(&out, "%c) %s\n", 'A'+i, option)
	}
	out.WriteString("Answer: ")
	question.Text = out.String()
	return question
}

func (q *Quiz) closest(draw *rand.Rand, side int) Question {
	pairs := q.pairs[side]
	pair := pairs[draw.IntN(len(pairs))]
	return four(draw, "Which is closest to this? "+pair[0], pair[1], func() string { return pairs[draw.IntN(len(pairs))][draw.IntN(2)] })
}

func (q *Quiz) whichKind(draw *rand.Rand, side int) Question {
	kinds := q.kinds[side]
	k := kinds[draw.IntN(len(kinds))]
	name := k.above[draw.IntN(len(k.above))]
	return four(draw, "Which of these is a kind of "+name+"?", k.word, func() string {
		for {
			if other := kinds[draw.IntN(len(kinds))]; !other.is(name) {
				return other.word
			}
		}
	})
}
