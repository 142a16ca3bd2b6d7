package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/ci/textmodel/judge"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

// The layers below the byte decoder. They read the bag's tables, which stay unchanged, and no
// embedding depends on them.
const (
	layers, heads, hidden = 2, 4, 192
	decideRate            = 2e-3
	decideBatch           = 64 // questions per step
	decideHeld            = 2000
)

func decides(config *model.Config) *model.Config {
	deciding := *config
	deciding.Layers, deciding.Heads, deciding.Hidden, deciding.Skip = layers, heads, hidden, true
	deciding.Decoder = &model.Decoder{}
	for _, name := range corpus.QuestionTypes {
		deciding.Decoder.QuestionTypes = append(deciding.Decoder.QuestionTypes, model.QuestionType{Name: name, InverseTemperature: 1})
	}
	return &deciding
}

// decide adds layers and a byte decoder to the checkpoint, and trains those on questions.
func (s *settings) decide(ctx context.Context, out io.Writer) error {
	quiz, err := s.quiz()
	if err != nil {
		return err
	}
	all, judging := quiz.Sizes()
	fmt.Fprintf(out, "nouns of each kind: %d for training, %d for evaluation\n", all, judging)
	file, err := os.ReadFile(s.checkpoint)
	if err != nil {
		return err
	}
	bag, err := model.ReadWeights(file)
	if err != nil {
		return err
	}
	trainer, err := beginOver(bag, decides(&bag.Config), train.Options{
		Optimizer: model.Training{LearningRate: decideRate, Beta1: 0.9, Beta2: 0.98, Clip: 1},
	})
	if err != nil {
		return err
	}
	defer trainer.Close()
	kept := map[string][]float32{}
	for _, name := range []string{"bytes", "grams", "projection"} {
		kept[name] = slices.Clone(trainer.Tensor(name))
	}
	draw := rand.New(rand.NewPCG(seed, 6))
	begin := time.Now()
	mean := 0.0
	for step := range s.steps {
		b := &train.Batch{}
		for i := range decideBatch {
			question := quiz.Ask(draw, i%len(corpus.QuestionTypes), corpus.Learning)
			b.Questions = append(b.Questions, train.Question{
				Text: []byte(question.Text), Choices: []byte(question.Choices), Answer: question.Answer, Type: question.Type,
			})
		}
		warm := math.Min(1, float64(step+1)/100)
		stats, err := trainer.Step(ctx, b, &train.StepOptions{
			LearningRate: decideRate * warm * (1 - 0.95*float64(step)/float64(s.steps)), Losses: &train.Losses{Choice: 1},
		})
		if err != nil {
			return err
		}
		for name, weights := range kept {
			copy(trainer.Tensor(name), weights)
		}
		mean += (stats.Loss - mean) * math.Max(0.01, 1/float64(step+1))
		if done := step + 1; done%s.every == 0 || done == s.steps {
			fmt.Fprintf(out, "decide: step %d of %d, %.0f s: loss %.3f\n", done, s.steps, time.Since(begin).Seconds(), mean)
		}
	}
	return s.calibrate(ctx, quiz, trainer, out)
}

func (s *settings) quiz() (*corpus.Quiz, error) {
	sets, err := corpus.ReadWordNet(s.folders.WordNet())
	if err != nil {
		return nil, err
	}
	senses, err := corpus.ReadSenses(s.folders.WordNet())
	if err != nil {
		return nil, err
	}
	frequent, err := s.folders.Words(60_000)
	if err != nil {
		return nil, err
	}
	return corpus.NewQuiz(sets, senses, frequent), nil
}

// calibrate fits the inverse temperature of each type, and writes the checkpoint. Calibration and
// evaluation use questions about nouns that were not in training.
func (s *settings) calibrate(ctx context.Context, quiz *corpus.Quiz, trainer *train.Trainer, out io.Writer) error {
	file, err := packDeciding(trainer)
	if err != nil {
		return err
	}
	draw := rand.New(rand.NewPCG(seed, 7))
	types := trainer.Config().Decoder.QuestionTypes
	for index := range types {
		var fitting, judging []corpus.Question
		for range decideHeld {
			fitting = append(fitting, quiz.Ask(draw, index, corpus.Fitting))
			judging = append(judging, quiz.Ask(draw, index, corpus.Judging))
		}
		fit, err := judge.Choices(ctx, file, fitting)
		if err != nil {
			return err
		}
		answered, err := judge.Choices(ctx, file, judging)
		if err != nil {
			return err
		}
		inverse, err := train.InverseTemperature(fit)
		if err != nil {
			return err
		}
		types[index].InverseTemperature = inverse
		const bins = 10
		before, right := train.CalibrationError(answered, 1, bins)
		after, _ := train.CalibrationError(answered, inverse, bins)
		fmt.Fprintf(out, "%s: %d questions of other nouns, %.1f %% right; expected calibration error %.3f before, %.3f after, at inverse temperature %.3f\n",
			types[index].Name, len(judging), 100*right, before, after, inverse)
	}
	if file, err = packDeciding(trainer); err != nil {
		return err
	}
	return s.write(file)
}
