package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/ci/textmodel/judge"
)

// asked are the words whose neighbours are printed.
var asked = []string{
	"dog", "car", "doctor", "happy", "sad", "run", "water", "computer", "music", "money", "king", "red", "house", "school",
	"football", "rain", "bread", "war", "ocean", "phone", "love", "fast", "teacher", "city", "guitar", "winter", "buy",
	"software", "baby", "angry",
}

// judge prints the evaluation of the checkpoint.
func (s *settings) judge(ctx context.Context, out io.Writer) error {
	file, err := os.ReadFile(s.checkpoint)
	if err != nil {
		return err
	}
	encode, model, err := judge.Open(ctx, file)
	if err != nil {
		return err
	}
	defer model.Close()
	about, err := model.Describe(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d bytes, %d columns\n\n", len(file), about.EmbeddingColumns)

	scored, err := corpus.ReadScored(filepath.Join(s.folders.Data, "sts-dev.csv"))
	if err != nil {
		return err
	}
	learned, held, err := s.folders.Translations()
	if err != nil {
		return err
	}
	sentences, err := corpus.ReadSentences(s.sentencesPath())
	if err != nil {
		return err
	}
	var counted []string
	for i := 0; i < len(sentences); i += 4 {
		counted = append(counted, sentences[i].Text)
	}
	for _, translation := range learned {
		counted = append(counted, translation.Pair[1])
	}
	characters := judge.NewCharacters(counted)

	fmt.Fprintln(out, "| STS-B dev, Spearman | model | character n-grams |\n|---|--:|--:|")
	for _, change := range []struct {
		name string
		of   func(string) string
	}{
		{"as it is", nil}, {"the second sentence in capitals", strings.ToUpper},
		{"an error in every third word of the second", judge.Typing},
	} {
		figure, err := judge.Scores(encode, scored, change.of)
		if err != nil {
			return err
		}
		plain, err := judge.Scores(characters.Encode, scored, change.of)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.3f | %.3f |\n", change.name, figure, plain)
	}

	fmt.Fprintln(out, "\n| package descriptions, first place | pairs | English finds it: model | n-grams | a line finds its sentence: model | n-grams |\n|---|--:|--:|--:|--:|--:|")
	found, err := judge.Languages(encode, held)
	if err != nil {
		return err
	}
	plain, err := judge.Languages(characters.Encode, held)
	if err != nil {
		return err
	}
	for i, f := range found {
		fmt.Fprintf(out, "| %s | %d | %.2f | %.2f | %.2f | %.2f |\n",
			strings.ReplaceAll(f.Language, "%5f", "_"), f.Pairs, f.Across, plain[i].Across, f.Within, plain[i].Within)
	}

	vocabulary, err := s.folders.Words(10_000)
	if err != nil {
		return err
	}
	neighbours, err := judge.Neighbours(encode, asked, vocabulary, 6)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\n| word | nearest of 10,000 frequent words |\n|---|---|")
	for i, word := range asked {
		fmt.Fprintf(out, "| %s | %s |\n", word, strings.Join(neighbours[i], ", "))
	}

	var short []string
	for _, s := range scored {
		short = append(short, s.Pair[0])
	}
	speed, err := judge.Speed(encode, short)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%.0f sentences a second on one thread, of %d bytes on average\n", speed, mean(short))
	return nil
}

func mean(texts []string) int {
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	return bytes / len(texts)
}

// writeCard writes figures between the marks of a model card.
func writeCard(path string, figures []byte) error {
	const begin, end = "<!-- judge -->\n", "<!-- /judge -->"
	card, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(card), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no marks %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+string(figures)+end+after), 0o644)
}
