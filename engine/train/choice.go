package train

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// choose returns the sum of the cross-entropies of the batch's questions, times factor. The
// gradients have the same factor.
func (r *run) choose(questions []Question, factor float64) (loss float64) {
	d := r.width
	for i := range questions {
		q := &questions[i]
		state := r.embedded.states[i*d : (i+1)*d]
		inverse := r.config.Decoder.QuestionTypes[q.Type].InverseTemperature
		probabilities := grow(&r.probabilities, len(q.Choices))
		loss += factor * softmax(probabilities, r.logits(state, q.Choices), inverse, q.Answer)
		slope := r.embedded.stateSlopes[i*d : (i+1)*d]
		for at, choice := range q.Choices {
			derivative := probabilities[at]
			if at == q.Answer {
				derivative--
			}
			derivative *= factor * inverse
			addScaled(slope, r.head.weights[int(choice)*d:][:d], float32(derivative))
			addScaled(r.head.gradient[int(choice)*d:][:d], state, float32(derivative))
		}
		if r.samples[r.items+i].tokens == 0 {
			kernel.Add(r.headEmpty.gradient, slope)
		}
	}
	return loss
}

// logits returns the logits of some bytes after a state.
func (r *run) logits(state []float32, choices []byte) []float64 {
	logits := grow(&r.scores, len(choices))
	for i, choice := range choices {
		var logit float64
		for k, v := range r.head.weights[int(choice)*r.width:][:r.width] {
			logit += float64(v) * float64(state[k])
		}
		logits[i] = logit
	}
	return logits
}

// softmax writes the probabilities of logits at an inverse temperature, and returns the
// cross-entropy of the answer.
func softmax(probabilities, logits []float64, inverse float64, answer int) float64 {
	largest := math.Inf(-1)
	for _, logit := range logits {
		largest = max(largest, inverse*logit)
	}
	var sum float64
	for i, logit := range logits {
		probabilities[i] = math.Exp(inverse*logit - largest)
		sum += probabilities[i]
	}
	for i := range probabilities {
		probabilities[i] /= sum
	}
	return math.Log(sum) + largest - inverse*logits[answer]
}

func addScaled(dst, x []float32, factor float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += factor * v
	}
}
