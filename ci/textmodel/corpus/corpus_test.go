package corpus_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
)

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}

func TestWordNet(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "data.noun", "  1 the licence\n"+
		"00217499 04 n 02 disaster 0 sea_change 1 002 @ 00217014 n 0000 + 1 a 0101 | an act that has consequences; \"it was a disaster\"  \n")
	write(t, folder, "data.verb", "")
	write(t, folder, "data.adj", "00001740 00 a 01 able(p) 0 000 | having the means; \"able to swim\"; \"she was able\"\n")
	write(t, folder, "data.adv", "")
	sets, err := corpus.ReadWordNet(folder)
	require.NoError(t, err)
	require.Equal(t, []corpus.Synset{
		{Kind: "noun", Offset: "noun00217499", Words: []string{"disaster", "sea change"}, Gloss: "an act that has consequences",
			Examples: []string{"it was a disaster"}, Above: []string{"noun00217014"}},
		{Kind: "adj", Offset: "adj00001740", Words: []string{"able"}, Gloss: "having the means", Examples: []string{"able to swim", "she was able"}},
	}, sets)
}

func TestDescriptions(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "x_i18n_Translation-it", "Package: a\nDescription-md5: 11\nDescription-it: un pacchetto\n"+
		" Una prima frase abbastanza lunga. Una seconda.\n .\n Altro.\n\nPackage: b\nDescription-md5: 22\nDescription-it: un altro\n corta\n")
	all, err := corpus.ReadDescriptions(folder, "it")
	require.NoError(t, err)
	require.Equal(t, map[string]corpus.Description{
		"11": {Short: "un pacchetto", Long: "Una prima frase abbastanza lunga."},
		"22": {Short: "un altro"},
	}, all)
}

func TestScored(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "dev.csv", "g\tf\ty\t1\t3.25\tone \"text\"\tanother\n")
	scored, err := corpus.ReadScored(filepath.Join(folder, "dev.csv"))
	require.NoError(t, err)
	require.Equal(t, []corpus.Scored{{Pair: corpus.Pair{`one "text"`, "another"}, Score: 3.25}}, scored)
	write(t, folder, "torn.csv", "g\tf\ty\t1\t3.25\tone\n")
	_, err = corpus.ReadScored(filepath.Join(folder, "torn.csv"))
	require.ErrorContains(t, err, "line 1")
}

// Answers are right, the right choice is in each place equally often, and no noun is in two parts.
func TestQuiz(t *testing.T) {
	var sets []corpus.Synset
	var frequent []string
	senses := map[string]string{}
	kinds := []string{"person", "animal", "location", "artifact", "food", "plant", "feeling", "act"}
	for _, kind := range kinds {
		sets = append(sets, corpus.Synset{Kind: "noun", Offset: kind, Words: []string{"x", kind}})
		sets = append(sets, corpus.Synset{Kind: "noun", Offset: "some" + kind, Words: []string{"some"}, Above: []string{kind}})
		for i := range 60 {
			word := fmt.Sprint(kind, i)
			sets = append(sets, corpus.Synset{Kind: "noun", Offset: word, Words: []string{word}, Above: []string{"some" + kind}})
			senses[word] = word
			frequent = append(frequent, word)
		}
	}
	quiz := corpus.NewQuiz(sets, senses, frequent)
	draw := rand.New(rand.NewPCG(1, 1))
	var places [4]int
	asked := map[string]corpus.Part{}
	saidOf := map[string]string{"person": "a person", "animal": "an animal", "location": "a place", "artifact": "a thing that was made",
		"food": "food", "plant": "a plant", "feeling": "a feeling", "act": "something that is done"}
	for range 3000 {
		part := corpus.Part(draw.IntN(3))
		four, yes := quiz.Ask(draw, corpus.FourChoices, part), quiz.Ask(draw, corpus.YesNo, part)
		places[four.Answer]++
		for _, question := range []corpus.Question{four, yes} {
			_, word, _ := strings.Cut(question.Text, "? ")
			if before, known := asked[word]; known {
				require.Equal(t, before, part, word)
			}
			asked[word] = part
			said := saidOf[strings.TrimRight(word, "0123456789")]
			if question.Type == corpus.FourChoices {
				require.Contains(t, question.Text, string(question.Choices[question.Answer])+" "+said)
			} else {
				require.Equal(t, question.Answer == 0, strings.HasPrefix(question.Text, "Is it "+said+", "), question.Text)
			}
		}
	}
	for _, count := range places {
		require.InDelta(t, 750, count, 150)
	}
}

// Near copies of what a model is evaluated on are not gathered.
func TestHeld(t *testing.T) {
	held := corpus.NewHeld([]corpus.Scored{{Pair: corpus.Pair{"A man is playing, the guitar!", "ÜBER ALLES"}}, {Pair: corpus.Pair{"?!", "x"}}})
	for text, is := range map[string]bool{
		"A man is playing, the guitar!": true, " a  man is playing the guitar": true, "A man is playing the guitars.": false,
		"über alles.": true, "?!": true, "!!": false, "": false,
	} {
		require.Equal(t, is, held.Has(text), text)
	}
	pairs := []corpus.Pair{{"one", "two"}, {"über alles", "two"}, {"one", "X."}}
	require.Equal(t, pairs[:1], held.Without(pairs))
}
