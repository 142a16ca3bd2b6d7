package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/ci/textmodel/judge"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

// train makes the model from the working folder and writes the checkpoint. The log goes to out.
func (s *settings) train(ctx context.Context, out io.Writer) error {
	lessons, err := s.lessons()
	if err != nil {
		return err
	}
	scored, err := corpus.ReadScored(s.scoredPath())
	if err != nil {
		return err
	}
	held := corpus.NewHeld(scored)
	if text, found := lessons.held(held); found {
		return fmt.Errorf("%s has %q, which the model is evaluated on: run teach again", s.sentencesPath(), text)
	}
	learned, _, err := s.folders.Translations()
	if err != nil {
		return err
	}
	lessons.translate(learned)
	fmt.Fprintf(out, "%d sentences with targets:", len(lessons.texts))
	for _, kind := range slices.Sorted(maps.Keys(mix)) {
		fmt.Fprintf(out, " %c %d", kind, lessons.count(kind))
	}
	lines, err := corpus.Lines(filepath.Join(s.folders.Data, "pairs.txt.xz"))
	if err != nil {
		return err
	}
	alike := held.Without(corpus.Alternating(lines))
	fmt.Fprintf(out, "\n%d pairs, %d translations\n", len(alike), len(learned))

	config := architecture()
	rows := newFrequency(config.Grams)
	lane := newFrequency(&model.Grams{Sizes: config.Lexical.Sizes, Hashes: 1, Buckets: config.Lexical.Buckets, Within: true})
	for _, text := range lessons.texts {
		rows.add(text)
		lane.add(text)
	}
	bag := *config
	bag.Lexical = nil // counted, not learned
	trainer, err := s.begin(&bag, rows)
	if err != nil {
		return err
	}
	defer trainer.Close()

	draw := rand.New(rand.NewPCG(seed, 4))
	var order []int
	begin := time.Now()
	for step := range s.steps {
		b := &train.Batch{}
		for len(b.Items) < batch {
			if len(order) == 0 {
				order = draw.Perm(len(lessons.texts))
			}
			if draw.Float64() >= mix[lessons.kinds[order[0]]] {
				order = order[1:]
				continue
			}
			b.Items = append(b.Items, train.Item{Text: []byte(noise.Apply(draw, string(lessons.texts[order[0]])))})
			b.Targets = append(b.Targets, lessons.target(order[0]))
			b.Groups = append(b.Groups, -1)
			order = order[1:]
		}
		for group := range pairs {
			pair := alike[draw.IntN(len(alike))]
			if group%2 == 1 {
				translation := learned[draw.IntN(len(learned))]
				if pair = translation.Pair; group%4 == 3 && translation.Long[1] != "" {
					pair = corpus.Pair{pair[1], translation.Long[1]}
				}
			}
			for _, text := range pair {
				b.Items = append(b.Items, train.Item{Text: []byte(text)})
				b.Targets = append(b.Targets, nil)
				b.Groups = append(b.Groups, int64(group))
			}
		}
		stats, err := trainer.Step(ctx, b, &train.StepOptions{
			LearningRate: rate * (1 - 0.95*float64(step)/float64(s.steps)),
			Losses:       &train.Losses{Cosine: cosine, Similarity: similarity, Contrast: contrast, Temperature: temperature},
		})
		if err != nil {
			return err
		}
		if done := step + 1; done%s.every == 0 || done == s.steps {
			file, err := pack(trainer, architecture(), lane.weights())
			if err != nil {
				return err
			}
			figure, err := judge.Spearman(ctx, file, scored)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "step %d of %d, %.0f s: loss %.3f, STS-B dev %.4f\n", done, s.steps, time.Since(begin).Seconds(), stats.Loss, figure)
		}
	}
	return s.choose(ctx, trainer, lane.weights(), scored, out)
}

// choose writes the checkpoint with the largest share of the lane that costs next to nothing on the
// development split: spelling finds rare words and misspelt ones, of which the split has few.
func (s *settings) choose(ctx context.Context, trainer *train.Trainer, weights []float32, scored []corpus.Scored, out io.Writer) error {
	const cost = 0.001
	var files [][]byte
	var figures []float64
	for _, share := range shares {
		config := architecture()
		config.Lexical.Share = share
		file, err := pack(trainer, config, weights)
		if err != nil {
			return err
		}
		figure, err := judge.Spearman(ctx, file, scored)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "lane's share %.2f: STS-B dev %.4f\n", share, figure)
		files, figures = append(files, file), append(figures, figure)
	}
	least := slices.Max(figures) - cost
	for i := range slices.Backward(figures) {
		if figures[i] >= least {
			return s.write(files[i])
		}
	}
	return nil
}

// begin starts the run: rows of n-grams that many sentences share are shorter at first.
func (s *settings) begin(config *model.Config, rows *frequency) (*train.Trainer, error) {
	const none = 1e-30 // zero stands for the default
	file, err := train.Fresh(config, seed)
	if err != nil {
		return nil, err
	}
	trainer, err := train.New(file, &train.Options{
		Optimizer: model.Training{LearningRate: rate, WeightDecay: none, Beta1: 0.9, Beta2: 0.99, Clip: 1 / none},
		Spread:    train.Threads(threads),
	})
	if err != nil {
		return nil, err
	}
	table := trainer.Tensor("grams")
	for row := range config.Grams.Buckets {
		factor := math.Pow(rows.rarity(row)/6, rowIDF)
		for c := range width {
			table[row*width+c] *= float32(factor)
		}
	}
	return trainer, nil
}

func (s *settings) write(file []byte) error {
	if len(file) > most {
		return fmt.Errorf("the checkpoint takes %d bytes, %d at most", len(file), most)
	}
	return os.WriteFile(s.checkpoint, file, 0o644)
}
