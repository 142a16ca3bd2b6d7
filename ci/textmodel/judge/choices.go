package judge

import (
	"context"
	"math"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
	"github.com/unum-cloud/uform-go/uform"
)

// Choice is what a model says of a question: a probability for each choice, and which is right.
type Choice struct {
	Probabilities []float64
	Answer        int
}

// Choices asks a checkpoint.
func Choices(ctx context.Context, checkpoint []byte, questions []corpus.Question) ([]Choice, error) {
	_, model, err := Open(ctx, checkpoint)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	arena, err := model.Library().NewArena(nil)
	if err != nil {
		return nil, err
	}
	defer arena.Close()
	var texts, choices uform.Tape
	types := make([]uint32, len(questions))
	for i, question := range questions {
		texts.AppendString(question.Text)
		choices.AppendString(question.Choices)
		types[i] = uint32(question.Type)
	}
	chosen, err := model.TextChoose(ctx, texts, choices, arena, &uform.ChooseOptions{QuestionTypes: types})
	if err != nil {
		return nil, err
	}
	all := make([]Choice, len(questions))
	for i, rows := range chosen.Probabilities.All() {
		all[i].Answer = questions[i].Answer
		for _, row := range rows.All() {
			all[i].Probabilities = append(all[i].Probabilities, float64(row[0]))
		}
	}
	return all, nil
}

// best is the choice that is held most probable.
func (c *Choice) best() (best int) {
	for i, p := range c.Probabilities {
		if p > c.Probabilities[best] {
			best = i
		}
	}
	return best
}

// Accuracy is the share of right answers.
func Accuracy(all []Choice) float64 {
	right := 0
	for i := range all {
		if all[i].best() == all[i].Answer {
			right++
		}
	}
	return float64(right) / float64(len(all))
}

// CalibrationError is the expected one, in ten bins: how far the probability of the best choice is from the share of best
// choices that are right.
func CalibrationError(all []Choice) float64 {
	const bins = 10
	var said, right, count [bins]float64
	for i := range all {
		best := all[i].best()
		p := all[i].Probabilities[best]
		bin := min(bins-1, int(p*bins))
		said[bin] += p
		count[bin]++
		if best == all[i].Answer {
			right[bin]++
		}
	}
	sum := 0.0
	for bin := range bins {
		sum += math.Abs(said[bin] - right[bin])
	}
	return sum / float64(len(all))
}

// Tempered are choices as they would be at an inverse temperature, those given being at one.
func Tempered(all []Choice, inverse float64) []Choice {
	tempered := make([]Choice, len(all))
	for i := range all {
		sum := 0.0
		probabilities := make([]float64, len(all[i].Probabilities))
		for j, p := range all[i].Probabilities {
			probabilities[j] = math.Pow(math.Max(p, 1e-12), inverse)
			sum += probabilities[j]
		}
		for j := range probabilities {
			probabilities[j] /= sum
		}
		tempered[i] = Choice{probabilities, all[i].Answer}
	}
	return tempered
}

// Temper is the inverse temperature at which right answers are most probable.
func Temper(all []Choice) float64 {
	surprise := func(inverse float64) (sum float64) {
		for _, choice := range Tempered(all, inverse) {
			sum -= math.Log(choice.Probabilities[choice.Answer])
		}
		return sum
	}
	low, high := 0.05, 20.0
	for range 60 {
		third := (math.Log(high) - math.Log(low)) / 3
		left, right := low*math.Exp(third), high*math.Exp(-third)
		if surprise(left) < surprise(right) {
			high = right
		} else {
			low = left
		}
	}
	return math.Sqrt(low * high)
}
