package train

import (
	"context"
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
)

// Scored is a question with the logits of its choices, and the index of the right one.
type Scored struct {
	Logits []float64
	Answer int
}

// Answers returns the logits of questions with the present weights, for [InverseTemperature] and
// [CalibrationError]. Questions are checked as by [Trainer.Step].
func (t *Trainer) Answers(ctx context.Context, questions []Question) ([]Scored, error) {
	defer t.end()
	if err := t.look(ctx, &Batch{Questions: questions}, &StepOptions{}); err != nil {
		return nil, err
	}
	scored := make([]Scored, len(questions))
	for i, q := range questions {
		logits := t.logits(t.embedded.states[i*t.width:][:t.width], q.Choices)
		scored[i] = Scored{append([]float64(nil), logits...), q.Answer}
	}
	return scored, nil
}

// Calibrate sets the inverse temperature of each question type to what fits its questions, which
// training must not have seen. Types without questions keep theirs. Errors are as for
// [Trainer.Answers].
func (t *Trainer) Calibrate(ctx context.Context, questions []Question) error {
	scored, err := t.Answers(ctx, questions)
	if err != nil {
		return err
	}
	byType := map[int][]Scored{}
	for i, s := range scored {
		byType[questions[i].Type] = append(byType[questions[i].Type], s)
	}
	for kind, of := range byType {
		inverse, err := InverseTemperature(of)
		if err != nil {
			return fmt.Errorf("question type %d: %w", kind, err)
		}
		t.config.Decoder.QuestionTypes[kind].InverseTemperature = inverse
	}
	return nil
}

// The range of the search for an inverse temperature; a file has them up to the highest.
const lowestInverse, highestInverse = 1e-3, 1000

// InverseTemperature returns the factor of the logits that maximizes the likelihood of the right
// answers, between 0.001 and 1000. The loss is convex in it, so there is one such number. No
// questions is [errors.ErrInvalidArgument].
func InverseTemperature(questions []Scored) (float64, error) {
	if len(questions) == 0 {
		return 0, fmt.Errorf("no questions to fit an inverse temperature to: %w", errors.ErrInvalidArgument)
	}
	// Where the loss still falls, the minimum lies above.
	low, high := math.Log(lowestInverse), math.Log(highestInverse)
	for range 60 {
		if middle := (low + high) / 2; lossSlope(questions, math.Exp(middle)) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp((low + high) / 2), nil
}

// lossSlope returns the derivative of the cross-entropy by the inverse temperature: the expected
// logit minus the right one.
func lossSlope(questions []Scored, inverse float64) (slope float64) {
	for _, q := range questions {
		probabilities := make([]float64, len(q.Logits))
		softmax(probabilities, q.Logits, inverse, q.Answer)
		for i, p := range probabilities {
			slope += p * q.Logits[i]
		}
		slope -= q.Logits[q.Answer]
	}
	return slope
}

// CalibrationError returns the expected calibration error at an inverse temperature, and the share
// of questions whose likeliest choice is right. Questions are put into bins by the probability of
// their likeliest choice; the error is the mean over questions of the distance between their bin's
// mean probability and its share of right answers.
func CalibrationError(questions []Scored, inverse float64, bins int) (expected, accuracy float64) {
	type bin struct{ likely, right float64 }
	filled := make([]bin, max(1, bins))
	for _, q := range questions {
		probabilities := make([]float64, len(q.Logits))
		softmax(probabilities, q.Logits, inverse, q.Answer)
		best := 0
		for i, p := range probabilities {
			if p > probabilities[best] {
				best = i
			}
		}
		b := &filled[min(len(filled)-1, int(probabilities[best]*float64(len(filled))))]
		b.likely += probabilities[best]
		if best == q.Answer {
			b.right++
			accuracy++
		}
	}
	for _, b := range filled {
		expected += math.Abs(b.likely - b.right)
	}
	return expected / float64(max(1, len(questions))), accuracy / float64(max(1, len(questions)))
}
