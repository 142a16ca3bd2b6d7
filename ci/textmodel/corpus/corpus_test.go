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

// Right answers are right, choices differ in what they say, and every place is as likely to be right.
func TestQuiz(t *testing.T) {
	var sets []corpus.Synset
	var frequent []string
	for _, name := range []string{"animal", "tool"} {
		sets = append(sets, corpus.Synset{Kind: "noun", Offset: name, Words: []string{name}})
		frequent = append(frequent, name)
		for i := range 60 {
			word := fmt.Sprint(name, i)
			sets = append(sets, corpus.Synset{Kind: "noun", Offset: word, Words: []string{word}, Above: []string{name}})
			frequent = append(frequent, word)
		}
	}
	var pairs []corpus.Pair
	for i := range 60 {
		pairs = append(pairs, corpus.Pair{fmt.Sprint("the first of pair ", i), fmt.Sprint("the second of pair ", i)})
	}
	quiz := corpus.NewQuiz(pairs, sets, frequent)
	draw := rand.New(rand.NewPCG(1, 1))
	var places [4]int
	for range 2000 {
		question := quiz.Ask(draw, corpus.FourChoices, draw.IntN(2) == 0)
		places[question.Answer]++
		lines := strings.Split(question.Text, "\n")
		require.Len(t, lines, 6)
		asked, right := lines[0], lines[1+question.Answer][3:]
		if name, found := strings.CutPrefix(asked, "Which of these is a kind of "); found {
			name = strings.TrimSuffix(name, "?")
			for i, option := range lines[1:5] {
				require.Equal(t, i == question.Answer, strings.HasPrefix(option[3:], name), question.Text)
			}
		} else {
			require.Equal(t, strings.Replace(asked, "Which is closest to this? the first", "the second", 1), right)
		}
		question = quiz.Ask(draw, corpus.YesNo, false)
		if rest, found := strings.CutPrefix(question.Text, "Is "); found {
			word, name, _ := strings.Cut(strings.TrimSuffix(rest, "? Answer Y or N: "), " a kind of ")
			require.Equal(t, question.Answer == 0, strings.HasPrefix(word, name), question.Text)
		}
	}
	for _, count := range places {
		require.InDelta(t, 500, count, 120)
	}
}
