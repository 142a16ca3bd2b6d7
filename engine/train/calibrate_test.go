package train_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Answers drawn at a temperature give that temperature, and are calibrated at it.
func TestInverseTemperature(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, drawn := range []float64{0.3, 1, 4} {
		questions := make([]train.Scored, 20000)
		for i := range questions {
			logits, weights, sum := make([]float64, 4), make([]float64, 4), 0.0
			for j := range logits {
				logits[j] = random.NormFloat64()
				weights[j] = math.Exp(drawn * logits[j])
				sum += weights[j]
			}
			answer, at := 0, random.Float64()*sum
			for at > weights[answer] {
				at -= weights[answer]
				answer++
			}
			questions[i] = train.Scored{Logits: logits, Answer: answer}
		}
		inverse, err := train.InverseTemperature(questions)
		require.NoError(t, err)
		require.InEpsilon(t, drawn, inverse, 0.06)
		right, accuracy := train.CalibrationError(questions, inverse, 10)
		wrong, same := train.CalibrationError(questions, 3*inverse, 10)
		require.Less(t, right, 0.02)
		require.Greater(t, wrong, 0.1)
		require.InDelta(t, accuracy, same, 1e-9, "the likeliest choice is so at any temperature")
	}
	inverse, err := train.InverseTemperature([]train.Scored{{Logits: []float64{1, 0}, Answer: 0}})
	require.NoError(t, err)
	require.Greater(t, inverse, 30.0, "as sure as can be told")
	_, err = train.InverseTemperature(nil)
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
}

// A decoder learns to answer, is calibrated on held-out questions, and is saved with the
// calibration.
func TestDecoderLearnsToAnswer(t *testing.T) {
	config := textConfig()
	trainer, _ := start(t, config, nil)
	random := rand.New(rand.NewPCG(6, 6))
	// Whether a text holds an x; every tenth answer is wrong.
	questions := func(count int) (all []train.Question) {
		for range count {
			text, answer := []byte("abcdef"), 0
			if random.IntN(2) == 0 {
				text[random.IntN(6)] = 'x'
				answer = 1
			}
			if random.IntN(10) == 0 {
				answer = 1 - answer
			}
			all = append(all, train.Question{Text: append(text, '?'), Choices: []byte("ny"), Answer: answer})
		}
		return all
	}
	losses := &train.Losses{Choice: 1}
	for range 150 {
		_, err := trainer.Step(t.Context(), &train.Batch{Questions: questions(32)}, &train.StepOptions{LearningRate: 0.01, Losses: losses})
		require.NoError(t, err)
	}
	held := questions(1000)
	scored, err := trainer.Answers(t.Context(), held)
	require.NoError(t, err)
	_, accuracy := train.CalibrationError(scored, 1, 10)
	require.Greater(t, accuracy, 0.7)
	require.NoError(t, trainer.Calibrate(t.Context(), held))
	inverse := trainer.Config().Decoder.QuestionTypes[0].InverseTemperature
	fitted, _ := train.CalibrationError(scored, inverse, 10)
	require.Less(t, fitted, 0.1, "a thousand answers in ten bins scatter by some hundredths, and each processor rounds its own way there")
	require.Equal(t, 1.7, trainer.Config().Decoder.QuestionTypes[1].InverseTemperature, "nothing was asked of this type")

	metadata, err := trainer.Metadata()
	require.NoError(t, err)
	saved, err := model.ParseConfig(metadata["uform"])
	require.NoError(t, err)
	require.Equal(t, inverse, saved.Decoder.QuestionTypes[0].InverseTemperature)
}
