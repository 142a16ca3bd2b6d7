package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/ci/textmodel/judge"
	"github.com/unum-cloud/uform-go/uform"
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
	encode, model, err := judge.Open(ctx, file, nil)
	if err != nil {
		return err
	}
	defer model.Close()
	about, err := model.Describe(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d bytes, %d columns\n\n", len(file), about.EmbeddingColumns)

	scored, err := corpus.ReadScored(s.scoredPath())
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

	if err := s.judgeScored(out, encode, characters.Encode, scored, sentences); err != nil {
		return err
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

	if err := judgeShares(ctx, out, file, scored, held); err != nil {
		return err
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

// judgeScored prints how an encoder and a baseline rank splits of the STS benchmark. Nothing is
// learned from the training split, and nothing chosen by it. It is left out where it is absent, and
// so are its pairs with a text that was gathered from elsewhere.
func (s *settings) judgeScored(out io.Writer, encode, baseline judge.Encoder, scored []corpus.Scored, gathered []corpus.Sentence) error {
	train, err := corpus.ReadScored(filepath.Join(s.folders.Data, "sts-train.csv"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	known := corpus.Held{}
	for _, sentence := range gathered {
		known.Add(sentence.Text)
	}
	unseen := slices.DeleteFunc(slices.Clone(train), func(s corpus.Scored) bool { return known.Has(s.Pair[0]) || known.Has(s.Pair[1]) })
	fmt.Fprintln(out, "| STS-B, Spearman | pairs | model | 95 % | character n-grams | 95 % |\n|---|--:|--:|---|--:|---|")
	for _, split := range []struct {
		name  string
		pairs []corpus.Scored
	}{{"development", scored}, {"training, of which nothing was learned", unseen}} {
		if len(split.pairs) == 0 {
			continue
		}
		fmt.Fprintf(out, "| %s | %d |", split.name, len(split.pairs))
		for _, e := range []judge.Encoder{encode, baseline} {
			figure, err := judge.Scores(e, split.pairs, nil)
			if err != nil {
				return err
			}
			low, high, err := judge.Interval(e, split.pairs)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, " %.3f | %.3f to %.3f |", figure, low, high)
		}
		fmt.Fprintln(out)
	}

	fmt.Fprintln(out, "\n| development, the second sentence changed | model | character n-grams |\n|---|--:|--:|")
	for _, change := range append([]judge.Change{{Name: "as it is"}}, judge.Changes...) {
		fmt.Fprintf(out, "| %s |", change.Name)
		for _, e := range []judge.Encoder{encode, baseline} {
			figure, err := judge.Scores(e, scored, change.Of)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, " %.3f |", figure)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// judgeShares prints what the lexical lane's share changes: the development split, and how often a
// held-out line of a package finds its sentence among those of its language.
func judgeShares(ctx context.Context, out io.Writer, file []byte, scored []corpus.Scored, held []corpus.Translation) error {
	fmt.Fprintln(out, "\n| `LaneShare` | STS-B dev | with an error in every third word | a line finds its sentence, all languages |\n|---|--:|--:|--:|")
	for _, share := range []float64{0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9} {
		if err := judgeShare(ctx, out, file, share, scored, held); err != nil {
			return err
		}
	}
	return nil
}

func judgeShare(ctx context.Context, out io.Writer, file []byte, share float64, scored []corpus.Scored, held []corpus.Translation) error {
	encode, model, err := judge.Open(ctx, file, &uform.LoadOptions{LaneShare: share})
	if err != nil {
		return err
	}
	defer model.Close()
	clean, err := judge.Scores(encode, scored, nil)
	if err != nil {
		return err
	}
	typed, err := judge.Scores(encode, scored, judge.Typing)
	if err != nil {
		return err
	}
	found, err := judge.Languages(encode, held)
	if err != nil {
		return err
	}
	right, pairs := 0.0, 0
	for _, f := range found {
		right += f.Within * float64(f.WithinPairs)
		pairs += f.WithinPairs
	}
	name := "not set"
	if share != 0 {
		name = fmt.Sprint(share)
	}
	fmt.Fprintf(out, "| %s | %.3f | %.3f | %.3f of %d |\n", name, clean, typed, right/float64(pairs), pairs)
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
